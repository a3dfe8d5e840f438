#pragma once
// LaneFft: the power spectra of eight real frames at once. Why not a library's transform:
// docs/decisions/0024-sounds.md. Threads: constant after construction.

#include <cstddef>
#include <span>
#include <vector>

#include "modality/audio/lanes.h"

namespace braid {

class LaneFft {
 public:
  /// Even, 4 … 2^16, and without a prime factor above 5.
  static bool can_do(std::size_t size);
  /// The smallest size that can be done and is not below `size`, which is at most 2^16.
  static std::size_t next_size(std::size_t size);

  explicit LaneFft(std::size_t size);

  std::size_t size() const { return size_; }
  std::size_t bin_count() const { return size_ / 2 + 1; }

  /// `frames` holds size() samples and is overwritten, as is `scratch`, equally long; `powers`
  /// takes |X|² of bin_count() bins.
  void powers(std::span<Lanes> frames, std::span<Lanes> scratch, std::span<Lanes> powers) const;

 private:
  struct Pass {
    std::size_t radix;
    std::size_t rest;    // points of each transform that is still to come
    std::size_t stride;  // how many such transforms lie side by side
    std::size_t twiddles_begin;
  };
  struct Twiddle {
    float re;
    float im;
  };
  friend struct LaneFftRunner;

  std::size_t size_;
  std::vector<Pass> passes_;
  std::vector<Twiddle> twiddles_;   // of the passes
  std::vector<Twiddle> unpacking_;  // exp(-2πik ÷ size), k ≤ size ÷ 4
};

}  // namespace braid
