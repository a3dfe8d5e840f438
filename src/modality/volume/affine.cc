#include "modality/volume/affine.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

namespace braid {
namespace {

using Square = std::array<std::array<double, 3>, 3>;

constexpr double kFlat = 1e-6;  // volume of the box that three unit axes span

double determinant(const Square& m) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/// Transposed inverse: cofactors over the determinant.
Square inverse_transposed(const Square& m) {
  Square result;
  const double scale = 1 / determinant(m);
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      const std::size_t r1 = (row + 1) % 3;
      const std::size_t r2 = (row + 2) % 3;
      const std::size_t c1 = (column + 1) % 3;
      const std::size_t c2 = (column + 2) % 3;
      result[row][column] = (m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]) * scale;
    }
  }
  return result;
}

/// The orthogonal factor of the polar decomposition (Higham 1986: Newton's iteration, which doubles
/// its right digits each step once it is near).
Square nearest_rotation(Square m) {
  constexpr int kStepsMax = 60;
  for (int step = 0; step < kStepsMax; ++step) {
    const Square other = inverse_transposed(m);
    double change = 0;
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 3; ++column) {
        const double next = (m[row][column] + other[row][column]) / 2;
        change = std::max(change, std::abs(next - m[row][column]));
        m[row][column] = next;
      }
    }
    if (change < 1e-15) {
      break;
    }
  }
  return m;
}

/// The axes with length 1.
Result<Square> directions(const Affine& affine) {
  const std::array<double, 3> spacing = spacing_of(affine);
  Square unit;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!std::isfinite(spacing[axis]) || spacing[axis] < 1e-30) {
      return Error{Code::kInvalidArgument,
                   fmt::format("the affine gives voxel axis {} a length of {} mm; write a valid "
                               "sform or qform",
                               axis, spacing[axis])};
    }
    for (std::size_t row = 0; row < 3; ++row) {
      unit[row][axis] = affine[row][axis] / spacing[axis];
    }
  }
  if (!(std::abs(determinant(unit)) > kFlat)) {
    return Error{Code::kInvalidArgument,
                 "the affine's axes lie in one plane; write a valid sform or qform"};
  }
  return unit;
}

}  // namespace

std::array<double, 3> spacing_of(const Affine& affine) {
  std::array<double, 3> spacing;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    spacing[axis] = std::hypot(affine[0][axis], affine[1][axis], affine[2][axis]);
  }
  return spacing;
}

Result<Orientation> orientation_of(const Affine& affine) {
  BRAID_TRY(const Square unit, directions(affine));
  Square rotation = nearest_rotation(unit);
  std::array<double, 3> strength = {};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t row = 0; row < 3; ++row) {
      strength[axis] = std::max(strength[axis], rotation[row][axis] * rotation[row][axis]);
    }
  }
  std::array<std::size_t, 3> order = {0, 1, 2};
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return strength[i]; });
  Orientation orientation;
  for (const std::size_t axis : order) {
    std::size_t world = 0;
    for (std::size_t row = 1; row < 3; ++row) {
      world = std::abs(rotation[row][axis]) > std::abs(rotation[world][axis]) ? row : world;
    }
    orientation.axes[axis] = {world, rotation[world][axis] < 0};
    rotation[world] = {};  // taken
    const double cosine = std::min(1.0, std::abs(unit[world][axis]));
    orientation.oblique_degrees =
        std::max(orientation.oblique_degrees, std::acos(cosine) * 180 / std::numbers::pi);
  }
  return orientation;
}

Result<Affine> affine_of_quaternion(const std::array<double, 3>& bcd,
                                    const std::array<double, 3>& spacing, double qfac,
                                    const std::array<double, 3>& offset) {
  constexpr double kRounding = 3.6e-7;  // three times what a float32 cannot tell from 1
  const auto [b, c, d] = bcd;
  const double rest = 1 - (b * b + c * c + d * d);
  if (!(rest > -kRounding)) {
    return Error{Code::kInvalidArgument,
                 "the qform's quaternion is longer than 1 or not finite; write a valid qform"};
  }
  const double a = std::sqrt(rest < kRounding ? 0 : rest);
  const double s = 2 / (a * a + b * b + c * c + d * d);
  const Square rotation = {{{1 - s * (c * c + d * d), s * (b * c - d * a), s * (b * d + c * a)},
                            {s * (b * c + d * a), 1 - s * (b * b + d * d), s * (c * d - b * a)},
                            {s * (b * d - c * a), s * (c * d + b * a), 1 - s * (b * b + c * c)}}};
  Affine affine;
  for (std::size_t row = 0; row < 3; ++row) {
    affine[row] = {rotation[row][0] * spacing[0], rotation[row][1] * spacing[1],
                   rotation[row][2] * spacing[2] * qfac, offset[row]};
  }
  return affine;
}

}  // namespace braid
