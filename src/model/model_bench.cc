// What one run costs through each backend: a network of a few hundred multiplications, a forest of
// nine trees, and a model that does nothing.

#include <benchmark/benchmark.h>

#include "model/model.h"

namespace braid {
namespace {

std::unique_ptr<Model> open(const char* platform, const char* file) {
  Registry<Backend> registry("backend");
  register_model_backends(registry);
  return *(*registry.make(platform, {}))->open({file, {}});
}

void run_rows(benchmark::State& state, const Model& model) {
  const auto row_count = static_cast<std::size_t>(state.range(0));
  const TensorSpec& input = model.spec().inputs.front();
  const Shape shape = {row_count, static_cast<std::size_t>(input.shape.back())};
  Batch batch;
  batch.row_count = row_count;
  batch.inputs.push_back({input.name, *Tensor::zeros(input.dtype, shape)});
  for (auto _ : state) {
    benchmark::DoNotOptimize(model.run(batch).has_value());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void onnx_network(benchmark::State& state) {
  run_rows(state, *open("onnxruntime_onnx", "tests/data/model/onnx/mlp.onnx"));
}
BENCHMARK(onnx_network)->Arg(1)->Arg(32);

void xgboost_forest(benchmark::State& state) {
  run_rows(state, *open("xgboost", "tests/data/model/xgboost/multi.ubj"));
}
BENCHMARK(xgboost_forest)->Arg(1)->Arg(32);

void reference_identity(benchmark::State& state) {
  run_rows(state, *open("reference", "tests/data/model/reference/identity.yaml"));
}
BENCHMARK(reference_identity)->Arg(1)->Arg(32);

}  // namespace
}  // namespace braid

BENCHMARK_MAIN();
