#pragma once
// MelBank: triangular filters from the bins of a spectrum to bands. Threads: constant after
// construction.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "modality/audio/lanes.h"

namespace braid {

enum class MelScale {
  kSlaney,  // Auditory Toolbox: linear up to 1 kHz, then logarithmic
  kHtk,     // 2595 log10(1 + f ÷ 700)
  kKaldi,   // 1127 ln(1 + f ÷ 700), and the sides of the triangles are straight in mel, not in Hz
};

struct MelOptions {
  std::size_t bands = 128;
  double f_min = 0;
  double f_max = 0;  // in Hz
  MelScale scale = MelScale::kSlaney;
  bool area_norm = true;  // each filter ÷ half its width in Hz: Slaney's norm
};

class MelBank {
 public:
  MelBank(const MelOptions& options, std::int64_t rate, std::size_t fft_size);

  std::size_t band_count() const { return filters_.size(); }
  /// For tests: the weight of one bin in one band.
  float weight(std::size_t band, std::size_t bin) const;

  /// `spectra` has a bin after the other, `bands` takes band_count().
  void apply(std::span<const Lanes> spectra, std::span<Lanes> bands) const;

 private:
  struct Filter {
    std::size_t first_bin;
    std::size_t begin;  // in weights_
    std::size_t count;
  };
  friend struct MelBankRunner;

  std::vector<Filter> filters_;
  std::vector<float> weights_;
};

}  // namespace braid
