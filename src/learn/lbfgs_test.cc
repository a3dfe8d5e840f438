#include "learn/lbfgs.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

// Rosenbrock's valley has its minimum, 0, at (1, 1) (Rosenbrock 1960); straight descent creeps
// there.
TEST(Lbfgs, FollowsRosenbrocksValleyToItsEnd) {
  const auto valley = [](std::span<const double> x, std::span<double> gradient) {
    const double a = 1 - x[0];
    const double b = x[1] - x[0] * x[0];
    gradient[0] = -2 * a - 400 * x[0] * b;
    gradient[1] = 200 * b;
    return a * a + 100 * b * b;
  };

  const LbfgsResult found = minimise(valley, {-1.2, 1}, {.gradient_max = 1e-9});

  EXPECT_TRUE(found.converged);
  EXPECT_THAT(found.x, ElementsAre(DoubleNear(1, 1e-7), DoubleNear(1, 1e-7)));
  EXPECT_LT(found.iterations, 60U);  // straight descent takes thousands
}

// A convex quadratic ½ Σ kᵢ (xᵢ − i)² with curvatures from 1 to 10⁴ has its minimum at xᵢ = i.
TEST(Lbfgs, MinimisesAnIllConditionedQuadratic) {
  const auto bowl = [](std::span<const double> x, std::span<double> gradient) {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double k = std::pow(10, 4.0 * static_cast<double>(i) / 49);
      const double away = x[i] - static_cast<double>(i);
      gradient[i] = k * away;
      value += k * away * away / 2;
    }
    return value;
  };

  const LbfgsResult found =
      minimise(bowl, std::vector<double>(50), {.iterations_max = 5000, .gradient_max = 1e-8});

  EXPECT_TRUE(found.converged);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_NEAR(found.x[i], static_cast<double>(i), 1e-7);
  }
}

TEST(Lbfgs, SaysWhenItsIterationsEnd) {
  const auto slope = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = std::exp(x[0]);
    return std::exp(x[0]);
  };

  const LbfgsResult found = minimise(slope, {0}, {.iterations_max = 3, .gradient_max = 0});

  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.iterations, 3U);
}

// Beyond 1 the function is not defined; a step into the undefined must be taken back.
TEST(Lbfgs, ShortensAStepThatLeavesTheDomain) {
  const auto barrier = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = -4 + 1 / (1 - x[0]);
    return -4 * x[0] - std::log(1 - x[0]);
  };

  const LbfgsResult found = minimise(barrier, {0}, {.gradient_max = 1e-9});

  EXPECT_THAT(found.x, ElementsAre(DoubleNear(0.75, 1e-8)));  // where 4 = 1 / (1 − x)
}

}  // namespace
}  // namespace braid
