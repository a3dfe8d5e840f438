// Reference: tiny models in plain C++, described by a file of a few lines, for tests, for the cost
// of the path around a model, and as the pattern of a backend (docs/add-a-runtime.md).
//
//   kind: linear                # y = x · weights + bias
//   weights: [[1, 0], [0, 1], [2, 2]]   # one list a column of x
//   bias: [0, 0.5]
// Other kinds give y = x: `identity` at once; `slow` after `steps` dependent additions a row, about
// a nanosecond each; `fail_row` fails each row that begins with `value`, `fail_batch` the batch
// that has one. All: `width` (of x, 1), `input` ("x"), `output` ("y"), `rows_max` (32), `metadata`.

#include <algorithm>

#include <fmt/format.h>

#include "base/yaml.h"
#include "model/check_batch.h"
#include "model/complete_spec.h"
#include "model/model.h"

namespace braid {
namespace {

constexpr const char* kPlatform = "reference";
constexpr std::int64_t kWidthMax = 1 << 20;

struct Reference {
  std::string kind;
  std::vector<std::vector<double>> weights;  // of linear: [width of x][width of y]
  std::vector<double> bias;
  double value = 0;
  std::int64_t steps = 0;
};

/// Additions that wait for each other. Their sum counts (times 0) in the answer, so that no
/// compiler leaves them out.
float delay(std::int64_t steps) {
  float sum = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    sum += 1.0F;
  }
  return sum;
}

class ReferenceModel final : public Model {
 public:
  ReferenceModel(Reference reference, ModelSpec spec)
      : reference_(std::move(reference)), spec_(std::move(spec)) {}

  const ModelSpec& spec() const override { return spec_; }

  Result<RowResults> run(const Batch& batch) const override {
    BRAID_TRY_DO(check_batch(spec_, batch));
    const Tensor& x = batch.inputs.front().tensor;
    RowResults results;
    if (reference_.kind == "linear") {
      BRAID_TRY(Tensor y, linear(x));
      results.outputs.push_back({spec_.outputs.front().name, std::move(y)});
      return results;
    }
    Tensor y = x.clone();
    const std::size_t width = x.shape()[1];
    for (std::size_t row = 0; row < x.row_count(); ++row) {
      float& first = y.mutable_values<float>()[row * width];
      if (reference_.kind.starts_with("fail_") && first == static_cast<float>(reference_.value)) {
        Error error{Code::kInvalidArgument,
                    fmt::format("row {} begins with {}", row, reference_.value)};
        if (reference_.kind == "fail_batch") {
          return error;
        }
        results.failures.emplace(row, std::move(error));
      }
      if (reference_.kind == "slow") {
        first += 0 * delay(reference_.steps);
      }
    }
    results.outputs.push_back({spec_.outputs.front().name, std::move(y)});
    return results;
  }

 private:
  Result<Tensor> linear(const Tensor& x) const {
    const std::size_t x_width = reference_.weights.size();
    const std::size_t y_width = reference_.bias.size();
    std::vector<float> y;
    y.reserve(x.row_count() * y_width);
    for (std::size_t row = 0; row < x.row_count(); ++row) {
      const std::span<const float> from = x.values<float>().subspan(row * x_width, x_width);
      for (std::size_t to = 0; to < y_width; ++to) {
        double sum = reference_.bias[to];
        for (std::size_t column = 0; column < x_width; ++column) {
          sum += static_cast<double>(from[column]) * reference_.weights[column][to];
        }
        y.push_back(static_cast<float>(sum));
      }
    }
    return Tensor::from(Shape{x.row_count(), y_width}, y);
  }

  const Reference reference_;
  const ModelSpec spec_;
};

Result<void> read_linear(const Settings& settings, Reference& into) {
  const Yaml* rows = settings.find("weights");
  if (rows == nullptr || rows->items().empty()) {
    return settings.error("weights", "a list with one list a column of x is wanted");
  }
  BRAID_TRY(into.bias, settings.numbers("bias", {}));
  for (const Yaml& row : rows->items()) {
    std::vector<double> weights;
    for (const Yaml& item : row.items()) {
      BRAID_TRY(const double weight, item.number());
      weights.push_back(weight);
    }
    if (weights.empty() || (!into.bias.empty() && weights.size() != into.bias.size()) ||
        (!into.weights.empty() && weights.size() != into.weights.front().size())) {
      return row.error("as many numbers as in the other lists and in bias are wanted");
    }
    into.weights.push_back(std::move(weights));
  }
  into.bias.resize(into.weights.front().size(), 0);
  return {};
}

Result<std::unique_ptr<Model>> read_model(const Settings& settings, const ModelConfig& config) {
  Reference reference;
  BRAID_TRY(reference.kind,
            settings.choice("kind", {"identity", "linear", "slow", "fail_row", "fail_batch"}, ""));
  BRAID_TRY(reference.value, settings.number("value", 0, -1e30, 1e30));
  BRAID_TRY(reference.steps, settings.integer("steps", 0, 0, std::int64_t{1} << 40));
  BRAID_TRY(std::int64_t width, settings.integer("width", 1, 1, kWidthMax));
  std::int64_t y_width = width;
  if (reference.kind == "linear") {
    BRAID_TRY_DO(read_linear(settings, reference));
    width = static_cast<std::int64_t>(reference.weights.size());
    y_width = static_cast<std::int64_t>(reference.bias.size());
  }
  BRAID_TRY(const std::string input, settings.text("input", "x"));
  BRAID_TRY(const std::string output, settings.text("output", "y"));
  BRAID_TRY(const std::int64_t rows_max,
            settings.integer("rows_max", static_cast<std::int64_t>(kRowsDefault), 1, 1 << 20));
  ModelSpec spec;
  spec.platform = kPlatform;
  spec.inputs = {{input, DType::kFp32, {-1, width}}};
  spec.outputs = {{output, DType::kFp32, {-1, y_width}}};
  spec.rows_max = static_cast<std::size_t>(rows_max);
  BRAID_TRY(const Settings metadata, settings.map("metadata"));
  for (const auto& [key, value] : metadata.yaml().entries()) {
    spec.metadata[key] = value.text();
  }
  BRAID_TRY_DO(settings.finish());
  BRAID_TRY(spec, complete_spec(std::move(spec), config).within(settings.yaml().where()));
  return std::unique_ptr<Model>(
      std::make_unique<ReferenceModel>(std::move(reference), std::move(spec)));
}

class ReferenceBackend final : public Backend {
 public:
  std::vector<std::string> file_names() const override { return {"model.reference.yaml"}; }

  Result<std::unique_ptr<Model>> open(const ModelSource& source) const override {
    BRAID_TRY(Yaml yaml, Yaml::read(source.file));
    return read_model(Settings(std::move(yaml), source.file.parent_path()), source.config);
  }
};

}  // namespace

void register_reference(Registry<Backend>& registry) {
  registry.add(kPlatform, [](const NoSetup&) -> Result<std::unique_ptr<Backend>> {
    return std::unique_ptr<Backend>(std::make_unique<ReferenceBackend>());
  });
}

}  // namespace braid
