#pragma once
// Domain: where the embeddings of one space lay while fitting, so that a cat photo that is sent as
// an X-ray can be told from an X-ray. Written by `braid fit` (src/learn/domain_fit.h) beside
// pipeline.yaml and named in fitted.json: {"file": "domain0.one.enc.npy", "digest": "<sha256>",
// "distances": […]}. Threads: constant after construction.

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace braid {

/// y = (x − means) · factors and d²(x) = |y|² − |directions · y|², where NaN in x counts as its
/// mean. With the factors 1 ÷ (deviation · √rest) and directions eᵢ · √(1 − rest ÷ varianceᵢ) this
/// is the Mahalanobis distance under a covariance whose directions other than the eᵢ all have the
/// variance `rest`.
struct DomainNumbers {
  std::vector<double> means;       // [width]
  std::vector<double> factors;     // [width]
  std::vector<double> directions;  // [count, width]
  /// d² of training rows under numbers that were fitted without them: quantiles at equal steps from
  /// the least to the greatest, two at least.
  std::vector<double> distances;
};

class Domain {
 public:
  explicit Domain(const DomainNumbers& numbers);

  /// The file holds FP64 [2 + count, width]: means, factors, directions. kInvalidArgument when the
  /// entry or the file is not that, or the file is another than was fitted.
  static Result<Domain> open(const std::filesystem::path& folder, const Json& entry);

  std::size_t width() const { return means_.size(); }

  /// d² of one embedding of width() numbers. Marginal Mahalanobis distance: one Gaussian for all
  /// classes (Lee et al. 2018, section 2.1, without labels: Kamoi and Kobayashi 2020).
  double distance(std::span<const float> embedding) const;

  /// The share of training rows that are nearer than d², in [0, 1]; linear between two quantiles.
  double share_nearer(double distance) const;

  /// share_nearer(distance(embedding)).
  double score(std::span<const float> embedding) const;

 private:
  std::vector<double> means_;
  std::vector<double> factors_;
  std::size_t count_;
  std::vector<double> directions_;  // [width, count]: a column's numbers lie together
  std::vector<double> distances_;
};

}  // namespace braid
