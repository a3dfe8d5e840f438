#pragma once
// SampleCollector: takes the cells of a series in any of its forms, checks them, and ends as a
// Recording. Threads: one owner.

#include <cstddef>
#include <string_view>
#include <vector>

#include "modality/series/reader.h"

namespace braid {

class SampleCollector {
 public:
  explicit SampleCollector(const ReaderOptions& options);

  /// For what is kept column after column; all columns must end equally long.
  Result<void> add_time(const Json& value);
  Result<void> add_time(std::string_view text);
  Result<void> add_value(std::size_t channel_index, const Json& value);
  Result<void> add_value(std::size_t channel_index, std::string_view text);
  void add_gap(std::size_t channel_index) { recording_.channels[channel_index].push_back(kGap); }

  /// In order of time. kInvalidArgument when there are no samples, columns differ in length, or
  /// time stamps fall and may not be sorted.
  Result<Recording> recording() &&;

 private:
  Result<void> keep_time(double seconds);
  Result<void> keep_value(std::size_t channel_index, double value);
  Error too_many() const;
  Result<void> sort();

  const ReaderOptions& options_;
  Recording recording_;
};

Result<void> collect_csv(const std::vector<CsvRow>& rows, const ReaderOptions& options,
                         SampleCollector& collector);
Result<void> collect_json(const Json& json, const ReaderOptions& options,
                          SampleCollector& collector);

}  // namespace braid
