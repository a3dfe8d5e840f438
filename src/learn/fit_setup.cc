#include "learn/fit_setup.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "serve/binding.h"
#include "serve/pipeline_structure.h"

namespace braid {
namespace {

bool has_scores(const Variant& variant, const FitSetup& setup) {
  return variant.logits.has_value() || variant.probabilities.has_value() ||
         setup.is_fitted_here(variant.config);
}

Result<void> load_models(const FitConfig& config, ModelStore& models) {
  for (const BranchConfig& branch : config.pipeline.branches) {
    for (const VariantConfig& variant : branch.variants) {
      if (variant.model.empty() || config.is_fitted_here(variant.name)) {
        continue;
      }
      Result<void> loaded = models.load(variant.model);
      if (!loaded.has_value()) {
        return Error{loaded.error().code,
                     fmt::format("{}: {}", variant.yaml.where(), loaded.error().describe())};
      }
    }
  }
  return {};
}

Result<void> make_preprocessors(Pipeline& pipeline, const PipelineParts& parts) {
  for (const InputConfig& input : pipeline.config.inputs) {
    auto made = parts.preprocessors.make(input.modality, input.settings);
    if (!made.has_value()) {
      const Error& error = made.error();
      return Error{error.code, fmt::format("{}: input '{}': {}", input.settings.yaml().where(),
                                           input.name, error.describe())};
    }
    BRAID_TRY_DO(input.settings.finish());
    pipeline.preprocessors.push_back(*std::move(made));
  }
  return {};
}

/// What is fitted here is not there yet: what it is fitted on is bound in its place.
Result<Variant> bind(const VariantConfig& config, const BranchConfig& branch, const FitSetup& setup,
                     const ModelStore& models) {
  if (!setup.is_fitted_here(config)) {
    return bind_variant(config, branch, *setup.pipeline, models, Fitted{});
  }
  VariantConfig features = config;
  features.model.clear();
  BRAID_TRY(Variant variant, bind_variant(features, branch, *setup.pipeline, models, Fitted{}));
  variant.config = config;
  return variant;
}

Result<void> bind_branches(FitSetup& setup, const ModelStore& models) {
  for (const BranchConfig& config : setup.pipeline->config.branches) {
    Branch branch{config, {}};
    for (const VariantConfig& variant_config : config.variants) {
      BRAID_TRY(Variant variant, bind(variant_config, config, setup, models));
      branch.variants.push_back(std::move(variant));
    }
    const bool first_scores = has_scores(branch.variants.front(), setup);
    for (const Variant& variant : branch.variants) {
      if (has_scores(variant, setup) != first_scores) {
        return variant.config.yaml.error(fmt::format(
            "branch '{}' mixes variants that say probabilities with variants that say an "
            "embedding; put them into two branches over the same inputs",
            config.name));
      }
    }
    setup.pipeline->branches.push_back(std::move(branch));
  }
  return {};
}

/// The nodes of a pipeline that says nothing of fusion: a head for each embedding and a vote over
/// all single opinions (late fusion), heads over several embeddings (early fusion), and a vote over
/// both.
class DefaultNodes {
 public:
  explicit DefaultNodes(const FitSetup& setup)
      : nothing_(*Settings::parse("{}", setup.config.pipeline.folder)) {
    for (std::size_t b = 0; b < setup.pipeline->branches.size(); ++b) {
      const std::string& name = setup.pipeline->branches[b].config.name;
      if (setup.gives_scores(b)) {
        singles_.push_back(name);
      } else {
        embedded_.push_back(name);
        singles_.push_back(name + "_head");
        add(singles_.back(), "model", {name});
      }
    }
  }

  std::vector<NodeConfig> make() {
    std::vector<std::string> members = singles_;
    if (embedded_.size() > 1 && singles_.size() > 1) {
      add("late", "weighted_vote", singles_);
      members = {"late"};
    }
    for (const auto& [name, inputs] : joints()) {
      add(name, "model", inputs);
      members.push_back(name);
    }
    if (members.size() > 1 || nodes_.empty()) {
      add("decision", "weighted_vote", members);
    }
    return std::move(nodes_);
  }

