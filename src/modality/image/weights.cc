#include "modality/image/weights.h"

#include <algorithm>
#include <cmath>

namespace braid {
namespace {

/// How far a filter reaches, in source pixels when nothing shrinks.
double reach(Interpolation interpolation) {
  return interpolation == Interpolation::kBicubic ? 2 : 1;
}

/// Cubic convolution (Keys 1981, eq. 4 with a free): a = −0.5 is Pillow's, −0.75 that of the
/// others.
double cubic(double x, double a) {
  x = std::abs(x);
  if (x < 1) {
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  }
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

struct Taps {
  std::size_t first = 0;
  std::vector<double> weights;
};

/// The filter, stretched by the factor of shrinking, over all pixels whose centre it reaches; what
/// lies beyond the edge is left out and the rest scaled up to a sum of 1.
void widened(double centre, double scale, std::size_t size, Interpolation interpolation,
             Taps& taps) {
  const double stretch = std::max(scale, 1.0);
  const double radius = reach(interpolation) * stretch;
  const double begin = std::max(std::floor(centre - radius + 0.5), 0.0);
  const double end = std::min(std::floor(centre + radius + 0.5), static_cast<double>(size));
  taps.first = static_cast<std::size_t>(begin);
  taps.weights.clear();
  double sum = 0;
  for (double pixel = 0; begin + pixel < end; ++pixel) {
    const double x = (pixel + begin - centre + 0.5) * (1 / stretch);
    taps.weights.push_back(interpolation == Interpolation::kBicubic ? cubic(x, -0.5) : triangle(x));
    sum += taps.weights.back();
  }
  for (double& weight : taps.weights) {
    weight *= 1 / sum;
  }
}

/// Two or four pixels; the weights of those beyond the edge go to the pixel at the edge.
void plain(double centre, std::size_t size, Interpolation interpolation, Taps& taps) {
  const auto last = static_cast<double>(size) - 1;
  const double left = std::floor(centre - 0.5) - (reach(interpolation) - 1);
  const auto count = static_cast<int>(2 * reach(interpolation));
  const double first = std::clamp(left, 0.0, last);
  taps.first = static_cast<std::size_t>(first);
  taps.weights.assign(static_cast<std::size_t>(std::clamp(left + count - 1, 0.0, last) - first) + 1,
                      0);
  for (int i = 0; i < count; ++i) {
    const double pixel = left + i;
    const double x = pixel + 0.5 - centre;
    const auto place = static_cast<std::size_t>(std::clamp(pixel, 0.0, last) - first);
    taps.weights[place] += interpolation == Interpolation::kBicubic ? cubic(x, -0.75) : triangle(x);
  }
}

}  // namespace

AxisWeights::AxisWeights(const Axis& axis, const Resampling& resampling) {
  const double scale = static_cast<double>(axis.from) / static_cast<double>(axis.to);
  // Pillow walks to the nearest pixels by adding steps, and so do we: rounding tells them apart.
  double nearest = 0.5 * scale;
  for (std::size_t i = 0; i < axis.begin; ++i) {
    nearest += scale;
  }
  Taps taps;
  for (std::size_t i = 0; i < axis.count; ++i, nearest += scale) {
    const double centre = (static_cast<double>(axis.begin + i) + 0.5) * scale;
    if (resampling.interpolation == Interpolation::kNearest) {
      taps.first = std::min(static_cast<std::size_t>(nearest), axis.from - 1);
      taps.weights.assign(1, 1.0);
    } else if (resampling.antialias) {
      widened(centre, scale, axis.from, resampling.interpolation, taps);
    } else {
      plain(centre, axis.from, resampling.interpolation, taps);
    }
    add(taps.first, taps.weights);
  }
}

void AxisWeights::add(std::size_t first, std::span<const double> weights) {
  constexpr double kOne = 1 << kFractionBits;
  first_.push_back(first);
  for (const double weight : weights) {
    weights_.push_back(static_cast<std::int32_t>(weight * kOne + (weight < 0 ? -0.5 : 0.5)));
  }
  begin_.push_back(weights_.size());
  weights_max_ = std::max(weights_max_, weights.size());
}

}  // namespace braid
