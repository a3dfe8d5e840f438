#include "learn/fit.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/file.h"
#include "learn/domain_fit.h"
#include "learn/fit_report.h"
#include "learn/forest_fit.h"
#include "learn/fusion_fit.h"
#include "learn/head_onnx.h"
#include "learn/heads_fit.h"
#include "learn/linear_fit.h"
#include "learn/pipeline_text.h"
#include "learn/repository_writer.h"
#include "learn/table_fit.h"
#include "learn/yaml_flow.h"

namespace braid {
namespace {

/// Everything that was found out, on its way to the disk.
struct Found {
  const Manifest& manifest;
  const FitData& data;
  const FitSetup& setup;
  const EmbeddedRows& embedded;
  std::vector<HeadPlan> plans_of_heads;
  std::vector<FittedHead> heads;
  std::map<std::string, std::string> forests;
  std::map<std::string, std::string> linears;
  FusionFit fusion;
  std::vector<FittedDomain> domains;
  std::vector<PlanOutcome> plans;
  CascadeChoice cascade;
};

Result<void> write_encoders(const FitSetup& setup, RepositoryWriter& writer, Fitted& fitted) {
  for (const Branch& branch : setup.pipeline->branches) {
    for (const Variant& variant : branch.variants) {
      if (variant.model != nullptr) {
        BRAID_TRY_DO(writer.add_encoder(*variant.model));
        fitted.model_digests[variant.model->name] = variant.model->digest;
      }
    }
  }
  return {};
}

Result<void> write_heads(const Found& found, RepositoryWriter& writer, Fitted& fitted) {
  const Pipeline& pipeline = *found.setup.pipeline;
  for (const FittedHead& head : found.heads) {
    std::vector<HeadPartName> names;
    for (std::size_t i = 0; i < head.plan.branches.size(); ++i) {
      const Branch& branch = pipeline.branches[head.plan.branches[i]];
      const bool raw_table = std::ranges::any_of(
          branch.variants, [](const Variant& variant) { return variant.model == nullptr; });
      names.push_back({branch.config.name, head.plan.spaces[i], raw_table});
    }
    BRAID_TRY(const std::string bytes, write_head(head.head, names));
    BRAID_TRY_DO(writer.add_model(head.plan.model, "model.onnx", bytes));
    fitted.model_digests[head.plan.model] = sha256(bytes);
  }
  for (const auto& [models, file] :
       {std::pair{&found.forests, "model.json"}, {&found.linears, "model.onnx"}}) {
    for (const auto& [name, bytes] : *models) {
      BRAID_TRY_DO(writer.add_model(name, file, bytes));
      fitted.model_digests[name] = sha256(bytes);
    }
  }
  return {};
}

/// A file for each space, and its entry beside the space's temperature.
Result<void> write_domains(const Found& found, RepositoryWriter& writer, Fitted& fitted) {
  for (const FittedDomain& domain : found.domains) {
    const std::string& branch = found.setup.pipeline->config.branches[domain.branch].name;
    const std::string bytes = domain_file(domain.numbers);
    BRAID_TRY_DO(writer.add_pipeline_file(domain.file, bytes));
    std::vector<FittedEntry>& entries = fitted.branches[branch];
    auto entry = std::ranges::find_if(entries, [&](const FittedEntry& each) {
      const auto space = each.spaces.find(branch);
      return space != each.spaces.end() && space->second == domain.space;
    });
    if (entry == entries.end()) {
      entries.emplace_back();
      entry = entries.end() - 1;
      entry->spaces[branch] = domain.space;
    }
    entry->parameters.set("out_of_domain", domain_entry(domain, bytes));
  }
  return {};
}

/// Copies what the inputs' settings name beside pipeline.yaml. Two files of one name: the second is
/// called after its folder too.
Result<std::map<std::string, std::string>> write_input_files(const Found& found,
                                                             RepositoryWriter& writer) {
  std::map<std::string, std::string> names;
  std::set<std::string> taken = {"pipeline.yaml", "fitted.json"};
  for (const FittedDomain& domain : found.domains) {
    taken.insert(domain.file);
  }
  for (const InputConfig& input : found.setup.pipeline->config.inputs) {
    const Settings& settings = input.settings;
    for (const std::string& text : files_named(settings.yaml(), settings.folder())) {
      if (names.contains(text)) {
        continue;
      }
      std::string name = std::filesystem::path(text).filename().string();
      if (!taken.insert(name).second) {
        name = input.name + "_" + name;
        taken.insert(name);
      }
      BRAID_TRY(const std::string bytes, read_file(settings.folder() / text));
      BRAID_TRY_DO(writer.add_pipeline_file(name, bytes));
      names[text] = name;
    }
  }
  return names;
}

Json data_of(const Found& found, const std::set<std::string>& wrote) {
  Json costs(Json::Map{});
  for (std::size_t b = 0; b < found.embedded.size(); ++b) {
    const Branch& branch = found.setup.pipeline->branches[b];
    Json of_branch(Json::Map{});
    for (std::size_t v = 0; v < branch.variants.size(); ++v) {
      const double ms = found.embedded[b][v].milliseconds;
      of_branch.set(branch.variants[v].config.name, std::round(ms * 1000) / 1000);
    }
    costs.set(branch.config.name, std::move(of_branch));
  }
  const std::vector<std::string>& splits = found.data.splits;
  Json data;
  data.set("manifest", found.manifest.digest);
  data.set("splits", Json(Json::List(splits.begin(), splits.end())));
  data.set("rows", static_cast<std::int64_t>(found.data.row_count()));
  data.set("folds", static_cast<std::int64_t>(found.setup.config.options.folds));
  data.set("seed", static_cast<std::int64_t>(found.setup.config.options.seed));
  data.set("cost_core_ms", std::move(costs));
  data.set("wrote", Json(Json::List(wrote.begin(), wrote.end())));
  return data;
}

Result<void> write_repository(const Found& found, RepositoryWriter& writer) {
  Fitted fitted;
  fitted.classes = found.data.classes;
  fitted.prior = found.data.prior;
  fitted.branches = found.fusion.branches;
  fitted.nodes = found.fusion.nodes;
  BRAID_TRY_DO(write_heads(found, writer, fitted));
  BRAID_TRY_DO(write_domains(found, writer, fitted));
  BRAID_TRY_DO(write_encoders(found.setup, writer, fitted));
  BRAID_TRY(const auto files, write_input_files(found, writer));
  const std::string yaml =
      pipeline_text({found.setup, found.plans_of_heads, found.plans, found.cascade, files});
  BRAID_TRY_DO(writer.add_pipeline_file("pipeline.yaml", yaml));
  fitted.data = data_of(found, writer.entries());
  return writer.add_pipeline_file("fitted.json", fitted.to_json().dump(1) + "\n");
}

/// What is served is what was checked: the repository as it lies on the disk, through serve's own
/// loader.
Result<void> check_repository(const Found& found, const FitParts& parts,
                              const std::filesystem::path& folder) {
  ModelStore store({{folder}}, parts.backends);
  for (const std::string& name : store.names()) {
    BRAID_TRY_DO(store.load(name));
  }
  const auto loaded =
      Pipeline::load(folder / found.setup.pipeline->config.name,
                     {parts.preprocessors, parts.fusion_ops, parts.policies, store});
  if (!loaded.has_value()) {
    Error error = loaded.error();
    return std::move(error).within("the fitted pipeline does not load");
  }
  return {};
}

/// A policy that FIT.yaml spells out is made before anything is fitted, so that a mistake in it
/// does not cost a fit. Its plans must then be spelt out as well.
Result<void> check_policy(const FitConfig& config, const Registry<Policy>& policies) {
  if (!config.policy.has_value()) {
    return {};
  }
  PolicySetup setup{.settings = Settings(*config.policy, config.pipeline.folder),
                    .plans = {},
                    .inputs = config.pipeline.raw_inputs()};
  for (const PlanConfig& plan : config.pipeline.plans) {
    setup.plans.push_back(plan.name);
  }
  if (setup.plans.empty()) {
    setup.plans.push_back("full");  // the one plan that every fit makes
  }
  BRAID_TRY(const std::string kind, setup.settings.text("kind", "fixed"));
  auto made = policies.make(kind, setup);
  if (!made.has_value()) {
    return Error{made.error().code,
                 fmt::format("{}: policy: {}", config.policy->where(), made.error().describe())};
  }
  return {};
}

}  // namespace

Result<FitReport> fit(const FitConfig& given, const FitParts& parts, const FitContext& context) {
  FitConfig config = given;  // its inputs will name the tables that are fitted first
  BRAID_TRY_DO(check_policy(config, parts.policies));
  BRAID_TRY(const Manifest manifest,
            read_manifest(config.manifest, {.skip_bad = context.skip_bad}));
  BRAID_TRY(const FitData data, select_rows(manifest, config));
  BRAID_TRY(RepositoryWriter writer,
            RepositoryWriter::begin(config.repository, config.pipeline.name));
  const std::filesystem::path scratch = writer.folder() / ".scratch";
  BRAID_TRY_DO(fit_tables(data, manifest, context, scratch, config));
  ModelStore encoders({config.models}, parts.backends);
  BRAID_TRY_DO(encoders.check_repositories());
  BRAID_TRY(const FitSetup setup,
            open_fit(config, data.classes,
                     {parts.preprocessors, parts.fusion_ops, parts.policies, encoders}, encoders));
  BRAID_TRY(std::vector<HeadPlan> head_plans, plan_heads(setup));

  BRAID_TRY(EmbeddedRows embedded, embed(setup, data, manifest, context));
  BRAID_TRY(auto forests, fit_forests(setup, data, parts.backends, scratch, context, embedded));
  BRAID_TRY(auto linears, fit_linears(setup, data, manifest, context, embedded));
  BRAID_TRY(auto heads, fit_heads(head_plans, setup, data, embedded, context));
  BRAID_TRY(FusionFit fusion, fit_fusion(setup, data, embedded, heads, parts.fusion_ops, context));
  BRAID_TRY(auto domains, fit_domains(setup, data, embedded, context));
  std::vector<PlanOutcome> plans = plan_outcomes(setup, data, embedded, fusion);
  CascadeChoice cascade =
      choose_cascade(plans, embedded, data.weights, data.folds,
                     {config.options.cascade_tolerance, config.options.cascade_margin});

  const Found found{manifest,
                    data,
                    setup,
                    embedded,
                    std::move(head_plans),
                    std::move(heads),
                    std::move(forests),
                    std::move(linears),
                    std::move(fusion),
                    std::move(domains),
                    std::move(plans),
                    std::move(cascade)};
  BRAID_TRY_DO(write_repository(found, writer));
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);
  BRAID_TRY_DO(check_repository(found, parts, writer.folder()));
  FitReport report = report_of(setup, data, embedded, found.heads, found.fusion);
  report.repository = config.repository;
  report.plans = found.plans;
  report.cascade = found.cascade;
  if (context.stopped()) {
    return Error{Code::kCancelled, "stopped before the repository was put in place"};
  }
  BRAID_TRY_DO(writer.publish());
  return report;
}

}  // namespace braid
