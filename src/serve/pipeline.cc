#include "serve/pipeline.h"

#include <fmt/format.h>

#include "serve/binding.h"

namespace braid {
namespace {

Result<Fitted> fitted_beside(const PipelineConfig& config) {
  const std::filesystem::path file = config.folder / "fitted.json";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return Fitted{};
  }
  BRAID_TRY(Fitted fitted, read_fitted(file));
  if (!fitted.classes.empty() && fitted.classes != config.classes) {
    return Error{Code::kInvalidArgument,
                 fmt::format("{}: fitted on other classes than pipeline.yaml names; run `braid "
                             "fit` again",
                             file.string())};
  }
  return fitted;
}

/// Adds the line of `yaml` to a message that does not name one yet.
Error placed(Error error, const Yaml& yaml) {
  const std::string file = yaml.where().substr(0, yaml.where().rfind(':'));
  if (error.message.find(file) == std::string::npos) {
    error.message = yaml.where() + ": " + error.message;
  }
  return error;
}

Json names(const std::vector<std::string>& all) { return Json(Json::List(all.begin(), all.end())); }

Json describe_variant(const Variant& variant) {
  Json map;
  map.set("name", variant.config.name).set("space", variant.config.space);
  if (variant.model != nullptr) {
    map.set("model", variant.model->name).set("version", variant.model->version);
    map.set("platform", variant.model->spec().platform);
  }
  map.set("inputs", names(variant.config.inputs));
  return map;
}

}  // namespace

Result<std::shared_ptr<const Pipeline>> Pipeline::load(const std::filesystem::path& folder,
                                                       const PipelineParts& parts) {
  const std::shared_ptr<Pipeline> pipeline(std::make_unique<Pipeline>(Private{}));
  BRAID_TRY(pipeline->config, read_pipeline(folder / "pipeline.yaml"));
  const PipelineConfig& config = pipeline->config;
  BRAID_TRY(const Fitted fitted, fitted_beside(config));
  for (const InputConfig& input : config.inputs) {
    auto made = parts.preprocessors.make(input.modality, input.settings);
    if (!made.has_value()) {
      return placed(std::move(made).error(), input.settings.yaml());
    }
    BRAID_TRY_DO(input.settings.finish());
    pipeline->preprocessors.push_back(*std::move(made));
  }
  for (const BranchConfig& branch_config : config.branches) {
    Branch branch{.config = branch_config, .variants = {}};
    for (const VariantConfig& variant_config : branch_config.variants) {
      BRAID_TRY(Variant variant,
                bind_variant(variant_config, branch_config, *pipeline, parts.models, fitted));
      branch.variants.push_back(std::move(variant));
    }
    pipeline->branches.push_back(std::move(branch));
  }
  for (const NodeConfig& node_config : config.nodes) {
    BRAID_TRY(FusionNode node, bind_node(node_config, *pipeline, parts, fitted));
    pipeline->nodes.push_back(std::move(node));
  }
  if (pipeline->nodes.back().config.op == "concat") {
    return config.nodes.back().settings.error("op", "the last node decides; concat does not");
  }
  PolicySetup setup{.settings = *config.policy, .plans = {}, .inputs = config.raw_inputs()};
  for (const PlanConfig& plan : config.plans) {
    setup.plans.push_back(plan.name);
  }
  auto policy = parts.policies.make(config.policy_kind, setup);
  if (!policy.has_value()) {
    return placed(std::move(policy).error(), config.policy->yaml());
  }
  pipeline->policy = *std::move(policy);
  return std::shared_ptr<const Pipeline>(pipeline);
}

Json Pipeline::describe() const {
  Json root;
  root.set("name", config.name).set("version", config.version);
  root.set("classes", names(config.classes)).set("inputs", names(config.raw_inputs()));
  Json branch_map(Json::Map{});
  for (const Branch& branch : branches) {
    Json::List variants;
    for (const Variant& variant : branch.variants) {
      variants.push_back(describe_variant(variant));
    }
    Json map;
    map.set("required", branch.config.required).set("variants", Json(std::move(variants)));
    branch_map.set(branch.config.name, std::move(map));
  }
  root.set("branches", std::move(branch_map));
  Json fusion(Json::Map{});
  for (const FusionNode& node : nodes) {
    Json map;
    map.set("op", node.config.op).set("inputs", names(node.config.inputs));
    fusion.set(node.config.name, std::move(map));
  }
  root.set("fusion", std::move(fusion));
  Json plans(Json::Map{});
  for (const PlanConfig& plan : config.plans) {
    Json map(Json::Map{});
    for (const auto& [branch, variant] : plan.variants) {
      map.set(branch, variant);
    }
    plans.set(plan.name, std::move(map));
  }
  root.set("plans", std::move(plans)).set("policy", config.policy_kind);
  return root;
}

}  // namespace braid
