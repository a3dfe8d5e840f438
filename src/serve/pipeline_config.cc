#include "serve/pipeline_config.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "serve/pipeline_sections.h"
#include "serve/pipeline_structure.h"

namespace braid {
namespace {

template <typename T>
const T* find_named(const std::vector<T>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &T::name);
  return found == all.end() ? nullptr : &*found;
}

Result<std::map<std::string, std::string>> text_map(const Settings& settings, const char* key) {
  std::map<std::string, std::string> texts;
  const Yaml* yaml = settings.find(key);
  if (yaml == nullptr) {
    return texts;
  }
  for (const auto& [name, value] : yaml->entries()) {
    if (value.kind() != Yaml::Kind::kText) {
      return value.error(fmt::format("{}: a word is wanted for '{}'", key, name));
    }
    texts[name] = value.text();
  }
  if (yaml->kind() != Yaml::Kind::kMap) {
    return yaml->error(fmt::format("{}: a map is wanted here", key));
  }
  return texts;
}

}  // namespace

Result<std::vector<InputConfig>> parse_inputs(const Settings& root) {
  std::vector<InputConfig> inputs;
  BRAID_TRY(const Settings map, root.map("inputs"));
  for (const auto& [name, yaml] : map.yaml().entries()) {
    Settings settings(yaml, root.folder());
    BRAID_TRY(std::string modality, settings.text("modality"));
    BRAID_TRY(std::string from, settings.text("from", name));
    inputs.push_back({name, std::move(modality), std::move(from), std::move(settings)});
  }
  if (inputs.empty()) {
    return root.error("inputs", "name at least one, such as `title: {modality: text, …}`");
  }
  return inputs;
}

Result<VariantConfig> parse_variant(const Yaml& yaml, const Settings& branch,
                                    const std::vector<std::string>& branch_inputs) {
  VariantConfig variant{.name = yaml.text(),
                        .model = yaml.text(),
                        .identity = {},
                        .space = {},
                        .inputs = branch_inputs,
                        .outputs = {},
                        .feeds = {},
                        .pool = Pool::kMean,
                        .yaml = yaml};
  if (yaml.kind() == Yaml::Kind::kMap) {
    const Settings settings(yaml, branch.folder());
    BRAID_TRY(variant.model, settings.text("model", ""));
    BRAID_TRY(variant.identity, settings.text("identity", ""));
    const std::string& given = variant.model.empty() ? variant.identity : variant.model;
    BRAID_TRY(variant.name, settings.text("name", given));
    BRAID_TRY(variant.space, settings.text("space", ""));
    BRAID_TRY(variant.inputs, settings.texts("inputs", branch_inputs));
    BRAID_TRY(variant.outputs, text_map(settings, "outputs"));
    BRAID_TRY(variant.feeds, text_map(settings, "feeds"));
    BRAID_TRY(const std::string pool, settings.choice("pool", {"mean", "max"}, "mean"));
    variant.pool = pool == "max" ? Pool::kMax : Pool::kMean;
    BRAID_TRY_DO(settings.finish());
    if (variant.model.empty() == variant.identity.empty()) {
      return yaml.error("a variant has either `model:` or `identity:`");
    }
  }
  if (variant.space.empty()) {
    variant.space = variant.name;
  }
  return variant;
}

Result<DomainConfig> parse_domain(const Settings& branch) {
  DomainConfig config;
  BRAID_TRY(const Settings settings, branch.map("out_of_domain"));
  BRAID_TRY(config.above, settings.number("above", config.above, 0, 1));
  BRAID_TRY(config.makes_absent, settings.flag("absent", config.makes_absent));
  BRAID_TRY_DO(settings.finish());
  return config;
}

namespace {

Result<BranchConfig> parse_branch(const std::string& name, const Yaml& yaml, const Settings& root) {
  const Settings settings(yaml, root.folder());
  BranchConfig branch{.name = name, .inputs = {}, .variants = {}, .required = false, .yaml = yaml};
  BRAID_TRY(branch.inputs, settings.texts("inputs", {}));
  BRAID_TRY(branch.required, settings.flag("required", false));
  BRAID_TRY(branch.out_of_domain, parse_domain(settings));
  const Yaml* variants = settings.find("variants");
  if (variants == nullptr || variants->items().empty()) {
    return settings.error("variants", "list at least one model");
  }
  for (const Yaml& item : variants->items()) {
    BRAID_TRY(VariantConfig variant, parse_variant(item, settings, branch.inputs));
    if (find_named(branch.variants, variant.name) != nullptr) {
      return item.error(fmt::format("variant '{}' comes twice; give one a `name:`", variant.name));
    }
    branch.variants.push_back(std::move(variant));
  }
  BRAID_TRY_DO(settings.finish());
  return branch;
}

}  // namespace

