#pragma once
// SeriesOptions: what a pipeline says of an input of modality `series`. Threads: a value.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"
#include "modality/series/reader.h"
#include "modality/series/regular.h"
#include "modality/series/statistics.h"

namespace braid {

enum class Scaling { kNone, kStandard, kRange };

struct SeriesOptions {
  std::int64_t bytes_max = std::int64_t{1} << 20;
  ReaderOptions reader;
  std::optional<GridOptions> grid;
  Fill fill = Fill::kNone;
  Scaling scaling = Scaling::kNone;  // of each channel by its own values
  std::vector<double> mean;          // or by fixed numbers: (x - mean) ÷ std
  std::vector<double> std;
  std::size_t length = 0;  // in samples, after cropping or padding; 0: as they come
  bool keeps_end = true;   // the newest samples stay, and padding comes before them
  double pad = kGap;
  std::size_t window = 0;  // in samples; 0: the whole series
  std::size_t step = 0;
  std::vector<NamedStatistic> statistics;  // empty: raw values
  bool undefined_as_zero = false;
  bool mask = false;        // a second tensor says what was there
  bool time_first = false;  // [1, length, channels]
};

/// The keys are listed in docs/series.md. kInvalidArgument with the line and the cure.
Result<SeriesOptions> read_series_options(const Settings& settings);

}  // namespace braid
