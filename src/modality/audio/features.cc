#include "modality/audio/features.h"

#include <algorithm>
#include <utility>

namespace braid {

SoundFeatures::SoundFeatures(const AudioOptions& options)
    : options_(options), spectrogram_(options.spectrogram, options.rate) {}

std::size_t SoundFeatures::row_count() const {
  const std::size_t rows = options_.features == AudioFeatures::kMfcc
                               ? options_.cepstrum.coefficients
                               : spectrogram_.band_count();
  return rows * (static_cast<std::size_t>(options_.deltas) + 1);
}

PoolOptions SoundFeatures::pool_options() const {
  return {.segments = options_.segments,
          .length = options_.length,
          .mean = options_.mean,
          .std = options_.std};
}

TensorSpec SoundFeatures::spec() const {
  const auto rows = static_cast<std::int64_t>(row_count());
  if (options_.pooled) {
    const auto width = static_cast<std::int64_t>(pooled_width(row_count(), pool_options()));
    return {"statistics", DType::kFp32, {1, width}};
  }
  std::int64_t frames = options_.frames == 0 ? -1 : static_cast<std::int64_t>(options_.frames);
  if (frames < 0 && options_.samples != 0) {
    const auto count = SoundFraming(options_.spectrogram.frames).frame_count(options_.samples);
    frames = count.has_value() ? static_cast<std::int64_t>(*count) : -1;
  }
  const char* const name = options_.features == AudioFeatures::kMfcc ? "mfcc" : "mel";
  if (options_.frames_first) {
    return {name, DType::kFp32, {1, frames, rows}};
  }
  return {name, DType::kFp32, {1, rows, frames}};
}

Result<Tensor> SoundFeatures::of(std::span<const float> samples) const {
  BRAID_TRY(Grid grid, spectrogram_.of(samples));
  if (options_.features == AudioFeatures::kMfcc) {
    grid = cepstrum(grid, options_.cepstrum);
  }
  if (options_.deltas > 0) {
    BRAID_TRY(grid, with_deltas(grid, options_.deltas, options_.delta_width, options_.delta_edges));
  }
  return options_.pooled ? pooled(grid, pool_options()) : framed(grid);
}

Result<Tensor> SoundFeatures::framed(const Grid& grid) const {
  const std::size_t frames = options_.frames == 0 ? grid.columns : options_.frames;
  const Shape shape =
      options_.frames_first ? Shape{1, frames, grid.rows} : Shape{1, grid.rows, frames};
  BRAID_TRY(Tensor tensor, Tensor::zeros(DType::kFp32, shape));
  const std::span<float> values = tensor.mutable_values<float>();
  const std::size_t kept = std::min(frames, grid.columns);
  const std::size_t spare = grid.columns - kept;
  const std::size_t begin = options_.crop == Crop::kBegin    ? 0
                            : options_.crop == Crop::kCentre ? spare / 2
                                                             : spare;
  std::ranges::fill(values, (options_.frame_pad - options_.mean) / options_.std);
  const std::size_t row_step = options_.frames_first ? 1 : frames;
  const std::size_t frame_step = options_.frames_first ? grid.rows : 1;
  for (std::size_t i = 0; i < grid.rows; ++i) {
    const std::span<const float> row = grid.row(i).subspan(begin, kept);
    float* to = values.data() + i * row_step;
    for (const float value : row) {
      *to = (value - options_.mean) / options_.std;
      to += frame_step;
    }
  }
  return tensor;
}

}  // namespace braid
