#pragma once
// SeriesTensors: a regular or irregular recording to the tensors that a pipeline asks for. Threads:
// constant after construction.

#include <vector>

#include "base/result.h"
#include "modality/series/recording.h"
#include "modality/series/series_options.h"
#include "tensor/spec.h"
#include "tensor/tensor.h"

namespace braid {

class SeriesTensors {
 public:
  explicit SeriesTensors(const SeriesOptions& options) : options_(options) {}

  std::vector<TensorSpec> specs() const;

  /// Fills, scales, crops or pads, then cuts windows. kInvalidArgument when the series is shorter
  /// than a window, kExhausted when a tensor would have more than 2^24 values.
  Result<NamedTensors> of(Recording recording) const;

 private:
  void prepare(std::vector<double>& channel, std::size_t channel_index) const;
  Result<std::size_t> window_count(std::size_t length) const;
  Result<Tensor> raw(const std::vector<std::vector<double>>& channels) const;
  Result<Tensor> statistics(const std::vector<std::vector<double>>& channels) const;

  SeriesOptions options_;
};

}  // namespace braid
