#include "learn/linear_fit.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "learn/raw_inputs.h"
#include "learn/run_variant.h"
#include "learn/sparse_logistic.h"
#include "model/onnx_writer.h"

namespace braid {
namespace {

using Indices = std::vector<std::size_t>;

/// Of 25 million numbers; with the 8 bytes of each that is 200 MB.
constexpr std::size_t kCellsMax = 25'000'000;

class LinearFit {
 public:
  LinearFit(const Variant& variant, const FitSetup& setup, const FitData& data,
            const Manifest& manifest, const FitContext& context)
      : variant_(variant),
        setup_(setup),
        data_(data),
        manifest_(manifest),
        context_(context),
        rows_(variant.embedding_width) {}

  Result<std::string> run(VariantRows& said) {
    BRAID_TRY_DO(read_rows(said));
    said.scores = Matrix(data_.row_count(), data_.classes.size());
    Indices all;
    for (std::size_t fold = 0; fold < setup_.config.options.folds; ++fold) {
      Indices training;
      Indices tested;
      for (std::size_t i = 0; i < data_.row_count(); ++i) {
        if (said.present[i]) {
          (data_.folds[i] == fold ? tested : training).push_back(i);
        }
      }
      if (tested.empty() || training.empty()) {
        return Error{Code::kInvalidArgument,
                     "all rows that have its input are in one fold; it has too few to fit on"};
      }
      BRAID_TRY(const SparseLogistic fitted, fit(training));
      for (const std::size_t i : tested) {
        fitted.logits(rows_, i, said.scores.row(i));
      }
      all.insert(all.end(), tested.begin(), tested.end());
    }
    std::ranges::sort(all);
    BRAID_TRY(const SparseLogistic fitted, fit(all));
    return write(fitted);
  }

 private:
  Result<SparseLogistic> fit(const Indices& chosen) {
    context_.tell(fmt::format("fitting {}", variant_.config.name), fits_++,
                  setup_.config.options.folds + 1);
    if (context_.stopped()) {
      return Error{Code::kCancelled, "stopped before it was fitted"};
    }
    SparseLogistic fitted =
        fit_sparse_logistic({rows_, chosen, data_.labels, data_.weights, data_.classes.size()},
                            {.strength = setup_.config.linears.at(variant_.config.name).strength});
    if (!fitted.converged && context_.warn) {
      context_.warn(
          fmt::format("'{}' had not converged when its iterations ended", variant_.config.name));
    }
    return fitted;
  }

  Result<void> read_rows(VariantRows& said) {
    const std::vector<std::string> names = raw_names(variant_, *setup_.pipeline);
    std::vector<double> times;
    for (std::size_t i = 0; i < data_.row_count(); ++i) {
      const ManifestRow& row = *data_.rows[i];
      auto added =
          add_row(row, names, times)
              .within(fmt::format("{}:{}: row '{}'", manifest_.file.string(), row.line, row.id));
      if (!added.has_value() && (!context_.skip_bad || added.error().code == Code::kUnavailable)) {
        return std::move(added).error();
      }
      if (!added.has_value() && context_.warn) {
        context_.warn(added.error().describe() + "; taken as absent");
      }
      said.present.push_back(added.has_value() && *added);
      if (!said.present.back()) {
        rows_.add_row(std::vector<float>(rows_.width()));
      }
      if (context_.stopped()) {
        return Error{Code::kCancelled, "stopped before it was fitted"};
      }
    }
    if (!times.empty()) {
      std::ranges::nth_element(times,
                               times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
      said.milliseconds = times[times.size() / 2];
    }
    return {};
  }

  /// Whether the row has the input.
  Result<bool> add_row(const ManifestRow& row, const std::vector<std::string>& names,
                       std::vector<double>& times) {
    BRAID_TRY(const auto raws, load_raws(row, names));
    if (!raws.has_value()) {
      return false;
    }
    const TimePoint begun = context_.clock.now();
    BRAID_TRY(const VariantSaid said, run_variant(variant_, *setup_.pipeline, *raws));
    const std::chrono::duration<double, std::milli> took = context_.clock.now() - begun;
    times.push_back(took.count());
    for (const float value : said.embedding) {
      if (!std::isfinite(value)) {
        return Error{Code::kInvalidArgument,
                     "a feature is no number; `fit: linear` has no place for missing values"};
      }
    }
    rows_.add_row(said.embedding);
    if (rows_.cell_count() > kCellsMax) {
      return Error{Code::kUnavailable,
                   fmt::format("more than {} features that are not 0; use an embedding and a head "
                               "for dense features, or fewer columns",
                               kCellsMax)};
    }
    return true;
  }

  Result<std::string> write(const SparseLogistic& fitted) const {
    const std::size_t width = rows_.width();
    const std::size_t classes = data_.classes.size();
    const auto floats = [](const std::vector<double>& values) {
      return std::vector<float>(values.begin(), values.end());
    };
    OnnxGraph graph("linear");
    const std::string x =
        graph.input({"features", DType::kFp32, {-1, static_cast<std::int64_t>(width)}});
    const std::string product =
        graph.node("MatMul", {x, graph.constant({width, classes}, floats(fitted.weights.values))});
    const std::string logits =
        graph.node("Add", {product, graph.constant({1, classes}, floats(fitted.bias))});
    graph.output({"logits", DType::kFp32, {-1, static_cast<std::int64_t>(classes)}}, logits);
    return graph.serialise();
  }

  const Variant& variant_;
  const FitSetup& setup_;
  const FitData& data_;
  const Manifest& manifest_;
  const FitContext& context_;
  SparseMatrix rows_;  // empty ones where a row lacks the input
  std::size_t fits_ = 0;
};

}  // namespace

Result<std::map<std::string, std::string>> fit_linears(const FitSetup& setup, const FitData& data,
                                                       const Manifest& manifest,
                                                       const FitContext& context,
                                                       EmbeddedRows& embedded) {
  std::map<std::string, std::string> models;
  for (std::size_t b = 0; b < setup.pipeline->branches.size(); ++b) {
    const std::vector<Variant>& variants = setup.pipeline->branches[b].variants;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const std::string& name = variants[v].config.name;
      if (setup.config.linears.contains(name)) {
        LinearFit fit(variants[v], setup, data, manifest, context);
        BRAID_TRY(models[name],
                  fit.run(embedded[b][v]).within(fmt::format("linear variant '{}'", name)));
      }
    }
  }
  return models;
}

}  // namespace braid
