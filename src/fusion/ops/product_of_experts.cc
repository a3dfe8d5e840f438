// Product of experts: a class is as likely as all present parts together make it.
//   log p(c) = sum of log p_m(c) - (M - 1) · log prior(c), normalised     (Hinton 2002, eq. 1)
// over the M present parts. The prior, which each part has counted in, stays in once. Exact when
// the parts are independent given the class; parts that agree for the same reason are counted
// twice, so calibrate what comes out.
//   prior: true     false leaves the correction out; without a fitted prior there is none

#include <memory>
#include <utility>

#include "fusion/fusion_op.h"
#include "fusion/log_pool.h"

namespace braid {
namespace {

class ProductOfExperts final : public FusionOp {
 public:
  /// No correction when `prior` is empty.
  explicit ProductOfExperts(std::vector<double> prior) : prior_(std::move(prior)) {}

  Result<Opinion> combine(std::span<const Part> parts) const override {
    BRAID_TRY(const auto present, present_probabilities(parts));

    const TensorView& first = present.front().probabilities;
    LogPool pool(first.shape);
    for (const PresentPart& part : present) {
      pool.add(1, part.probabilities);
    }
    if (!prior_.empty()) {
      const double weight = 1 - static_cast<double>(present.size());
      if (const Result<void> added = pool.add_prior(weight, prior_); !added.has_value()) {
        return added.error();
      }
    }
    return pool.opinion();
  }

 private:
  const std::vector<double> prior_;
};

Result<std::unique_ptr<FusionOp>> make(const FusionSetup& setup) {
  BRAID_TRY(const bool corrects, setup.settings.flag("prior", true));
  if (const Result<void> done = setup.settings.finish(); !done.has_value()) {
    return done.error();
  }
  BRAID_TRY(std::vector<double> prior, prior_of(setup, corrects));
  return std::unique_ptr<FusionOp>(std::make_unique<ProductOfExperts>(std::move(prior)));
}

}  // namespace

void register_product_of_experts(Registry<FusionOp>& registry) {
  registry.add("product_of_experts", make);
}

}  // namespace braid
