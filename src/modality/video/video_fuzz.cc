// Any bytes as a video, through several settings chosen by the last byte: no crash, no leak, no
// more time or memory than the limits allow, no number that is none. Corpus:
// tests/data/modality/video.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "modality/preprocessor.h"

namespace braid {
namespace {

using Preprocessors = std::vector<std::unique_ptr<Preprocessor>>;

Preprocessors open_all() {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  Preprocessors all;
  for (const char* text :
       {"{frames: 4, size: 16, damaged_max: 1, seconds_max: 5, frames_max: 100, pixels_max: 65536}",
        "{rate: 8, size: [8, 12], layout: thwc, seconds_max: 5, frames_max: 50, pixels_max: 65536}",
        "{rate: 5, frames: 3, fit: shorter_side, resize_to: 9, layout: cthw, seconds_max: 5, "
        "frames_max: 50, pixels_max: 65536, damaged_max: 1}",
        "{frames: 2, size: 8, seconds_max: 5, frames_max: 50, pixels_max: 65536, damaged_max: 1, "
        "sound: {features: waveform, rate: 8000, if_missing: silence}}"}) {
    const auto settings = Settings::parse(text);
    all.push_back(*registry.make("video", *settings));
  }
  return all;
}

void try_once(Bytes raw) {
  static const Preprocessors all = open_all();
  if (raw.empty()) {
    return;
  }
  const std::size_t choice = static_cast<unsigned char>(raw.back()) % all.size();
  const auto encoded = all[choice]->encode(raw);
  if (!encoded.has_value()) {
    return;
  }
  const std::vector<TensorSpec> specs = all[choice]->outputs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Tensor& tensor = encoded->tensors[i].tensor;
    BRAID_CHECK(check_fits(specs[i], tensor.view()).has_value());
    for (const float value : tensor.values<float>()) {
      BRAID_CHECK(std::isfinite(value));
    }
  }
}

}  // namespace
}  // namespace braid

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::try_once({reinterpret_cast<const char*>(data), size});
  return 0;
}
