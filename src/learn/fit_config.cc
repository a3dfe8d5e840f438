#include "learn/fit_config.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "serve/pipeline_sections.h"

namespace braid {
namespace {

Result<FitOptions> parse_options(const Settings& root, const std::vector<BranchConfig>& branches) {
  FitOptions options;
  BRAID_TRY(const Settings settings, root.map("fit"));
  BRAID_TRY(const auto folds, settings.integer("folds", 4, 2, 20));
  BRAID_TRY(const auto seed, settings.integer("seed", 0, 0, INT64_MAX));
  BRAID_TRY(options.strength, settings.number("strength", options.strength, 1e-6, 1e6));
  BRAID_TRY(options.dropout, settings.number("dropout", options.dropout, 0, 10));
  BRAID_TRY(options.splits, settings.texts("splits", {}));
  BRAID_TRY(options.cascade_tolerance,
            settings.number("cascade_tolerance", options.cascade_tolerance, 0, 1));
  BRAID_TRY(options.cascade_margin,
            settings.number("cascade_margin", options.cascade_margin, 0, 1));
  BRAID_TRY(const Settings components, settings.map("components"));
  for (const BranchConfig& branch : branches) {
    if (components.find(branch.name) != nullptr) {
      BRAID_TRY(const auto count, components.integer(branch.name, 0, 0, 100000));
      options.components[branch.name] = static_cast<std::size_t>(count);
    }
  }
  BRAID_TRY_DO(components.finish());
  BRAID_TRY_DO(settings.finish());
  options.folds = static_cast<std::size_t>(folds);
  options.seed = static_cast<std::uint64_t>(seed);
  return options;
}

Result<void> parse_forest(const Settings& settings, const std::string& name, FitConfig& config) {
  BRAID_TRY(const auto rounds, settings.integer("rounds", 200, 1, 10000));
  BRAID_TRY(const auto depth, settings.integer("depth", 4, 1, 16));
  BRAID_TRY(const double rate, settings.number("rate", 0.1, 1e-4, 1));
  config.forests[name] = {static_cast<std::size_t>(rounds), static_cast<std::size_t>(depth), rate};
  return {};
}

Result<void> parse_linear(const Settings& settings, const std::string& name, FitConfig& config) {
  LinearConfig linear;
  BRAID_TRY(linear.strength, settings.number("strength", linear.strength, 1e-6, 1e6));
  config.linears[name] = linear;
  return {};
}

/// `{fit: xgboost, name: …}` or `{fit: linear, …}`: a variant that is fitted here.
Result<VariantConfig> parse_fitted(const Yaml& yaml, const BranchConfig& branch,
                                   const Settings& map, FitConfig& config) {
  const Settings settings(yaml, map.folder());
  BRAID_TRY(const std::string kind, settings.choice("fit", {"xgboost", "linear"}, "xgboost"));
  VariantConfig variant{.name = {},
                        .model = {},
                        .identity = {},
                        .space = {},
                        .inputs = {},
                        .outputs = {},
                        .feeds = {},
                        .pool = Pool::kMean,
                        .yaml = yaml};
  const char* const word = kind == "linear" ? "linear" : "forest";
  BRAID_TRY(variant.name, settings.text("name", fmt::format("{}_{}_{}", config.pipeline.name,
                                                            branch.name, word)));
  BRAID_TRY(variant.identity, settings.text("tensor", "features"));
  BRAID_TRY(variant.inputs, settings.texts("inputs", branch.inputs));
  variant.model = variant.name;
  variant.space = variant.name;
  if (config.is_fitted_here(variant.name)) {
    return yaml.error(fmt::format("{} '{}' comes twice; give one a `name:`", word, variant.name));
  }
  BRAID_TRY_DO(kind == "linear" ? parse_linear(settings, variant.name, config)
                                : parse_forest(settings, variant.name, config));
  BRAID_TRY_DO(settings.finish());
  return variant;
}

Result<BranchConfig> parse_branch(const std::string& name, const Yaml& yaml, const Settings& root,
                                  FitConfig& config) {
  const Settings settings(yaml, root.folder());
  BranchConfig branch{.name = name, .inputs = {}, .variants = {}, .required = false, .yaml = yaml};
  BRAID_TRY(branch.inputs, settings.texts("inputs", {}));
  BRAID_TRY(branch.required, settings.flag("required", false));
  BRAID_TRY(branch.out_of_domain, parse_domain(settings));
  const Yaml* variants = settings.find("variants");
  if (variants == nullptr || variants->items().empty()) {
    return settings.error("variants",
                          "list at least one: a model of `models:`, or "
                          "`{identity: features}` for a table");
  }
  std::set<std::string> names;
  for (const Yaml& item : variants->items()) {
    const bool is_fitted = item.find("fit") != nullptr;
    BRAID_TRY(VariantConfig variant, is_fitted ? parse_fitted(item, branch, settings, config)
                                               : parse_variant(item, settings, branch.inputs));
    if (!names.insert(variant.name).second) {
      return item.error(fmt::format("variant '{}' comes twice; give one a `name:`", variant.name));
    }
    branch.variants.push_back(std::move(variant));
  }
  BRAID_TRY_DO(settings.finish());
  return branch;
}

Result<void> parse_branches(const Settings& root, FitConfig& config) {
  BRAID_TRY(const Settings branches, root.map("branches"));
  for (const auto& [name, yaml] : branches.yaml().entries()) {
    BRAID_TRY(BranchConfig branch, parse_branch(name, yaml, root, config));
    config.pipeline.branches.push_back(std::move(branch));
  }
  if (config.pipeline.branches.empty()) {
    return root.error("branches", "name at least one, with its inputs and variants");
  }
  return {};
}

Result<void> parse_fusion(const Settings& root, FitConfig& config) {
  BRAID_TRY(config.pipeline.nodes, parse_nodes(root));
  for (const NodeConfig& node : config.pipeline.nodes) {
    if (!node.models.empty()) {
      return node.settings.error("model", "leave it out: `braid fit` makes the heads");
    }
    if (node.op == "concat") {
      return node.settings.error("op",
                                 "concat is not fitted; a head joins several branches itself");
    }
  }
  return {};
}

/// `policy: {kind: cascade, steps: auto}` asks for what no policy at all asks for.
Result<void> parse_policy(const Settings& root, FitConfig& config) {
  BRAID_TRY(const Settings policy, root.map("policy"));
  const Yaml* yaml = root.find("policy");
  const Yaml* steps = policy.find("steps");
  if (yaml == nullptr || (steps != nullptr && steps->text() == "auto")) {
    return {};
  }
  config.policy = *yaml;
  BRAID_TRY(config.pipeline.policy_kind, policy.text("kind", "fixed"));
  return {};
}

template <typename T>
std::optional<T> copy_of(const T* found) {
  return found == nullptr ? std::nullopt : std::optional<T>(*found);
}

}  // namespace

Result<FitConfig> read_fit_config(const std::filesystem::path& file) {
  BRAID_TRY(const Yaml yaml, Yaml::read(file));
  const Settings root(yaml, file.parent_path());
  FitConfig config;
  config.file = file;
  config.yaml = yaml;
  config.pipeline.folder = root.folder();
  BRAID_TRY(config.pipeline.name, root.text("name"));
  BRAID_TRY(config.pipeline.version, root.text("version", "1"));
  BRAID_TRY(const std::string manifest, root.text("manifest"));
  BRAID_TRY(const std::string repository, root.text("repository", "repository"));
  BRAID_TRY(const std::vector<std::string> models, root.texts("models", {}));
  config.manifest = root.folder() / manifest;
  config.repository = root.folder() / repository;
  for (const std::string& folder : models) {
    config.models.push_back(root.folder() / folder);
  }
  BRAID_TRY(const Settings decision, root.map("decision"));
  BRAID_TRY(config.pipeline.classes, decision.texts("classes", {}));
  BRAID_TRY_DO(decision.finish());
  BRAID_TRY(config.pipeline.inputs, parse_inputs(root));
  BRAID_TRY_DO(parse_branches(root, config));
  BRAID_TRY_DO(parse_fusion(root, config));
  BRAID_TRY(config.pipeline.plans, parse_plans(root));
  config.plans = copy_of(root.find("plans"));
  config.limits = copy_of(root.find("limits"));
  BRAID_TRY_DO(parse_policy(root, config));
  BRAID_TRY(config.options, parse_options(root, config.pipeline.branches));
  BRAID_TRY_DO(root.finish());
  return config;
}

}  // namespace braid
