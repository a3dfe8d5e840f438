// Any bytes as a sound, through several settings chosen by the last byte: no crash, no leak, no
// more time or memory than the limits allow, no number that is none. Corpus:
// tests/data/modality/audio.

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
       {"{seconds_max: 5, rate: 8000, bands: 20, n_fft: 256, hop: 128}",
        "{seconds_max: 5, convention: torchaudio, features: mfcc, deltas: 2, mix: first}",
        "{seconds_max: 5, convention: kaldi, pool: mean_std, voice_gate: true}",
        "{seconds_max: 5, features: waveform, trim_db: 30, normalise: true, seconds: 0.1}",
        "{seconds_max: 5, rate: 22050, pad_mode: reflect, power: 1, frames: 9, mix: second}"}) {
    const auto settings = Settings::parse(text);
    all.push_back(*registry.make("audio", *settings));
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
  const Tensor& tensor = encoded->tensors.front().tensor;
  BRAID_CHECK(check_fits(all[choice]->outputs().front(), tensor.view()).has_value());
  for (const float value : tensor.values<float>()) {
    BRAID_CHECK(std::isfinite(value));
  }
}

}  // namespace
}  // namespace braid

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::try_once({reinterpret_cast<const char*>(data), size});
  return 0;
}
