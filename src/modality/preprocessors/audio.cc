// Audio: a WAV, FLAC, OGG or MP3 to one tensor, with the numbers of librosa, torchaudio or Kaldi:
//   mel [1, bands, frames], mfcc [1, coefficients, frames], statistics [1, 2 · rows] or
//   waveform [1, samples]
// In this order: decode, mix, resample, trim, voice gate, normalise, crop or pad, features.
// docs/audio.md lists the settings, docs/decisions/0024-sounds.md says why.

#include <memory>
#include <utility>

#include "modality/audio/audio_options.h"
#include "modality/audio/sound_tensors.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

class Audio final : public Preprocessor {
 public:
  explicit Audio(const AudioOptions& options) : options_(options), tensors_(options) {}

  Result<Encoded> encode(Bytes raw) const override {
    BRAID_TRY(Sound sound, decode_sound(raw, options_.mix, options_.limits));
    Encoded encoded;
    BRAID_TRY(encoded.quality, tensors_.encode(std::move(sound), encoded.tensors));
    return encoded;
  }

  std::vector<TensorSpec> outputs() const override { return {tensors_.spec()}; }

 private:
  const AudioOptions options_;
  const SoundTensors tensors_;
};

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  BRAID_TRY(const AudioOptions options, read_audio_options(settings));
  return std::unique_ptr<Preprocessor>(std::make_unique<Audio>(options));
}

}  // namespace

void register_audio(Registry<Preprocessor>& registry) { registry.add("audio", open); }

}  // namespace braid
