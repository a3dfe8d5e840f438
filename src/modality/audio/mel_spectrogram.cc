#include "modality/audio/mel_spectrogram.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace braid {

constexpr std::size_t kValuesMax = std::size_t{1} << 24;  // 64 MB

MelSpectrogram::MelSpectrogram(const SpectrogramOptions& options, std::int64_t rate)
    : framing_(options.frames),
      fft_(options.frames.fft_size),
      amplitudes_(options.amplitudes),
      bank_(options.mel, rate, options.frames.fft_size),
      loudness_(options.log) {}

Result<Grid> MelSpectrogram::of(std::span<const float> samples) const {
  BRAID_TRY(const std::size_t count, framing_.frame_count(samples.size()));
  if (count > kValuesMax / bank_.band_count()) {
    return Error{Code::kExhausted,
                 fmt::format("the sound has {} frames of {} bands; {} values are the most, so "
                             "raise 'hop' or lower 'seconds_max'",
                             count, bank_.band_count(), kValuesMax)};
  }
  const std::vector<float> padded = framing_.padded(samples);
  std::vector<Lanes> frames(fft_.size());
  std::vector<Lanes> scratch(fft_.size());
  std::vector<Lanes> powers(fft_.bin_count());
  std::vector<Lanes> bands(bank_.band_count());
  Grid grid{bank_.band_count(), count, std::vector<float>(bank_.band_count() * count)};
  for (std::size_t first = 0; first < count; first += kLanes) {
    const std::size_t lanes = std::min(kLanes, count - first);
    framing_.load(padded, first, lanes, frames);
    fft_.powers(frames, scratch, powers);
    if (amplitudes_) {
      for (Lanes& bin : powers) {
        for (std::size_t i = 0; i < kLanes; ++i) {
          bin.v[i] = std::sqrt(bin.v[i]);
        }
      }
    }
    bank_.apply(powers, bands);
    loudness_.apply(bands);
    for (std::size_t band = 0; band < bands.size(); ++band) {
      const auto* values = reinterpret_cast<const float*>(&bands[band]);
      std::copy_n(values, lanes, grid.values.data() + band * count + first);
    }
  }
  loudness_.finish(grid);
  return grid;
}

}  // namespace braid
