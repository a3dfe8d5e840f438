#pragma once
// The part of the settings of an audio input that says how a spectrum is made, with the defaults of
// the library that the model was trained with. Threads: pure functions.

#include "base/result.h"
#include "base/yaml.h"
#include "modality/audio/audio_options.h"

namespace braid {

enum class Convention { kLibrosa, kTorchaudio, kKaldi };

/// Keys: n_fft, window_length, hop, window, centre, pad_mode, preemphasis, scale, power, bands,
/// f_min, f_max, mel_scale, mel_norm, log, log_floor, log_guard, log_relative, range.
Result<SpectrogramOptions> read_spectrum(const Settings& settings, Convention convention,
                                         std::int64_t rate, const std::string& features);

}  // namespace braid
