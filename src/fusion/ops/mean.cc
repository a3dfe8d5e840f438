// Mean: every present part has the same weight. The linear opinion pool (Stone 1961).
//   p(c) = 1/M · sum over m of p_m(c)        m over the M present parts, c a class
// Right when the parts are about equally good: a weak one weighs as much as a strong one.

#include <memory>
#include <utility>
#include <vector>

#include "fusion/fusion_op.h"

namespace braid {
namespace {

class Mean final : public FusionOp {
 public:
  Result<Opinion> combine(std::span<const Part> parts) const override {
    BRAID_TRY(const auto present, present_probabilities(parts));

    const TensorView& first = present.front().probabilities;
    std::vector<double> sum(first.values<float>().size());
    for (const PresentPart& part : present) {
      const std::span<const float> said = part.probabilities.values<float>();
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += static_cast<double>(said[i]);
      }
    }
    std::vector<float> mean;
    for (const double each : sum) {
      mean.push_back(static_cast<float>(each / static_cast<double>(present.size())));
    }
    BRAID_TRY(Tensor probabilities, Tensor::from(first.shape, mean));
    return Opinion{std::move(probabilities), {}};
  }
};

Result<std::unique_ptr<FusionOp>> make(const FusionSetup& setup) {
  if (const Result<void> done = setup.settings.finish(); !done.has_value()) {
    return done.error();
  }
  return std::unique_ptr<FusionOp>(std::make_unique<Mean>());
}

}  // namespace

void register_mean(Registry<FusionOp>& registry) { registry.add("mean", make); }

}  // namespace braid
