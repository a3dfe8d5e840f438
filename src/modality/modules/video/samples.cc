#include "modality/modules/video/samples.h"

#include <algorithm>
#include <cmath>

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/samplefmt.h>
}

namespace braid {
namespace {

constexpr float kFullScale = 0.9999F;  // 32767 ÷ 32768 is the largest sample of 16 bits
constexpr float kSampleMax = 65536;    // floats of someone who forgot to divide still pass

/// (value - zero) ÷ scale.
template <typename T>
struct Reader {
  const AVFrame& frame;
  std::size_t channels;
  double zero;
  double scale;

  template <bool kPlanar>
  float at(std::size_t channel, std::size_t i) const {
    const auto* from = reinterpret_cast<const T*>(frame.extended_data[kPlanar ? channel : 0]);
    const T value = kPlanar ? from[i] : from[i * channels + channel];
    return static_cast<float>((static_cast<double>(value) - zero) / scale);
  }
};

template <bool kPlanar, typename T>
MixedSamples mixed(const Reader<T>& reader, std::size_t begin, int mix, std::span<float> to) {
  MixedSamples result;
  const std::size_t channels = reader.channels;
  const std::size_t chosen = mix == 2 && channels > 1 ? 1 : 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    float sum = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      const float sample = reader.template at<kPlanar>(c, begin + i);
      const float size = std::abs(sample);
      result.is_sound &= size <= kSampleMax;  // false for NaN too
      result.clipped_count += size >= kFullScale ? 1 : 0;
      sum += mix == 0 || c == chosen ? sample : 0;
    }
    to[i] = mix == 0 ? sum / static_cast<float>(channels) : sum;
  }
  return result;
}

template <typename T>
MixedSamples of_type(const AVFrame& frame, double zero, double scale, std::size_t begin, int mix,
                     std::span<float> to) {
  const Reader<T> reader{frame, static_cast<std::size_t>(frame.ch_layout.nb_channels), zero, scale};
  return av_sample_fmt_is_planar(static_cast<AVSampleFormat>(frame.format)) != 0
             ? mixed<true>(reader, begin, mix, to)
             : mixed<false>(reader, begin, mix, to);
}

}  // namespace

MixedSamples mix_samples(const AVFrame& frame, std::size_t begin, int mix, std::span<float> to) {
  switch (av_get_packed_sample_fmt(static_cast<AVSampleFormat>(frame.format))) {
    case AV_SAMPLE_FMT_U8:
      return of_type<std::uint8_t>(frame, 128, 128, begin, mix, to);
    case AV_SAMPLE_FMT_S16:
      return of_type<std::int16_t>(frame, 0, 32768, begin, mix, to);
    case AV_SAMPLE_FMT_S32:
      return of_type<std::int32_t>(frame, 0, 2147483648.0, begin, mix, to);
    case AV_SAMPLE_FMT_FLT:
      return of_type<float>(frame, 0, 1, begin, mix, to);
    case AV_SAMPLE_FMT_DBL:
      return of_type<double>(frame, 0, 1, begin, mix, to);
    default:
      return {.is_known = false};
  }
}

}  // namespace braid
