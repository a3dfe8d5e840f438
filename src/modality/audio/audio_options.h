#pragma once
// AudioOptions: what a pipeline says of an input of modality `audio`. Threads: a value.

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "base/yaml.h"
#include "modality/audio/cepstrum.h"
#include "modality/audio/container.h"
#include "modality/audio/decode.h"
#include "modality/audio/mel_spectrogram.h"
#include "modality/audio/resample.h"

namespace braid {

enum class AudioFeatures { kWaveform, kMel, kMfcc };
enum class Crop { kBegin, kCentre, kEnd };

struct AudioOptions {
  SoundLimits limits;
  Mix mix = Mix::kMean;
  std::int64_t rate = 16000;
  SoxrQuality quality = SoxrQuality::kHigh;
  std::optional<double> trim_db;  // as librosa.effects.trim
  bool voice_gate = false;
  bool normalise = false;    // the samples to mean 0 and variance 1
  std::size_t samples = 0;   // after cropping or padding; 0: as they come
  Crop crop = Crop::kBegin;  // which part stays
  AudioFeatures features = AudioFeatures::kMel;
  SpectrogramOptions spectrogram;
  CepstrumOptions cepstrum;
  int deltas = 0;
  std::size_t delta_width = 9;
  DeltaEdges delta_edges = DeltaEdges::kFit;
  std::size_t frames = 0;  // after cropping or padding; 0: as they come
  float frame_pad = 0;
  float mean = 0;  // features become (x - mean) ÷ std
  float std = 1;
  bool pooled = false;        // mean and standard deviation of each row instead of its frames
  std::size_t segments = 0;   // pooled: and the means of so many parts of the time
  bool length = false;        // pooled: and the logarithm of the number of frames
  bool frames_first = false;  // [1, frames, bands]
};

/// The keys are listed in docs/audio.md. kInvalidArgument with the line and the cure.
Result<AudioOptions> read_audio_options(const Settings& settings);

}  // namespace braid
