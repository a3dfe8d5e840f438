#pragma once
// Normaliser: rows of 8-bit pixels to the numbers and the layout that a model wants.
// Threads: constant after construction.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "modality/image/picture.h"

namespace braid {

enum class Channels { kRgb, kBgr, kGrey };

class Normaliser {
 public:
  struct Options {
    Channels channels = Channels::kRgb;
    bool channels_last = false;  // [h, w, c] instead of [c, h, w]
    double scale = 1.0 / 255;
    std::vector<double> mean = {0};  // in scaled units; one for all channels, or one for each
    std::vector<double> std = {1};
  };

  explicit Normaliser(const Options& options);

  std::size_t channel_count() const { return channel_count_; }

  /// (pixel · scale − mean) ÷ std of one row, to its places in a whole tensor of `extent`.
  void write_row(std::size_t row_index, const std::uint8_t* pixels, Extent extent,
                 std::span<float> tensor) const;

 private:
  std::size_t channel_count_;
  bool channels_last_;
  std::array<std::size_t, 3> source_channel_;
  std::array<std::array<float, 256>, 3> value_;  // a pixel has only 256 values
};

}  // namespace braid
