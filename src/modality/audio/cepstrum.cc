#include "modality/audio/cepstrum.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace braid {
namespace {

/// Weights of the frames -half … half for the slope, or the second derivative, of the polynomial
/// of that degree which fits them best.
std::vector<float> slope_weights(int order, std::size_t half) {
  const auto reach = static_cast<std::ptrdiff_t>(half);
  const auto count = static_cast<double>(2 * half + 1);
  double squares = 0;
  for (std::ptrdiff_t k = -reach; k <= reach; ++k) {
    squares += static_cast<double>(k * k);
  }
  const auto term = [&](std::ptrdiff_t k) {
    return order == 1 ? static_cast<double>(k) : static_cast<double>(k * k) - squares / count;
  };
  double norm = 0;
  for (std::ptrdiff_t k = -reach; k <= reach; ++k) {
    norm += term(k) * term(k);
  }
  std::vector<float> weights;
  for (std::ptrdiff_t k = -reach; k <= reach; ++k) {
    weights.push_back(static_cast<float>(order * term(k) / norm));  // (x²)'' is 2
  }
  return weights;
}

/// kFit looks through the window nearest to the frame that lies within; kReplicate through the
/// frame's own, where places outside hold the outermost frame.
void slide(std::span<const float> from, std::span<const float> weights, DeltaEdges edges,
           std::span<float> to) {
  const auto half = static_cast<std::ptrdiff_t>(weights.size() / 2);
  const auto last = static_cast<std::ptrdiff_t>(from.size()) - 1;
  for (std::ptrdiff_t t = 0; t <= last; ++t) {
    const std::ptrdiff_t centre = edges == DeltaEdges::kFit ? std::clamp(t, half, last - half) : t;
    float sum = 0;
    for (std::ptrdiff_t k = -half; k <= half; ++k) {
      const std::ptrdiff_t place = std::clamp<std::ptrdiff_t>(centre + k, 0, last);
      sum += weights[static_cast<std::size_t>(k + half)] * from[static_cast<std::size_t>(place)];
    }
    to[static_cast<std::size_t>(t)] = sum;
  }
}

}  // namespace

Grid cepstrum(const Grid& bands, const CepstrumOptions& options) {
  Grid result{options.coefficients, bands.columns,
              std::vector<float>(options.coefficients * bands.columns)};
  const auto count = static_cast<double>(bands.rows);
  for (std::size_t c = 0; c < options.coefficients; ++c) {
    double gain = std::sqrt((c == 0 ? 1 : 2) / count);
    if (options.lifter > 0) {
      const auto n = static_cast<double>(c + (options.lifter_from_0 ? 0 : 1));
      gain *= 1 + options.lifter / 2 * std::sin(std::numbers::pi * n / options.lifter);
    }
    const std::span<float> to = result.row(c);
    for (std::size_t b = 0; b < bands.rows; ++b) {
      const double angle =
          std::numbers::pi * static_cast<double>(c) * (static_cast<double>(b) + 0.5) / count;
      const auto weight = static_cast<float>(gain * std::cos(angle));
      const std::span<const float> from = bands.row(b);
      for (std::size_t t = 0; t < to.size(); ++t) {
        to[t] += weight * from[t];
      }
    }
  }
  return result;
}

Result<Grid> with_deltas(const Grid& features, int order, std::size_t width, DeltaEdges edges) {
  if (edges == DeltaEdges::kFit && features.columns < width) {
    return Error{Code::kInvalidArgument,
                 fmt::format("the sound has {} frames, deltas of 'delta_width: {}' take {}; send a "
                             "longer one or set 'seconds', which pads",
                             features.columns, width, width)};
  }
  Grid result = features;
  result.rows *= static_cast<std::size_t>(order) + 1;
  result.values.resize(result.rows * result.columns);
  for (int i = 1; i <= order; ++i) {
    const bool of_slopes = edges == DeltaEdges::kReplicate && i == 2;
    const std::vector<float> weights = slope_weights(of_slopes ? 1 : i, width / 2);
    for (std::size_t row = 0; row < features.rows; ++row) {
      const std::size_t from = of_slopes ? features.rows + row : row;
      slide(std::as_const(result).row(from), weights, edges,
            result.row(static_cast<std::size_t>(i) * features.rows + row));
    }
  }
  return result;
}

}  // namespace braid
