#pragma once
// L-BFGS: minimises a smooth function of many variables from its gradients (Nocedal and Wright
// 2006, algorithm 7.5), with a line search for the weak Wolfe conditions by bracketing and
// bisection (Lewis and Overton 2013, section 3), which never leaves the curvature condition unmet.
// Threads: pure; the objective is called on the calling thread.

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace braid {

/// Value at `x`; fills `gradient`, which has the length of `x`.
using Objective = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct LbfgsOptions {
  std::size_t iterations_max = 500;
  double gradient_max = 1e-5;  // done when no component of the gradient is larger
  std::size_t memory = 10;     // pairs of steps that stand in for the Hessian
};

struct LbfgsResult {
  std::vector<double> x;
  double value = 0;
  std::size_t iterations = 0;
  bool converged = false;  // false: iterations_max, or no step makes it smaller in doubles
};

LbfgsResult minimise(const Objective& objective, std::vector<double> start,
                     const LbfgsOptions& options = {});

}  // namespace braid
