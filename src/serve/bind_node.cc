#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "serve/binding.h"

namespace braid {
namespace {

const Branch* find_branch(const Pipeline& pipeline, std::string_view name) {
  for (const Branch& branch : pipeline.branches) {
    if (branch.config.name == name) {
      return &branch;
    }
  }
  return nullptr;
}

const FusionNode* find_node(const Pipeline& pipeline, std::string_view name) {
  for (const FusionNode& node : pipeline.nodes) {
    if (node.config.name == name) {
      return &node;
    }
  }
  return nullptr;
}

/// A head's file says on which spaces it was fitted: "braid.space.image".
Spaces spaces_of(const LoadedModel& head) {
  constexpr std::string_view kPrefix = "braid.space.";
  Spaces spaces;
  for (const auto& [key, value] : head.spec().metadata) {
    if (key.starts_with(kPrefix)) {
      spaces[key.substr(kPrefix.size())] = value;
    }
  }
  return spaces;
}

Result<void> check_spaces(const NodeConfig& node, const std::string& fitted_thing,
                          const Spaces& spaces, const Pipeline& pipeline) {
  for (const auto& [branch_name, space] : spaces) {
    const Branch* branch = find_branch(pipeline, branch_name);
    std::set<std::string> known;
    if (branch != nullptr) {
      for (const Variant& variant : branch->variants) {
        known.insert(variant.config.space);
      }
    }
    if (!space.empty() && !known.contains(space)) {
      return node.settings.yaml().error(fmt::format(
          "{} was fitted on space '{}' of branch '{}', which has: {}; fit it again or name that "
          "space on a variant",
          fitted_thing, space, branch_name, fmt::join(known, ", ")));
    }
  }
  return {};
}

/// One input of a head: `<part>.<role>` or `<part>.present`.
Result<void> check_head_input(const NodeConfig& node, const std::string& model,
                              const TensorSpec& wanted, const Spaces& spaces,
                              const Pipeline& pipeline) {
  const std::size_t dot = wanted.name.rfind('.');
  const std::string part = wanted.name.substr(0, dot);
  const std::string role = dot == std::string::npos ? "" : wanted.name.substr(dot + 1);
  const auto error = [&](const std::string& what) {
    return node.settings.yaml().error(
        fmt::format("head '{}' wants {}, {}", model, to_string(wanted), what));
  };
  if (std::ranges::find(node.inputs, part) == node.inputs.end()) {
    return error(fmt::format("but node '{}' joins: {}", node.name, fmt::join(node.inputs, ", ")));
  }
  if (role == "present") {
    return {};
  }
  if (role == "probabilities" && gives_probabilities(pipeline, part)) {
    return {};
  }
  if (role != "embedding") {
    return error(fmt::format("but '{}' does not give it", part));
  }
  const Branch* branch = find_branch(pipeline, part);
  const auto space = spaces.find(part);
  const std::size_t width = branch != nullptr && space != spaces.end()
                                ? embedding_width(*branch, space->second)
                                : embedding_width(pipeline, part);
  const std::int64_t wanted_width = wanted.shape.size() == 2 ? wanted.shape[1] : 0;
  if (width == 0) {
    return error(fmt::format("but '{}' gives no embedding", part));
  }
  if (wanted_width >= 0 && wanted_width != static_cast<std::int64_t>(width)) {
    return error(fmt::format("but the embedding of '{}' is {} wide", part, width));
  }
  return {};
}

Result<FittedNode> bind_head(const NodeConfig& node, const std::string& model,
                             const Pipeline& pipeline, const PipelineParts& parts,
                             const Fitted& fitted) {
  FittedNode head;
  BRAID_TRY(head.head, open_model(model, node.settings.yaml(), parts.models, fitted));
  head.spaces = spaces_of(*head.head);
  BRAID_TRY_DO(check_spaces(node, fmt::format("head '{}'", model), head.spaces, pipeline));
  for (const TensorSpec& wanted : head.head->spec().inputs) {
    BRAID_TRY_DO(check_head_input(node, model, wanted, head.spaces, pipeline));
  }
  const auto class_count = static_cast<std::int64_t>(pipeline.config.classes.size());
  bool has_scores = false;
  for (const TensorSpec& output : head.head->spec().outputs) {
    const bool is_score = output.name == "logits" || output.name == "probabilities";
    has_scores = has_scores || is_score;
    if (is_score &&
        (output.shape.size() != 2 || (output.shape[1] >= 0 && output.shape[1] != class_count))) {
      return node.settings.yaml().error(
          fmt::format("head '{}' gives {}, but the decision has {} classes", model,
                      to_string(output), class_count));
    }
  }
  if (!has_scores) {
    return node.settings.yaml().error(
        fmt::format("head '{}' has no output named logits or probabilities", model));
  }
  if (const auto entries = fitted.nodes.find(node.name); entries != fitted.nodes.end()) {
    for (const FittedEntry& entry : entries->second) {
      if (entry.model == model) {
        head.temperature = entry.temperature;
      }
    }
  }
  return head;
}

Result<FittedNode> bind_op(const NodeConfig& node, const FittedEntry& entry,
                           const Pipeline& pipeline, const PipelineParts& parts,
                           const std::vector<double>& prior) {
  FusionSetup setup{.settings = node.settings,
                    .inputs = {},
                    .classes = pipeline.config.classes,
                    .fitted = entry.parameters,
                    .prior = prior};
  for (const std::string& input : node.inputs) {
    setup.inputs.push_back({input, embedding_width(pipeline, input)});
  }
  auto op = parts.fusion_ops.make(node.op, setup);
  if (!op.has_value()) {
    const Error& error = op.error();
    const bool is_placed = error.message.find(node.settings.yaml().where()) != std::string::npos;
    return is_placed
               ? error
               : Error{error.code, fmt::format("{}: node '{}': {}", node.settings.yaml().where(),
                                               node.name, error.describe())};
  }
  return FittedNode{entry.spaces, *std::move(op), nullptr, entry.temperature};
}

Result<void> check_op_inputs(const NodeConfig& node, const Pipeline& pipeline) {
  const bool joins_embeddings = node.op == "concat";
  for (const std::string& input : node.inputs) {
    const bool fits = joins_embeddings ? embedding_width(pipeline, input) > 0
                                       : gives_probabilities(pipeline, input);
    if (!fits) {
      return node.settings.yaml().error(fmt::format(
          "node '{}' joins {}, but '{}' gives none{}", node.name,
          joins_embeddings ? "embeddings" : "probabilities", input,
          joins_embeddings
              ? ""
              : "; put a head between: `{op: model, model: NAME, inputs: [" + input + "]}`"));
    }
  }
  return {};
}

}  // namespace

std::size_t embedding_width(const Pipeline& pipeline, const std::string& name) {
  if (const Branch* branch = find_branch(pipeline, name)) {
    for (const Variant& variant : branch->variants) {
      if (variant.embedding_width > 0) {
        return variant.embedding_width;
      }
    }
    return 0;
  }
  const FusionNode* node = find_node(pipeline, name);
  return node != nullptr ? node->embedding_width : 0;
}

bool gives_probabilities(const Pipeline& pipeline, const std::string& name) {
  if (const Branch* branch = find_branch(pipeline, name)) {
    return std::ranges::all_of(branch->variants, [](const Variant& variant) {
      return variant.logits.has_value() || variant.probabilities.has_value();
    });
  }
  const FusionNode* node = find_node(pipeline, name);
  return node != nullptr && node->config.op != "concat";
}

std::vector<std::string> branches_below(const Pipeline& pipeline, const std::string& name) {
  if (const FusionNode* node = find_node(pipeline, name)) {
    return node->branches;
  }
  return {name};
}

Result<FusionNode> bind_node(const NodeConfig& config, const Pipeline& pipeline,
                             const PipelineParts& parts, const Fitted& fitted) {
  FusionNode node{.config = config, .fits = {}, .branches = {}, .embedding_width = 0};
  std::set<std::string> below;
  for (const std::string& input : config.inputs) {
    const std::vector<std::string> names = branches_below(pipeline, input);
    below.insert(names.begin(), names.end());
  }
  node.branches.assign(below.begin(), below.end());
  if (config.op == "model") {
    for (const std::string& model : config.models) {
      BRAID_TRY(FittedNode head, bind_head(config, model, pipeline, parts, fitted));
      node.fits.push_back(std::move(head));
    }
    if (config.models.empty()) {
      return config.settings.error("model", "name the head's model");
    }
    return node;
  }
  BRAID_TRY_DO(check_op_inputs(config, pipeline));
  const auto entries = fitted.nodes.find(config.name);
  std::vector<FittedEntry> unfitted(1);
  for (const FittedEntry& entry : entries != fitted.nodes.end() ? entries->second : unfitted) {
    BRAID_TRY_DO(
        check_spaces(config, fmt::format("node '{}'", config.name), entry.spaces, pipeline));
    BRAID_TRY(FittedNode op, bind_op(config, entry, pipeline, parts, fitted.prior));
    node.fits.push_back(std::move(op));
  }
  if (config.op == "concat") {
    for (const std::string& input : config.inputs) {
      node.embedding_width += embedding_width(pipeline, input);
    }
  }
  return node;
}

}  // namespace braid