 private:
  using Inputs = std::vector<std::string>;

  /// Heads over pairs, while pairs are few, and over all.
  std::vector<std::pair<std::string, Inputs>> joints() const {
    constexpr std::size_t kPairsMax = 4;  // branches; beyond, pairs outnumber what they teach
    std::vector<std::pair<std::string, Inputs>> joints;
    const std::size_t pairs =
        embedded_.size() > 2 && embedded_.size() <= kPairsMax ? embedded_.size() : 0;
    for (std::size_t a = 0; a < pairs; ++a) {
      for (std::size_t b = a + 1; b < pairs; ++b) {
        joints.emplace_back(embedded_[a] + "_" + embedded_[b], Inputs{embedded_[a], embedded_[b]});
      }
    }
    if (embedded_.size() > 1) {
      joints.emplace_back("joint", embedded_);
    }
    return joints;
  }

  void add(const std::string& name, const char* op, Inputs inputs) {
    nodes_.push_back({name, op, {}, std::move(inputs), nothing_});
  }

  const Settings nothing_;
  Inputs embedded_;  // branches that give an embedding
  Inputs singles_;   // what says probabilities from one branch
  std::vector<NodeConfig> nodes_;
};

/// A head that is fitted here joins embeddings of branches; everything else joins probabilities.
Result<void> check_nodes(const FitSetup& setup) {
  for (const NodeConfig& node : setup.pipeline->config.nodes) {
    for (const std::string& input : node.inputs) {
      const auto branch =
          std::ranges::find(setup.pipeline->config.branches, input, &BranchConfig::name);
      const bool is_branch = branch != setup.pipeline->config.branches.end();
      const auto index = static_cast<std::size_t>(branch - setup.pipeline->config.branches.begin());
      const bool embedded =
          is_branch && std::ranges::all_of(setup.pipeline->branches[index].variants,
                                           [&](const Variant& variant) {
                                             return variant.embedding.has_value() &&
                                                    !setup.is_fitted_here(variant.config);
                                           });
      if (node.op == "model" && !embedded) {
        return node.settings.error(
            "inputs", fmt::format("head '{}' joins embeddings of branches, but '{}' gives none; "
                                  "let a weighted_vote join them",
                                  node.name, input));
      }
      if (node.op != "model" && is_branch && !setup.gives_scores(index)) {
        return node.settings.error(
            "inputs",
            fmt::format("node '{}' joins probabilities, but branch '{}' gives an embedding; put a "
                        "head between: `{}_head: {{op: model, inputs: [{}]}}`",
                        node.name, input, input, input));
      }
    }
  }
  return {};
}

}  // namespace

bool FitSetup::gives_scores(std::size_t branch_index) const {
  return has_scores(pipeline->branches[branch_index].variants.front(), *this);
}

Result<FitSetup> open_fit(FitConfig config, const std::vector<std::string>& classes,
                          const PipelineParts& parts, ModelStore& models) {
  BRAID_TRY_DO(load_models(config, models));
  FitSetup setup{std::move(config), std::make_shared<Pipeline>(Pipeline::Private{})};
  PipelineConfig& pipeline = setup.pipeline->config;
  pipeline = setup.config.pipeline;
  pipeline.classes = classes;
  BRAID_TRY_DO(make_preprocessors(*setup.pipeline, parts));
  BRAID_TRY_DO(bind_branches(setup, models));
  if (pipeline.nodes.empty()) {
    pipeline.nodes = DefaultNodes(setup).make();
  }
  BRAID_TRY_DO(complete_structure(pipeline, *setup.config.yaml));
  BRAID_TRY_DO(check_nodes(setup));
  return setup;
}

}  // namespace braid
