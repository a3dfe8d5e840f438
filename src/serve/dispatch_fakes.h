#pragma once
// Models for the dispatcher's tests and benchmark: what a run does is a function of the test.

#include <functional>
#include <memory>
#include <utility>

#include "model/store.h"

namespace braid {

class FakeModel final : public Model {
 public:
  using Run = std::function<Result<RowResults>(const Batch&)>;

  FakeModel(ModelSpec spec, Run run) : spec_(std::move(spec)), run_(std::move(run)) {}
  const ModelSpec& spec() const override { return spec_; }
  Result<RowResults> run(const Batch& batch) const override { return run_(batch); }

 private:
  const ModelSpec spec_;
  const Run run_;
};

/// Input "x" and output "y", both FP32 [-1, -1].
inline LoadedModel fake_loaded(FakeModel::Run run, std::size_t rows_max = 1024,
                               ModelConfig config = {}) {
  ModelSpec spec;
  spec.platform = "fake";
  spec.inputs = {{"x", DType::kFp32, {-1, -1}}};
  spec.outputs = {{"y", DType::kFp32, {-1, -1}}};
  spec.rows_max = rows_max;
  LoadedModel loaded;
  loaded.name = "fake";
  loaded.config = std::move(config);
  loaded.model = std::make_unique<FakeModel>(std::move(spec), std::move(run));
  return loaded;
}

inline ModelHandle fake_model(FakeModel::Run run, std::size_t rows_max = 1024,
                              ModelConfig config = {}) {
  return std::make_shared<const LoadedModel>(
      fake_loaded(std::move(run), rows_max, std::move(config)));
}

/// y = 2 · x.
inline Result<RowResults> twice(const Batch& batch) {
  Tensor y = batch.inputs.front().tensor.clone();
  for (float& value : y.mutable_values<float>()) {
    value *= 2;
  }
  RowResults results;
  results.outputs.push_back({"y", std::move(y)});
  return results;
}

/// One input "x" of shape [values.size() / width, width].
inline NamedTensors fake_inputs(const std::vector<float>& values, std::size_t width = 1) {
  NamedTensors inputs;
  inputs.push_back({"x", *Tensor::from(Shape{values.size() / width, width}, values)});
  return inputs;
}

}  // namespace braid
