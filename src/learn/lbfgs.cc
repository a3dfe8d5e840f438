#include "learn/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>

namespace braid {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& left, const Vector& right) {
  return std::inner_product(left.begin(), left.end(), right.begin(), 0.0);
}

/// to += factor · step
void add_scaled(Vector& to, double factor, const Vector& step) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] += factor * step[i];
  }
}

double largest(const Vector& vector) {
  double most = 0;
  for (const double value : vector) {
    most = std::max(most, std::abs(value));
  }
  return most;
}

struct Pair {
  Vector step;
  Vector change;     // of the gradient along the step
  double curvature;  // their product, positive
};

struct Point {
  Vector x;
  Vector gradient;
  double value = 0;
};

/// Minus the inverse Hessian, as the pairs tell it, times the gradient.
Vector direction_of(const Vector& gradient, const std::deque<Pair>& pairs) {
  Vector direction = gradient;
  Vector alphas(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    alphas[i] = dot(pairs[i].step, direction) / pairs[i].curvature;
    add_scaled(direction, -alphas[i], pairs[i].change);
  }
  const double scale = pairs.empty()
                           ? 1 / std::max(1.0, std::sqrt(dot(gradient, gradient)))
                           : pairs.back().curvature / dot(pairs.back().change, pairs.back().change);
  for (double& value : direction) {
    value *= scale;
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double beta = dot(pairs[i].change, direction) / pairs[i].curvature;
    add_scaled(direction, alphas[i] - beta, pairs[i].step);
  }
  for (double& value : direction) {
    value = -value;
  }
  return direction;
}

/// Moves `point` along `direction` to where both conditions hold. False when none is found, which
/// means that the function is flat there in double precision; `point` is then as it was.
bool search_line(const Objective& objective, const Vector& direction, Point& point) {
  constexpr double kDecrease = 1e-4;
  constexpr double kCurvature = 0.9;
  constexpr int kTriesMax = 50;
  const double slope = dot(point.gradient, direction);
  if (!(slope < 0)) {
    return false;
  }
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  double length = 1;
  Point next{point.x, Vector(point.x.size()), 0};
  for (int tries = 0; tries < kTriesMax; ++tries) {
    next.x = point.x;
    add_scaled(next.x, length, direction);
    next.value = objective(next.x, next.gradient);
    // A value that is no number counts as too long a step.
    if (!(next.value <= point.value + kDecrease * length * slope)) {
      high = length;
    } else if (dot(next.gradient, direction) < kCurvature * slope) {
      low = length;
    } else {
      point = std::move(next);
      return true;
    }
    length = std::isfinite(high) ? (low + high) / 2 : 2 * low;
  }
  return false;
}

}  // namespace

LbfgsResult minimise(const Objective& objective, Vector start, const LbfgsOptions& options) {
  Point point{std::move(start), {}, 0};
  point.gradient.resize(point.x.size());
  point.value = objective(point.x, point.gradient);
  std::deque<Pair> pairs;
  std::size_t iterations = 0;
  bool moved = true;
  while (largest(point.gradient) > options.gradient_max && iterations < options.iterations_max) {
    const Vector x_before = point.x;
    const Vector gradient_before = point.gradient;
    moved = search_line(objective, direction_of(point.gradient, pairs), point);
    if (!moved && pairs.empty()) {
      break;
    }
    ++iterations;
    if (!moved) {
      pairs.clear();  // the remembered curvature may be stale: once more, straight downhill
      continue;
    }
    Pair pair{point.x, point.gradient, 0};
    add_scaled(pair.step, -1, x_before);
    add_scaled(pair.change, -1, gradient_before);
    pair.curvature = dot(pair.step, pair.change);
    if (pair.curvature > 0) {
      pairs.push_back(std::move(pair));
    }
    if (pairs.size() > options.memory) {
      pairs.pop_front();
    }
  }
  const bool converged = largest(point.gradient) <= options.gradient_max;
  return {std::move(point.x), point.value, iterations, converged};
}

}  // namespace braid
