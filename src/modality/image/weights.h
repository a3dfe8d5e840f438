#pragma once
// AxisWeights: which source pixels, with which weights, make up each pixel of a resized axis.
// Threads: constant after construction.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace braid {

enum class Interpolation { kNearest, kBilinear, kBicubic };

struct Resampling {
  Interpolation interpolation = Interpolation::kBilinear;
  /// True: Pillow's resize, whose filter widens as the picture shrinks; bicubic has a = −0.5.
  /// False: only the 2 or 4 pixels about each point count, as in OpenCV and in PyTorch's
  /// interpolate(antialias=False); bicubic has a = −0.75.
  bool antialias = true;
};

/// An axis of `from` pixels resized to `to`, of which the pixels begin … begin + count - 1 are
/// computed.
struct Axis {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t begin = 0;
  std::size_t count = 0;
};

class AxisWeights {
 public:
  /// A weight of 1. Of 32 bits, 8 hold the pixel and 2 the sign and what bicubic overshoots.
  static constexpr int kFractionBits = 22;

  AxisWeights(const Axis& axis, const Resampling& resampling);

  /// Of output pixel `index` (from 0, within the computed ones): the first source pixel, and the
  /// weights of it and those behind. They never reach beyond the axis, and both ends of these
  /// ranges rise with the index.
  std::size_t first(std::size_t index) const { return first_[index]; }
  std::span<const std::int32_t> weights(std::size_t index) const {
    return std::span(weights_).subspan(begin_[index], begin_[index + 1] - begin_[index]);
  }
  std::size_t count() const { return first_.size(); }
  std::size_t weights_max() const { return weights_max_; }

 private:
  void add(std::size_t first, std::span<const double> weights);

  std::vector<std::size_t> first_;
  std::vector<std::size_t> begin_ = {0};
  std::vector<std::int32_t> weights_;
  std::size_t weights_max_ = 0;
};

}  // namespace braid
