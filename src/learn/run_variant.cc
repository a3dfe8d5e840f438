#include "learn/run_variant.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/file.h"
#include "learn/yaml_flow.h"
#include "serve/pool_rows.h"
#include "serve/variant_batch.h"
#include "tensor/rows.h"
#include "tensor/softmax.h"

namespace braid {
namespace {

/// Several rows, as of a long text's windows, become one as in serving.
Result<std::vector<float>> row_of(const NamedTensor& output, const Variant& variant,
                                  Tensor (*pool)(const Tensor&, Pool)) {
  const Tensor& tensor = output.tensor;
  if (tensor.dtype() != DType::kFp32 || tensor.shape().size() != 2 || tensor.row_count() < 1) {
    return Error{Code::kInvalidArgument,
                 fmt::format("variant '{}' gave {} {} {}, but FP32 [rows, width] is wanted",
                             variant.config.name, output.name, to_string(tensor.dtype()),
                             to_string(tensor.shape()))};
  }
  const Tensor row = pool(tensor, variant.config.pool);
  const auto values = row.values<float>();
  return std::vector<float>(values.begin(), values.end());
}

/// Only a table may hold NaN: it stands for a missing value. From a network it is a failure.
Result<void> check_finite(const std::vector<float>& values, const Variant& variant) {
  const bool finite = std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
  if (!finite) {
    return Error{Code::kInvalidArgument,
                 fmt::format("variant '{}' gave a number that is not finite", variant.config.name)};
  }
  return {};
}

Result<VariantSaid> read_outputs(const Variant& variant, const NamedTensors& outputs) {
  VariantSaid said;
  if (variant.embedding.has_value()) {
    BRAID_TRY(said.embedding, row_of(outputs[*variant.embedding], variant, pool_rows));
    if (variant.model != nullptr) {
      BRAID_TRY_DO(check_finite(said.embedding, variant));
    }
  }
  const auto scores = variant.logits.has_value() ? variant.logits : variant.probabilities;
  if (scores.has_value()) {
    BRAID_TRY(said.scores, row_of(outputs[*scores], variant,
                                  variant.logits.has_value() ? pool_rows : pool_probabilities));
    BRAID_TRY_DO(check_finite(said.scores, variant));
    for (float& score : said.scores) {
      score = variant.logits.has_value() ? score : floored_log(score);
    }
  }
  return said;
}

/// As many rows at once as the model takes.
Result<NamedTensors> run_in_pieces(const Model& model, const Batch& batch) {
  const std::size_t rows_max = std::max<std::size_t>(model.spec().rows_max, 1);
  std::vector<NamedTensors> pieces;
  for (std::size_t begin = 0; begin < batch.row_count; begin += rows_max) {
    Batch piece{{}, std::min(rows_max, batch.row_count - begin)};
    const bool is_whole = piece.row_count == batch.row_count;
    for (const auto& [name, tensor] : batch.inputs) {
      piece.inputs.push_back(
          {name, is_whole ? tensor.clone() : take_rows(tensor, begin, piece.row_count)});
    }
    BRAID_TRY(RowResults results, model.run(piece));
    if (!results.failures.empty()) {
      return results.failures.begin()->second;
    }
    if (is_whole) {
      return std::move(results.outputs);
    }
    pieces.push_back(std::move(results.outputs));
  }
  NamedTensors joined;
  for (std::size_t i = 0; i < pieces.front().size(); ++i) {
    std::vector<const Tensor*> parts;
    for (const NamedTensors& piece : pieces) {
      parts.push_back(&piece[i].tensor);
    }
    joined.push_back({pieces.front()[i].name, join_rows(parts)});
  }
  return joined;
}

}  // namespace

std::vector<std::size_t> input_indices(const Variant& variant, const Pipeline& pipeline) {
  std::vector<std::size_t> indices;
  for (const std::string& name : variant.config.inputs) {
    const auto found = std::ranges::find(pipeline.config.inputs, name, &InputConfig::name);
    BRAID_CHECK(found != pipeline.config.inputs.end());
    indices.push_back(static_cast<std::size_t>(found - pipeline.config.inputs.begin()));
  }
  return indices;
}

Result<VariantSaid> run_variant(const Variant& variant, const Pipeline& pipeline,
                                const std::vector<std::string>& raws) {
  const std::vector<std::size_t> indices = input_indices(variant, pipeline);
  std::vector<Encoded> encoded(pipeline.config.inputs.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    BRAID_TRY(encoded[indices[i]],
              pipeline.preprocessors[indices[i]]->encode(raws[i]).within(
                  fmt::format("input '{}'", pipeline.config.inputs[indices[i]].name)));
  }
  std::vector<const Encoded*> given;
  for (const Encoded& each : encoded) {
    given.push_back(&each);
  }
  BRAID_TRY(const Batch batch, variant_batch(variant, given));
  if (variant.model == nullptr) {
    return read_outputs(variant, batch.inputs);
  }
  BRAID_TRY(const NamedTensors outputs, run_in_pieces(*variant.model->model, batch));
  return read_outputs(variant, outputs);
}

Result<std::string> digest_of(const Variant& variant, const Pipeline& pipeline) {
  std::string text = "embedding 1\n";
  for (const std::size_t index : input_indices(variant, pipeline)) {
    const InputConfig& input = pipeline.config.inputs[index];
    const Settings& settings = input.settings;
    text += fmt::format("input {} {}\n", input.modality, yaml_flow(settings.yaml()));
    for (const std::string& name : files_named(settings.yaml(), settings.folder())) {
      BRAID_TRY(const std::string bytes, read_file(settings.folder() / name));
      text += fmt::format("file {} {}\n", name, sha256(bytes));
    }
  }
  for (const Variant::Feed& feed : variant.feeds) {
    text += fmt::format("feed {} {} {}\n", feed.model_input, feed.input_index, feed.tensor_index);
  }
  const auto role = [](const std::optional<std::size_t>& output) {
    return output.has_value() ? fmt::format("{}", *output) : std::string("none");
  };
  text += fmt::format("roles {} {} {}\n", role(variant.embedding), role(variant.logits),
                      role(variant.probabilities));
  if (variant.config.pool == Pool::kMax) {  // as before where nothing is said: caches stay
    text += "pool max\n";
  }
  text += fmt::format("model {}\n", variant.model == nullptr ? "none" : variant.model->digest);
  return sha256(text);
}

}  // namespace braid
