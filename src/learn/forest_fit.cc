#include "learn/forest_fit.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "model/xgboost.h"
#include "tensor/rows.h"
#include "tensor/softmax.h"

namespace braid {
namespace {

using Indices = std::vector<std::size_t>;

/// The features of those rows in single precision, as they are served.
std::vector<float> features_of(const VariantRows& rows, const Indices& indices) {
  std::vector<float> features;
  for (const std::size_t i : indices) {
    for (const double value : rows.embedding.row(i)) {
      features.push_back(static_cast<float>(value));
    }
  }
  return features;
}

Result<std::string> train(const VariantRows& rows, const FitData& data, const Indices& training,
                          const ForestConfig& config, std::uint64_t seed) {
  const std::vector<float> features = features_of(rows, training);
  std::vector<float> labels;
  std::vector<float> weights;
  for (const std::size_t i : training) {
    labels.push_back(static_cast<float>(data.labels[i]));
    weights.push_back(static_cast<float>(data.weights[i]));
  }
  return train_xgboost({.column_count = rows.embedding.width,
                        .rows = features,
                        .labels = labels,
                        .weights = weights,
                        .class_count = data.classes.size(),
                        .round_count = static_cast<int>(config.rounds),
                        .depth_max = static_cast<int>(config.depth),
                        .learning_rate = config.rate,
                        .seed = static_cast<std::uint32_t>(seed)});
}

/// Through the very backend that serves; it opens files, so the forest goes through one.
Result<void> predict(const std::string& forest, const Registry<Backend>& backends,
                     const std::filesystem::path& scratch, const Indices& tested,
                     VariantRows& rows) {
  const std::filesystem::path file = scratch / "model.json";
  BRAID_TRY_DO(write_file(file, forest));
  BRAID_TRY(const auto backend, backends.make("xgboost", {}));
  BRAID_TRY(const auto model, backend->open({file, {}}));
  const std::size_t width = rows.embedding.width;
  BRAID_TRY(const Tensor features,
            Tensor::from(Shape{tested.size(), width}, features_of(rows, tested)));
  const std::size_t step = std::max<std::size_t>(model->spec().rows_max, 1);
  for (std::size_t begin = 0; begin < tested.size(); begin += step) {
    Batch batch{{}, std::min(step, tested.size() - begin)};
    batch.inputs.push_back(
        {model->spec().inputs.front().name, take_rows(features, begin, batch.row_count)});
    BRAID_TRY(const RowResults results, model->run(batch));
    const Tensor* probabilities = find_tensor(results.outputs, "probabilities");
    BRAID_CHECK(probabilities != nullptr);
    const auto values = probabilities->values<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      rows.scores.at(tested[begin + i / rows.scores.width], i % rows.scores.width) =
          static_cast<double>(floored_log(values[i]));
    }
  }
  return {};
}

Result<std::string> fit_forest(const ForestConfig& config, const FitSetup& setup,
                               const FitData& data, const Registry<Backend>& backends,
                               const std::filesystem::path& scratch, VariantRows& rows) {
  rows.scores = Matrix(data.row_count(), data.classes.size());
  Indices present;
  for (std::size_t fold = 0; fold < setup.config.options.folds; ++fold) {
    Indices training;
    Indices tested;
    for (std::size_t i = 0; i < data.row_count(); ++i) {
      if (rows.present[i]) {
        (data.folds[i] == fold ? tested : training).push_back(i);
      }
    }
    if (tested.empty() || training.empty()) {
      return Error{Code::kInvalidArgument,
                   "all rows that have its input are in one fold; it has too few to fit on"};
    }
    BRAID_TRY(const std::string forest,
              train(rows, data, training, config, setup.config.options.seed));
    BRAID_TRY_DO(predict(forest, backends, scratch, tested, rows));
    present.insert(present.end(), tested.begin(), tested.end());
  }
  std::ranges::sort(present);
  return train(rows, data, present, config, setup.config.options.seed);
}

}  // namespace

Result<std::map<std::string, std::string>> fit_forests(const FitSetup& setup, const FitData& data,
                                                       const Registry<Backend>& backends,
                                                       const std::filesystem::path& scratch,
                                                       const FitContext& context,
                                                       EmbeddedRows& embedded) {
  std::map<std::string, std::string> forests;
  std::size_t done = 0;
  for (std::size_t b = 0; b < setup.pipeline->branches.size(); ++b) {
    const std::vector<Variant>& variants = setup.pipeline->branches[b].variants;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const std::string& name = variants[v].config.name;
      const auto config = setup.config.forests.find(name);
      if (config == setup.config.forests.end()) {
        continue;
      }
      if (context.stopped()) {
        return Error{Code::kCancelled, "stopped before the forests were fitted"};
      }
      BRAID_TRY(forests[name],
                fit_forest(config->second, setup, data, backends, scratch, embedded[b][v])
                    .within(fmt::format("forest '{}'", name)));
      context.tell("growing forests", ++done, setup.config.forests.size());
    }
  }
  return forests;
}

}  // namespace braid
