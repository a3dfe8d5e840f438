#pragma once
// For the tests of single operators: one row of probabilities a part, numbers out.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fusion/fusion_op.h"

namespace braid {

/// An operator over inputs 'image', 'note' and 'record', or why there is none.
inline Result<std::unique_ptr<FusionOp>> make_op(const std::string& name, FusionSetup setup) {
  Registry<FusionOp> registry("fusion operator");
  register_fusion_ops(registry);
  if (setup.inputs.empty()) {
    setup.inputs = {{"image", 2}, {"note", 1}, {"record", 3}};
  }
  return registry.make(name, setup);
}

inline FusionSetup op_setup(const std::string& settings, const std::string& fitted = "null",
                            std::vector<double> prior = {}) {
  return {.settings = *Settings::parse(settings),
          .inputs = {},
          .classes = {"yes", "no"},
          .fitted = *Json::parse(fitted),
          .prior = std::move(prior)};
}

/// A part that owns its numbers.
class TestPart {
 public:
  TestPart(std::string name, const Shape& shape, const std::vector<float>& probabilities)
      : name_(std::move(name)), tensor_(*Tensor::from(shape, probabilities)) {}
  /// One row.
  TestPart(std::string name, const std::vector<float>& probabilities)
      : TestPart(std::move(name), {1, probabilities.size()}, probabilities) {}

  Part said() const { return {name_, Said{.probabilities = tensor_.view()}}; }
  Part embedded() const { return {name_, Said{.embedding = tensor_.view()}}; }

 private:
  std::string name_;
  Tensor tensor_;
};

inline Part absent(std::string name) { return {std::move(name), Absent{"not sent"}}; }

inline std::vector<float> probabilities_of(const FusionOp& op, const std::vector<Part>& parts) {
  const Opinion opinion = *op.combine(parts);
  const std::span<const float> values = opinion.probabilities->values<float>();
  return {values.begin(), values.end()};
}

}  // namespace braid