Result<std::vector<NodeConfig>> parse_nodes(const Settings& root) {
  std::vector<NodeConfig> nodes;
  BRAID_TRY(const Settings map, root.map("fusion"));
  for (const auto& [name, yaml] : map.yaml().entries()) {
    Settings settings(yaml, root.folder());
    BRAID_TRY(std::string op, settings.text("op"));
    BRAID_TRY(std::vector<std::string> inputs, settings.texts("inputs", {}));
    std::vector<std::string> models;
    if (op == "model") {
      BRAID_TRY(models, settings.texts("model", {}));
      BRAID_TRY_DO(settings.finish());
    }
    nodes.push_back(
        {name, std::move(op), std::move(models), std::move(inputs), std::move(settings)});
  }
  return nodes;
}

Result<std::vector<PlanConfig>> parse_plans(const Settings& root) {
  std::vector<PlanConfig> plans;
  BRAID_TRY(const Settings map, root.map("plans"));
  for (const auto& [name, yaml] : map.yaml().entries()) {
    BRAID_TRY(auto variants, text_map(map, name.c_str()));
    plans.push_back({name, std::move(variants), yaml});
  }
  return plans;
}

namespace {

Result<LimitsConfig> parse_limits(const Settings& root) {
  LimitsConfig limits;
  BRAID_TRY(const Settings settings, root.map("limits"));
  BRAID_TRY(const double deadline_ms, settings.number("deadline_ms", 30000, 1, 3.6e6));
  BRAID_TRY(const auto in_flight, settings.integer("in_flight", 256, 1, 1 << 20));
  BRAID_TRY(const auto in_flight_bytes,
            settings.integer("in_flight_bytes", 512 << 20, 1, std::int64_t{1} << 40));
  BRAID_TRY(const auto input_bytes,
            settings.integer("input_bytes", 64 << 20, 1, std::int64_t{1} << 36));
  BRAID_TRY_DO(settings.finish());
  limits.deadline =
      std::chrono::round<Duration>(std::chrono::duration<double, std::milli>(deadline_ms));
  limits.in_flight = static_cast<std::size_t>(in_flight);
  limits.in_flight_bytes = static_cast<std::size_t>(in_flight_bytes);
  limits.input_bytes = static_cast<std::size_t>(input_bytes);
  return limits;
}

Result<std::vector<std::string>> parse_classes(const Settings& root) {
  BRAID_TRY(const Settings decision, root.map("decision"));
  BRAID_TRY(std::vector<std::string> classes, decision.texts("classes", {}));
  BRAID_TRY_DO(decision.finish());
  if (classes.size() < 2) {
    return root.error("decision", "name at least two classes: `decision: {classes: [a, b]}`");
  }
  if (std::set<std::string>(classes.begin(), classes.end()).size() != classes.size()) {
    return root.error("decision", "a class comes twice");
  }
  return classes;
}

}  // namespace

std::vector<std::string> PipelineConfig::raw_inputs() const {
  std::vector<std::string> raw;
  for (const InputConfig& each : inputs) {
    if (std::ranges::find(raw, each.from) == raw.end()) {
      raw.push_back(each.from);
    }
  }
  return raw;
}

const InputConfig* PipelineConfig::input(std::string_view wanted) const {
  return find_named(inputs, wanted);
}
const BranchConfig* PipelineConfig::branch(std::string_view wanted) const {
  return find_named(branches, wanted);
}
const NodeConfig* PipelineConfig::node(std::string_view wanted) const {
  return find_named(nodes, wanted);
}

Result<PipelineConfig> parse_pipeline(const Yaml& yaml, const std::filesystem::path& folder) {
  const Settings root(yaml, folder);
  PipelineConfig config;
  config.folder = folder;
  BRAID_TRY(config.name, root.text("name"));
  BRAID_TRY(config.version, root.text("version", "1"));
  BRAID_TRY(config.classes, parse_classes(root));
  BRAID_TRY(config.inputs, parse_inputs(root));
  BRAID_TRY(const Settings branches, root.map("branches"));
  for (const auto& [name, branch_yaml] : branches.yaml().entries()) {
    BRAID_TRY(BranchConfig branch, parse_branch(name, branch_yaml, root));
    config.branches.push_back(std::move(branch));
  }
  BRAID_TRY(config.nodes, parse_nodes(root));
  BRAID_TRY(config.plans, parse_plans(root));
  BRAID_TRY(config.limits, parse_limits(root));
  BRAID_TRY(Settings policy, root.map("policy"));
  BRAID_TRY(config.policy_kind, policy.text("kind", "fixed"));
  config.policy = std::move(policy);
  BRAID_TRY_DO(root.finish());
  BRAID_TRY_DO(complete_structure(config, yaml));
  return config;
}

Result<PipelineConfig> read_pipeline(const std::filesystem::path& file) {
  BRAID_TRY(const Yaml yaml, Yaml::read(file));
  return parse_pipeline(yaml, file.parent_path());
}

}  // namespace braid
