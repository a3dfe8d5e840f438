// Stacking: a linear model on the log probabilities of the parts (Wolpert 1992).
//   p = softmax(W [a_m log p_m ; a] + b)        a_m = 1 where part m is present, else 0
// It can learn which part to believe about which class. Unstable on few rows: `braid fit` shrinks
// it, and fits it on predictions that their models were not fitted on.
//
// fitted.json: {"weight": [[…], …], "bias": […], "absent": 0}
//   weight  one row a class; columns: the classes of the first input, of the second …, in the
//           order of the node's inputs, then one presence indicator an input
//   absent  what stands for each log probability of an absent part; 0 unless said otherwise

#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "fusion/fitted_values.h"
#include "fusion/fusion_op.h"
#include "fusion/log_pool.h"
#include "tensor/softmax.h"

namespace braid {
namespace {

struct Fit {
  std::vector<FusionInput> inputs;
  std::size_t class_count = 0;
  std::vector<std::vector<double>> weight;
  std::vector<double> bias;
  double absent = 0;
};

class Stacking final : public FusionOp {
 public:
  explicit Stacking(Fit fit) : fit_(std::move(fit)) {}

  Result<Opinion> combine(std::span<const Part> parts) const override {
    BRAID_TRY(const auto present, present_probabilities(parts));

    const std::span<const std::size_t> shape = present.front().probabilities.shape;
    if (shape[1] != fit_.class_count) {
      return Error{Code::kInvalidArgument,
                   fmt::format("parts speak of {} classes, stacking was fitted on {}", shape[1],
                               fit_.class_count)};
    }
    std::vector<const PresentPart*> by_input(fit_.inputs.size());
    for (const PresentPart& part : present) {
      BRAID_TRY(const std::size_t index, input_index(fit_.inputs, part.name));
      by_input[index] = &part;
    }
    std::vector<double> scores;
    for (std::size_t row = 0; row < shape[0]; ++row) {
      add_scores(features_of(by_input, row), scores);
    }
    BRAID_TRY(Tensor probabilities, Tensor::from(shape, normalised(scores, fit_.class_count)));
    return Opinion{std::move(probabilities), {}};
  }

 private:
  std::vector<double> features_of(std::span<const PresentPart* const> by_input,
                                  std::size_t row) const {
    std::vector<double> features;
    for (const PresentPart* part : by_input) {
      for (std::size_t c = 0; c < fit_.class_count; ++c) {
        features.push_back(
            part == nullptr
                ? fit_.absent
                : static_cast<double>(floored_log(
                      part->probabilities.values<float>()[row * fit_.class_count + c])));
      }
    }
    for (const PresentPart* part : by_input) {
      features.push_back(part == nullptr ? 0 : 1);
    }
    return features;
  }

  void add_scores(std::span<const double> features, std::vector<double>& scores) const {
    for (std::size_t c = 0; c < fit_.class_count; ++c) {
      double score = fit_.bias[c];
      for (std::size_t i = 0; i < features.size(); ++i) {
        score += fit_.weight[c][i] * features[i];
      }
      scores.push_back(score);
    }
  }

  const Fit fit_;
};

Result<std::unique_ptr<FusionOp>> make(const FusionSetup& setup) {
  if (const Result<void> done = setup.settings.finish(); !done.has_value()) {
    return done.error();
  }
  Fit fit;
  fit.inputs = setup.inputs;
  fit.class_count = setup.classes.size();
  BRAID_TRY(const Json* weight, fitted_key(setup, "stacking", "weight"));
  BRAID_TRY(const Json* bias, fitted_key(setup, "stacking", "bias"));
  const std::size_t column_count = fit.inputs.size() * (fit.class_count + 1);
  if (weight->list() == nullptr || weight->list()->size() != fit.class_count) {
    return Error{Code::kInvalidArgument,
                 fmt::format("fitted 'weight' is not a list of {} rows, one a class; run `braid "
                             "fit` again",
                             fit.class_count)};
  }
  for (const Json& row : *weight->list()) {
    BRAID_TRY(std::vector<double> numbers, fitted_list(row, "weight", column_count));
    fit.weight.push_back(std::move(numbers));
  }
  BRAID_TRY(fit.bias, fitted_list(*bias, "bias", fit.class_count));
  if (const Json* absent = setup.fitted.find("absent"); absent != nullptr) {
    if (!absent->is_number() || !std::isfinite(absent->number())) {
      return Error{Code::kInvalidArgument,
                   "fitted 'absent' is no finite number; run `braid fit` again"};
    }
    fit.absent = absent->number();
  }
  return std::unique_ptr<FusionOp>(std::make_unique<Stacking>(std::move(fit)));
}

}  // namespace

void register_stacking(Registry<FusionOp>& registry) { registry.add("stacking", make); }

}  // namespace braid
