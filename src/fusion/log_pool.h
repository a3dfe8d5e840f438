#pragma once
// LogPool: adds up weighted log probabilities, in FP64 so that the order of parts hardly matters,
// and turns the sums into probabilities.

#include <span>
#include <vector>

#include "fusion/fusion_op.h"

namespace braid {

class LogPool {
 public:
  /// For opinions of this shape, [rows, classes].
  explicit LogPool(std::span<const std::size_t> shape);

  /// log p += weight · log max(said, 1e-6). `said` has the pool's shape.
  void add(double weight, const TensorView& said);
  /// log p += weight · log max(prior, 1e-6) in each row. kInvalidArgument when the prior is of
  /// another number of classes.
  Result<void> add_prior(double weight, std::span<const double> prior);
  /// Each row normalised to sum 1.
  Result<Opinion> opinion() const;

 private:
  const Shape shape_;
  std::vector<double> scores_;
};

/// Log weights to probabilities in FP32; the largest becomes exp(0), so none overflows.
std::vector<float> normalised(std::span<const double> scores, std::size_t class_count);

/// The fitted prior, or none when there is none or `wanted` is false. kInvalidArgument when it does
/// not fit the classes.
Result<std::vector<double>> prior_of(const FusionSetup& setup, bool wanted);

}  // namespace braid
