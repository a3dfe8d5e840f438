#include "serve/pipeline_structure.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace braid {
namespace {

using Names = std::set<std::string>;

Error unknown_name(const Yaml& yaml, const char* kind, const std::string& name,
                   const Names& known) {
  const std::string nearest = nearest_word(name, known);
  return yaml.error(
      nearest.empty() ? fmt::format("no {} '{}'; there are: {}", kind, name, fmt::join(known, ", "))
                      : fmt::format("no {} '{}'; did you mean '{}'?", kind, name, nearest));
}

template <typename T>
Names names_of(const std::vector<T>& all) {
  Names names;
  for (const T& each : all) {
    names.insert(each.name);
  }
  return names;
}

/// Each input encodes its own bytes or those of an input that encodes its own.
Result<void> check_inputs(const PipelineConfig& config) {
  for (const InputConfig& input : config.inputs) {
    const InputConfig* source = config.input(input.from);
    if (source == nullptr) {
      return unknown_name(input.settings.yaml(), "input", input.from, names_of(config.inputs));
    }
    if (source->from != source->name) {
      return input.settings.error("from", fmt::format("'{}' is itself from '{}'; name that one",
                                                      source->name, source->from));
    }
  }
  return {};
}

Result<void> check_branches(const PipelineConfig& config, const Yaml& yaml) {
  const Names inputs = names_of(config.inputs);
  Names used;
  for (const BranchConfig& branch : config.branches) {
    for (const VariantConfig& variant : branch.variants) {
      if (variant.inputs.empty()) {
        return branch.yaml.error(fmt::format("branch '{}' names no inputs", branch.name));
      }
      for (const std::string& input : variant.inputs) {
        if (!inputs.contains(input)) {
          return unknown_name(variant.yaml, "input", input, inputs);
        }
        used.insert(config.input(input)->from);
      }
    }
  }
  if (config.branches.empty()) {
    return yaml.error("branches: name at least one, with its inputs and variants");
  }
  for (const std::string& raw : config.raw_inputs()) {
    if (!used.contains(raw)) {
      return config.input(raw)->settings.yaml().error(
          fmt::format("input '{}' feeds no branch; remove it or name it in one", raw));
    }
  }
  return {};
}

Result<void> check_node_names(const PipelineConfig& config) {
  Names known = names_of(config.branches);
  for (const NodeConfig& node : config.nodes) {
    if (!known.insert(node.name).second) {
      return node.settings.yaml().error(
          fmt::format("'{}' names a branch or node already", node.name));
    }
  }
  for (const NodeConfig& node : config.nodes) {
    if (node.inputs.empty()) {
      return node.settings.error("inputs", fmt::format("node '{}' joins nothing", node.name));
    }
    for (const std::string& input : node.inputs) {
      if (!known.contains(input)) {
        return unknown_name(node.settings.yaml(), "branch or fusion node", input, known);
      }
    }
  }
  return {};
}

/// Moves nodes whose inputs are all placed to the front, until none is left or none can move.
Result<void> sort_nodes(PipelineConfig& config) {
  Names placed = names_of(config.branches);
  std::vector<NodeConfig> sorted;
  std::vector<NodeConfig>& waiting = config.nodes;
  while (!waiting.empty()) {
    const auto ready = std::ranges::find_if(waiting, [&](const NodeConfig& node) {
      return std::ranges::all_of(node.inputs,
                                 [&](const std::string& input) { return placed.contains(input); });
    });
    if (ready == waiting.end()) {
      const Names cycle = names_of(waiting);
      return waiting.front().settings.yaml().error(
          fmt::format("fusion goes in a circle through: {}", fmt::join(cycle, ", ")));
    }
    placed.insert(ready->name);
    sorted.push_back(std::move(*ready));
    waiting.erase(ready);
  }
  config.nodes = std::move(sorted);
  return {};
}

/// One node is used by no other: the root, which is moved to the end. Everything else reaches it.
Result<void> find_root(PipelineConfig& config, const Yaml& yaml) {
  Names used;
  for (const NodeConfig& node : config.nodes) {
    used.insert(node.inputs.begin(), node.inputs.end());
  }
  for (const BranchConfig& branch : config.branches) {
    if (!used.contains(branch.name)) {
      return branch.yaml.error(
          fmt::format("branch '{}' does not reach the decision; name it in a fusion node's inputs",
                      branch.name));
    }
  }
  std::vector<std::string> roots;
  for (const NodeConfig& node : config.nodes) {
    if (!used.contains(node.name)) {
      roots.push_back(node.name);
    }
  }
  if (roots.size() != 1) {
    return yaml.error(
        fmt::format("fusion ends in several nodes ({}); join them in one", fmt::join(roots, ", ")));
  }
  const auto root = std::ranges::find(config.nodes, roots.front(), &NodeConfig::name);
  std::rotate(root, root + 1, config.nodes.end());
  return {};
}

void add_default_node(PipelineConfig& config, const Yaml& yaml) {
  const Yaml empty = *Yaml::parse("{}", yaml.where());
  NodeConfig node{.name = "decision",
                  .op = "mean",
                  .models = {},
                  .inputs = {},
                  .settings = Settings(empty, config.folder)};
  for (const BranchConfig& branch : config.branches) {
    node.inputs.push_back(branch.name);
  }
  config.nodes.push_back(std::move(node));
}

/// Variants are listed best first, so plan k of n takes each branch's variant n - 1 - k, or its
/// cheapest: plans come from cheap to full, and the last one is "full".
void add_default_plans(PipelineConfig& config, const Yaml& yaml) {
  std::size_t level_count = 1;
  for (const BranchConfig& branch : config.branches) {
    level_count = std::max(level_count, branch.variants.size());
  }
  for (std::size_t level = level_count; level-- > 0;) {
    PlanConfig plan{level == 0 ? "full" : fmt::format("level{}", level_count - level), {}, yaml};
    for (const BranchConfig& branch : config.branches) {
      plan.variants[branch.name] =
          branch.variants[std::min(level, branch.variants.size() - 1)].name;
    }
    config.plans.push_back(std::move(plan));
  }
}

Result<void> check_plans(const PipelineConfig& config) {
  constexpr std::size_t kPlansMax = 64;
  for (const PlanConfig& plan : config.plans) {
    if (plan.variants.empty()) {
      return plan.yaml.error(fmt::format("plan '{}' runs nothing", plan.name));
    }
    for (const auto& [branch_name, variant] : plan.variants) {
      const BranchConfig* branch = config.branch(branch_name);
      if (branch == nullptr) {
        return unknown_name(plan.yaml, "branch", branch_name, names_of(config.branches));
      }
      if (!names_of(branch->variants).contains(variant)) {
        return unknown_name(plan.yaml, "variant", variant, names_of(branch->variants));
      }
    }
  }
  if (config.plans.size() > kPlansMax) {
    return config.plans.back().yaml.error(fmt::format("more than {} plans", kPlansMax));
  }
  return {};
}

}  // namespace

Result<void> complete_structure(PipelineConfig& config, const Yaml& yaml) {
  BRAID_TRY_DO(check_inputs(config));
  BRAID_TRY_DO(check_branches(config, yaml));
  if (config.nodes.empty()) {
    add_default_node(config, yaml);
  }
  BRAID_TRY_DO(check_node_names(config));
  BRAID_TRY_DO(sort_nodes(config));
  BRAID_TRY_DO(find_root(config, yaml));
  if (config.plans.empty()) {
    add_default_plans(config, yaml);
  }
  return check_plans(config);
}

}  // namespace braid
