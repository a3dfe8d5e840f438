#include "learn/pipeline_text.h"

#include <fmt/format.h>

#include "learn/yaml_flow.h"

namespace braid {
namespace {

std::string list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    out += (out.empty() ? "" : ", ") + yaml_scalar(name);
  }
  return "[" + out + "]";
}

std::string map(const std::map<std::string, std::string>& entries) {
  std::string out;
  for (const auto& [key, value] : entries) {
    out += (out.empty() ? "" : ", ") + yaml_scalar(key) + ": " + yaml_scalar(value);
  }
  return "{" + out + "}";
}

/// What parse_variant fills in where nothing is said is left out again.
std::string variant_text(const VariantConfig& variant, const BranchConfig& branch, bool is_fitted) {
  const bool has_model = !variant.model.empty();
  std::string out = (has_model ? "model: " : "identity: ") +
                    yaml_scalar(has_model ? variant.model : variant.identity);
  const bool is_plain = has_model && variant.name == variant.model &&
                        variant.space == variant.name && variant.inputs == branch.inputs &&
                        variant.outputs.empty() && variant.feeds.empty() &&
                        variant.pool == Pool::kMean && !is_fitted;
  if (is_plain) {
    return yaml_scalar(variant.model);
  }
  if (variant.name != (has_model ? variant.model : variant.identity)) {
    out += ", name: " + yaml_scalar(variant.name);
  }
  if (variant.space != variant.name) {
    out += ", space: " + yaml_scalar(variant.space);
  }
  if (variant.inputs != branch.inputs) {
    out += ", inputs: " + list(variant.inputs);
  }
  if (!variant.outputs.empty()) {
    out += ", outputs: " + map(variant.outputs);
  }
  if (is_fitted) {
    out += ", feeds: {features: " + yaml_scalar(variant.identity) + "}";
  } else if (!variant.feeds.empty()) {
    out += ", feeds: " + map(variant.feeds);
  }
  if (variant.pool == Pool::kMax) {
    out += ", pool: max";
  }
  return "{" + out + "}";
}

/// What parse_domain fills in where nothing is said is left out again.
std::string domain_text(const DomainConfig& domain) {
  const DomainConfig usual;
  if (domain.above == usual.above && domain.makes_absent == usual.makes_absent) {
    return "";
  }
  return fmt::format(", out_of_domain: {{above: {}, absent: {}}}", domain.above,
                     domain.makes_absent);
}

std::string branches_text(const FitSetup& setup) {
  std::string out = "branches:\n";
  for (const BranchConfig& branch : setup.pipeline->config.branches) {
    std::string variants;
    for (const VariantConfig& variant : branch.variants) {
      variants += (variants.empty() ? "" : ", ") +
                  variant_text(variant, branch, setup.is_fitted_here(variant));
    }
    out += fmt::format("  {}: {{inputs: {}, variants: [{}]{}{}}}\n", yaml_scalar(branch.name),
                       list(branch.inputs), variants, branch.required ? ", required: true" : "",
                       domain_text(branch.out_of_domain));
  }
  return out;
}

/// The node's own settings, behind op, inputs and the heads' models.
std::string fusion_text(const PipelineText& parts) {
  std::string out = "fusion:\n";
  const std::vector<NodeConfig>& nodes = parts.setup.pipeline->config.nodes;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    std::vector<std::string> models;
    for (const HeadPlan& head : parts.heads) {
      if (head.node_index == n) {
        models.push_back(head.model);
      }
    }
    std::string line = "op: " + yaml_scalar(nodes[n].op);
    if (!models.empty()) {
      line += ", model: " + (models.size() == 1 ? yaml_scalar(models.front()) : list(models));
    }
    line += ", inputs: " + list(nodes[n].inputs);
    for (const auto& [key, value] : nodes[n].settings.yaml().entries()) {
      if (key != "op" && key != "inputs" && key != "model") {
        line += ", " + yaml_scalar(key) + ": " + yaml_flow(value);
      }
    }
    out += fmt::format("  {}: {{{}}}\n", yaml_scalar(nodes[n].name), line);
  }
  return out;
}

std::string plans_text(const PipelineText& parts) {
  if (parts.setup.config.plans.has_value()) {
    return "plans: " + yaml_flow(*parts.setup.config.plans) + "\n";
  }
  std::string out = "plans:\n";
  const std::vector<Branch>& branches = parts.setup.pipeline->branches;
  for (const PlanOutcome& plan : parts.plans) {
    std::string variants;
    for (std::size_t b = 0; b < branches.size(); ++b) {
      if (plan.pattern[b].has_value()) {
        const Branch& branch = branches[b];
        variants += (variants.empty() ? "" : ", ") + yaml_scalar(branch.config.name) + ": " +
                    yaml_scalar(branch.variants[*plan.pattern[b]].config.name);
      }
    }
    out += fmt::format("  {}: {{{}}}  # out of fold {:.1f} % right, {:.1f} core-ms\n",
                       yaml_scalar(plan.name), variants, 100 * plan.accuracy, plan.cost_core_ms);
  }
  return out;
}

std::string policy_text(const PipelineText& parts) {
  if (parts.setup.config.policy.has_value()) {
    return "policy: " + yaml_flow(*parts.setup.config.policy) + "\n";
  }
  if (parts.cascade.answer_above.empty()) {
    return fmt::format("policy: {{kind: fixed, plan: {}}}\n",
                       yaml_scalar(parts.plans[parts.cascade.steps.front()].name));
  }
  std::vector<std::string> steps;
  for (const std::size_t step : parts.cascade.steps) {
    steps.push_back(parts.plans[step].name);
  }
  std::string thresholds;
  for (const double threshold : parts.cascade.answer_above) {
    thresholds += (thresholds.empty() ? "" : ", ") + fmt::format("{:.4f}", threshold);
  }
  return fmt::format("policy: {{kind: cascade, steps: {}, answer_above: [{}]}}\n", list(steps),
                     thresholds);
}

}  // namespace

std::string pipeline_text(const PipelineText& parts) {
  const PipelineConfig& config = parts.setup.pipeline->config;
  std::string out = fmt::format(
      "# Written by `braid fit {}`; fitted.json beside it holds the numbers. Edit that file and\n"
      "# fit again, or this one, as long as spaces and classes stay.\n",
      parts.setup.config.file.filename().string());
  out +=
      fmt::format("name: {}\nversion: {}\n", yaml_scalar(config.name), yaml_scalar(config.version));
  out += "decision: {classes: " + list(config.classes) + "}\ninputs:\n";
  const auto rename = [&parts](const std::string& text) {
    const auto renamed = parts.files.find(text);
    return renamed == parts.files.end() ? text : renamed->second;
  };
  for (const InputConfig& input : config.inputs) {
    out += fmt::format("  {}: {}\n", yaml_scalar(input.name),
                       yaml_flow(input.settings.yaml(), rename));
  }
  out += branches_text(parts.setup) + fusion_text(parts) + plans_text(parts) + policy_text(parts);
  if (parts.setup.config.limits.has_value()) {
    out += "limits: " + yaml_flow(*parts.setup.config.limits) + "\n";
  }
  return out;
}

}  // namespace braid
