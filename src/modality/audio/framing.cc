#include "modality/audio/framing.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

namespace braid {
namespace {

/// Periodic, as for spectra (scipy.signal.get_window, torch.hann_window), or symmetric.
std::vector<float> window_of(WindowShape shape, std::size_t length, bool symmetric) {
  const auto period = static_cast<double>(std::max<std::size_t>(length - (symmetric ? 1 : 0), 1));
  std::vector<float> window;
  for (std::size_t i = 0; i < length; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / period;
    double value = 1;
    switch (shape) {
      case WindowShape::kHann:
        value = 0.5 - 0.5 * std::cos(angle);
        break;
      case WindowShape::kHamming:
        value = 0.54 - 0.46 * std::cos(angle);
        break;
      case WindowShape::kBlackman:
        value = 0.42 - 0.5 * std::cos(angle) + 0.08 * std::cos(2 * angle);
        break;
      case WindowShape::kPovey:
        value = std::pow(0.5 - 0.5 * std::cos(angle), 0.85);
        break;
      case WindowShape::kRectangular:
        break;
    }
    window.push_back(static_cast<float>(value));
  }
  return window;
}

/// The sample that numpy.pad(mode="reflect") puts at `place`, which may be far outside.
std::size_t mirrored(std::ptrdiff_t place, std::size_t count) {
  const auto period = static_cast<std::ptrdiff_t>(2 * (count - 1));
  if (period == 0) {
    return 0;
  }
  const std::ptrdiff_t folded = ((place % period) + period) % period;
  return static_cast<std::size_t>(std::min(folded, period - folded));
}

}  // namespace

SoundFraming::SoundFraming(const FrameOptions& options)
    : options_(options),
      window_(window_of(options.window, options.window_length, options.kaldi)),
      window_begin_(options.kaldi ? 0 : (options.fft_size - options.window_length) / 2),
      frame_length_(options.kaldi ? options.window_length : options.fft_size) {
  for (float& value : window_) {
    value *= options_.scale;
  }
}

Result<std::size_t> SoundFraming::frame_count(std::size_t sample_count) const {
  const std::size_t length =
      sample_count + (options_.centre ? options_.fft_size / 2 * 2 : std::size_t{0});
  if (length < frame_length_) {
    return Error{Code::kInvalidArgument,
                 fmt::format("the sound has {} samples, one frame takes {}; send a longer one or "
                             "set 'seconds', which pads",
                             sample_count, frame_length_)};
  }
  return 1 + (length - frame_length_) / options_.hop;
}

std::vector<float> SoundFraming::padded(std::span<const float> samples) const {
  const std::size_t around = options_.centre ? options_.fft_size / 2 : 0;
  std::vector<float> padded(around + samples.size() + around);
  std::ranges::copy(samples, padded.begin() + static_cast<std::ptrdiff_t>(around));
  if (options_.pad_mode == PadMode::kConstant) {
    return padded;
  }
  const auto sample_at = [&](std::ptrdiff_t place) {
    const auto last = static_cast<std::ptrdiff_t>(samples.size()) - 1;
    return options_.pad_mode == PadMode::kEdge
               ? samples[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(place, 0, last))]
               : samples[mirrored(place, samples.size())];
  };
  for (std::size_t i = 0; i < around; ++i) {
    const auto end = around + samples.size() + i;
    padded[i] = sample_at(static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(around));
    padded[end] = sample_at(static_cast<std::ptrdiff_t>(samples.size() + i));
  }
  return padded;
}

void SoundFraming::prepare_kaldi(std::span<float> frame) const {
  const double sum = std::accumulate(frame.begin(), frame.end(), 0.0);
  const auto mean = static_cast<float>(sum / static_cast<double>(frame.size()));
  float before = frame[0] - mean;
  for (float& sample : frame) {
    const float now = sample - mean;
    sample = now - options_.preemphasis * before;
    before = now;
  }
}

void SoundFraming::load(std::span<const float> padded, std::size_t first, std::size_t count,
                        std::span<Lanes> frames) const {
  std::ranges::fill(frames, Lanes{});
  std::vector<float> own;  // Kaldi changes a frame, and the next one overlaps with it
  for (std::size_t lane = 0; lane < count; ++lane) {
    std::span<const float> frame =
        padded.subspan((first + lane) * options_.hop + window_begin_, window_.size());
    if (options_.kaldi) {
      own.assign(frame.begin(), frame.end());
      prepare_kaldi(own);
      frame = own;
    }
    float* const to = reinterpret_cast<float*>(frames.data() + window_begin_) + lane;
    for (std::size_t i = 0; i < window_.size(); ++i) {
      to[i * kLanes] = frame[i] * window_[i];
    }
  }
}

}  // namespace braid
