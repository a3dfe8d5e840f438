#include "modality/image/normaliser.h"

namespace braid {
namespace {

double of_channel(const std::vector<double>& values, std::size_t channel) {
  return values.size() == 1 ? values.front() : values[channel];
}

}  // namespace

Normaliser::Normaliser(const Options& options)
    : channel_count_(options.channels == Channels::kGrey ? 1 : 3),
      channels_last_(options.channels_last),
      source_channel_{0, 1, 2},
      value_{} {
  if (options.channels == Channels::kBgr) {
    source_channel_ = {2, 1, 0};
  }
  for (std::size_t c = 0; c < channel_count_; ++c) {
    const double mean = of_channel(options.mean, c);
    const double std = of_channel(options.std, c);
    for (std::size_t pixel = 0; pixel < value_[c].size(); ++pixel) {
      value_[c][pixel] =
          static_cast<float>((static_cast<double>(pixel) * options.scale - mean) / std);
    }
  }
}

void Normaliser::write_row(std::size_t row_index, const std::uint8_t* pixels, Extent extent,
                           std::span<float> tensor) const {
  const std::size_t stride = channels_last_ ? channel_count_ : 1;
  for (std::size_t c = 0; c < channel_count_; ++c) {
    const std::array<float, 256>& value = value_[c];
    const std::uint8_t* from = pixels + source_channel_[c];
    float* to = channels_last_ ? tensor.data() + row_index * extent.width * channel_count_ + c
                               : tensor.data() + c * extent.pixels() + row_index * extent.width;
    for (std::size_t x = 0; x < extent.width; ++x) {
      to[x * stride] = value[from[x * kPixelBytes]];
    }
  }
}

}  // namespace braid
