// Weighted vote: each part counts as much as it deserves.
//   log:    log p(c) = s · sum of w_m log p_m(c) - (s · W - 1) · log prior(c), normalised
//   linear: p(c) = sum of w_m p_m(c) / W
// over the present parts, W the sum of their weights. The log-linear pool (Genest and Zidek 1986,
// section 3.2) is the product of experts with weights; learned ones are below 1 where parts repeat
// each other. With a part absent the sum shrinks and the answer becomes less sure than what is left
// deserves: s = (W of all inputs / W)^restore gives a share of that back.
//   weights: {image: 0.7, text: 0.5}   instead of those that `braid fit` writes
//   pool: log                          or linear
//   restore: 0.5                       0: nothing, 1: all          (log only)
//   prior: false                       true corrects by the fitted prior   (log only)

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "fusion/fitted_values.h"
#include "fusion/fusion_op.h"
#include "fusion/log_pool.h"

namespace braid {
namespace {

struct Options {
  std::vector<FusionInput> inputs;
  std::vector<double> weights;  // of the inputs
  bool is_linear = false;
  double restore = 0.5;
  std::vector<double> prior;  // empty: no correction
};

class WeightedVote final : public FusionOp {
 public:
  explicit WeightedVote(Options options)
      : options_(std::move(options)), weight_all_(sum_of(options_.weights)) {}

  Result<Opinion> combine(std::span<const Part> parts) const override {
    BRAID_TRY(const auto present, present_probabilities(parts));
    std::vector<double> weights;
    for (const PresentPart& part : present) {
      BRAID_TRY(const std::size_t index, input_index(options_.inputs, part.name));
      weights.push_back(options_.weights[index]);
    }
    double weight_sum = sum_of(weights);
    double restored = std::pow(weight_all_ / weight_sum, options_.restore);
    if (weight_sum == 0) {
      // Parts that weigh nothing are heard, all alike, when nobody else is there.
      std::ranges::fill(weights, 1.0 / static_cast<double>(weights.size()));
      weight_sum = restored = 1;
    }
    return options_.is_linear ? linear(present, weights, weight_sum)
                              : log_linear(present, weights, restored);
  }

 private:
  static double sum_of(std::span<const double> weights) {
    double sum = 0;
    for (const double weight : weights) {
      sum += weight;
    }
    return sum;
  }

  static Result<Opinion> linear(std::span<const PresentPart> present,
                                std::span<const double> weights, double weight_sum) {
    const TensorView& first = present.front().probabilities;
    std::vector<double> sum(first.values<float>().size());
    for (std::size_t m = 0; m < present.size(); ++m) {
      const std::span<const float> said = present[m].probabilities.values<float>();
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += weights[m] / weight_sum * static_cast<double>(said[i]);
      }
    }
    std::vector<float> pooled;
    for (const double each : sum) {
      pooled.push_back(static_cast<float>(each));
    }
    BRAID_TRY(Tensor probabilities, Tensor::from(first.shape, pooled));
    return Opinion{std::move(probabilities), {}};
  }

  Result<Opinion> log_linear(std::span<const PresentPart> present, std::span<const double> weights,
                             double restored) const {
    LogPool pool(present.front().probabilities.shape);
    for (std::size_t m = 0; m < present.size(); ++m) {
      pool.add(restored * weights[m], present[m].probabilities);
    }
    if (!options_.prior.empty()) {
      const double prior_weight = 1 - restored * sum_of(weights);
      if (const Result<void> added = pool.add_prior(prior_weight, options_.prior);
          !added.has_value()) {
        return added.error();
      }
    }
    return pool.opinion();
  }

  const Options options_;
  const double weight_all_;
};

Result<std::vector<double>> weights_from_settings(const FusionSetup& setup) {
  BRAID_TRY(const Settings settings, setup.settings.map("weights"));
  std::vector<double> weights;
  for (const FusionInput& input : setup.inputs) {
    if (settings.find(input.name) == nullptr) {
      return settings.error(input.name, "no weight for input '" + input.name + "'; add one");
    }
    BRAID_TRY(const double weight, settings.number(input.name, 0, 0, 1e6));
    weights.push_back(weight);
  }
  if (const Result<void> done = settings.finish(); !done.has_value()) {
    return done.error();
  }
  return weights;
}

Result<std::vector<double>> weights_for(const FusionSetup& setup) {
  if (setup.settings.find("weights") != nullptr) {
    return weights_from_settings(setup);
  }
  BRAID_TRY(const Json* fitted, fitted_key(setup, "weighted_vote", "weights"));
  return fitted_by_input(setup, *fitted, "weights");
}

Result<std::unique_ptr<FusionOp>> make(const FusionSetup& setup) {
  Options options;
  options.inputs = setup.inputs;
  BRAID_TRY(options.weights, weights_for(setup));
  if (std::ranges::any_of(options.weights, [](double weight) { return weight < 0; }) ||
      std::ranges::all_of(options.weights, [](double weight) { return weight == 0; })) {
    return Error{Code::kInvalidArgument,
                 "weights are 0 or more, and one of them is more than 0; correct `weights`, or run "
                 "`braid fit` again"};
  }
  BRAID_TRY(const std::string pool, setup.settings.choice("pool", {"log", "linear"}, "log"));
  options.is_linear = pool == "linear";
  if (!options.is_linear) {
    BRAID_TRY(options.restore, setup.settings.number("restore", 0.5, 0, 1));
    BRAID_TRY(const bool corrects, setup.settings.flag("prior", false));
    BRAID_TRY(options.prior, prior_of(setup, corrects));
  }
  if (const Result<void> done = setup.settings.finish(); !done.has_value()) {
    return done.error();
  }
  return std::unique_ptr<FusionOp>(std::make_unique<WeightedVote>(std::move(options)));
}

}  // namespace

void register_weighted_vote(Registry<FusionOp>& registry) { registry.add("weighted_vote", make); }

}  // namespace braid
