#include "measure/configurations.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace braid {
namespace {

using Names = std::set<std::string>;
using Kind = Configuration::Kind;

/// For each branch and node the raw inputs below it.
std::map<std::string, Names> raw_inputs_below(const PipelineConfig& pipeline) {
  std::map<std::string, Names> below;
  for (const BranchConfig& branch : pipeline.branches) {
    for (const VariantConfig& variant : branch.variants) {
      for (const std::string& input : variant.inputs) {
        below[branch.name].insert(pipeline.input(input)->from);
      }
    }
  }
  for (const NodeConfig& node : pipeline.nodes) {
    for (const std::string& input : node.inputs) {
      below[node.name].insert(below[input].begin(), below[input].end());
    }
  }
  return below;
}

/// What counts as one modality, with its name: each input alone, and inputs of one kind that only
/// one branch takes, all together, such as the voices of several microphones.
std::map<Names, std::string> modalities_of(const PipelineConfig& pipeline,
                                           const std::map<std::string, Names>& below) {
  std::map<Names, std::string> modalities;
  std::map<std::string, std::set<Names>> takers;  // by input
  for (const std::string& input : pipeline.raw_inputs()) {
    modalities[{input}] = input;
  }
  for (const BranchConfig& branch : pipeline.branches) {
    for (const std::string& input : below.at(branch.name)) {
      takers[input].insert(below.at(branch.name));
    }
  }
  for (const BranchConfig& branch : pipeline.branches) {
    const Names& inputs = below.at(branch.name);
    const std::string& kind = pipeline.input(branch.variants.front().inputs.front())->modality;
    const bool is_one = std::ranges::all_of(inputs, [&](const std::string& input) {
      return takers.at(input).size() == 1 &&
             std::ranges::none_of(pipeline.inputs, [&](const InputConfig& each) {
               return each.from == input && each.modality != kind;
             });
    });
    if (inputs.size() > 1 && is_one) {
      modalities.try_emplace(inputs, branch.name);
    }
  }
  return modalities;
}

class Finder {
 public:
  Finder(const PipelineConfig& pipeline, const ConfigurationOptions& options)
      : pipeline_(pipeline),
        options_(options),
        below_(raw_inputs_below(pipeline)),
        modalities_(modalities_of(pipeline, below_)),
        all_inputs_(pipeline.raw_inputs()) {}

  Result<Configurations> find() {
    BRAID_TRY_DO(check_names());
    full_plan_ = options_.full_plan.empty() ? pipeline_.plans.back().name : options_.full_plan;
    for (const std::string& input : all_inputs_) {
      add_singles({input});
    }
    for (const auto& [inputs, name] : modalities_) {
      if (inputs.size() > 1) {
        add_singles(inputs);
      }
    }
    add_node(Kind::kEarly, "early", options_.early.empty() ? early_node() : options_.early,
             "no learned head joins two or more branches");
    add_node(
        Kind::kLate, "late", options_.late.empty() ? late_node() : options_.late,
        "no operator joins only opinions on single inputs; add such a node or name it: --late");
    add({.kind = Kind::kHybrid, .key = "hybrid", .title = "hybrid", .inputs = all_inputs_});
    add_without();
    for (const std::string& plan : options_.plans) {
      add({.kind = Kind::kPlan,
           .key = "plan_" + plan,
           .title = "plan " + plan,
           .inputs = all_inputs_,
           .plan = plan});
    }
    if (pipeline_.plans.size() > 1) {
      found_.all.push_back({.kind = Kind::kPolicy,
                            .key = "policy",
                            .title = fmt::format("policy ({})", pipeline_.policy_kind),
                            .inputs = all_inputs_});
    } else {
      found_.notes.emplace_back("the pipeline has one plan, so its policy has nothing to choose");
    }
    return std::move(found_);
  }

 private:
  Result<void> check_names() const {
    std::vector<std::string> plans = options_.plans;
    if (!options_.full_plan.empty()) {
      plans.push_back(options_.full_plan);
    }
    for (const std::string& plan : plans) {
      if (std::ranges::find(pipeline_.plans, plan, &PlanConfig::name) == pipeline_.plans.end()) {
        return missing("plan", plan);
      }
    }
    for (const std::string& node : {options_.early, options_.late}) {
      if (!node.empty() && !below_.contains(node)) {
        return missing("branch or fusion node", node);
      }
    }
    for (const std::string& pattern : options_.without) {
      for (const std::string& name : split(pattern)) {
        if (std::ranges::find(all_inputs_, name) == all_inputs_.end() &&
            pipeline_.branch(name) == nullptr) {
          return missing("input or branch", name);
        }
      }
    }
    return {};
  }

  Error missing(const char* kind, const std::string& name) const {
    return Error{Code::kNotFound,
                 fmt::format("pipeline '{}' has no {} '{}'", pipeline_.name, kind, name)};
  }

  static std::vector<std::string> split(const std::string& pattern) {
    std::vector<std::string> words;
    std::istringstream text(pattern);
    for (std::string word; std::getline(text, word, ',');) {
      words.push_back(word);
    }
    return words;
  }

  void add(Configuration configuration) {
    if (!configuration.plan.has_value()) {
      configuration.plan = full_plan_;
    }
    found_.all.push_back(std::move(configuration));
  }

  /// Whether this branch's own opinion is asked for: by an operator, which joins probabilities.
  bool classifies(const std::string& branch) const {
    return std::ranges::any_of(pipeline_.nodes, [&](const NodeConfig& node) {
      return joins_opinions(node) && std::ranges::find(node.inputs, branch) != node.inputs.end();
    });
  }

  static bool joins_opinions(const NodeConfig& node) {
    return node.op != "model" && node.op != "concat";
  }

  bool sees_one(const std::string& name) const { return modalities_.contains(below_.at(name)); }

  /// Whether the input is asked for only together with others of its modality.
  bool is_part(const std::string& input) const {
    return std::ranges::any_of(modalities_, [&](const auto& modality) {
      return modality.first.size() > 1 && modality.first.contains(input);
    });
  }

  /// Only this modality is sent, so that the cost is that of a system that has nothing else.
  void add_singles(const Names& inputs) {
    const std::string& input = modalities_.at(inputs);
    std::vector<std::string> heads;
    for (const NodeConfig& node : pipeline_.nodes) {
      if (below_.at(node.name) == inputs) {
        heads.push_back(node.name);
      }
    }
    for (const BranchConfig& branch : pipeline_.branches) {
      if (below_.at(branch.name) == inputs && classifies(branch.name)) {
        heads.push_back(branch.name);
      }
    }
    for (const std::string& head : heads) {
      const bool alone = heads.size() == 1;
      add({.kind = Kind::kSingle,
           .key = "single_" + (alone ? input : input + "_" + head),
           .title = alone ? input + " alone" : fmt::format("{} alone ({})", input, head),
           .inputs = {inputs.begin(), inputs.end()},
           .answer_node = head});
    }
    if (heads.empty() && !(inputs.size() == 1 && is_part(input))) {
      found_.notes.push_back(fmt::format("nothing answers from '{}' alone", input));
    }
  }

  /// "" when there is none.
  std::string early_node() const {
    return widest([&](const NodeConfig& node) {
      return node.op == "model" && node.inputs.size() > 1 &&
             std::ranges::all_of(node.inputs, [&](const std::string& input) {
               return pipeline_.branch(input) != nullptr;
             });
    });
  }

  std::string late_node() const {
    return widest([&](const NodeConfig& node) {
      return joins_opinions(node) &&
             std::ranges::all_of(node.inputs,
                                 [&](const std::string& input) { return sees_one(input); });
    });
  }

  /// The node with most raw inputs below it, at least two; the first of equals.
  template <typename Wanted>
  std::string widest(const Wanted& wanted) const {
    std::string best;
    std::size_t most = 1;
    for (const NodeConfig& node : pipeline_.nodes) {
      if (wanted(node) && below_.at(node.name).size() > most) {
        most = below_.at(node.name).size();
        best = node.name;
      }
    }
    return best;
  }

  void add_node(Kind kind, const std::string& key, const std::string& node, const char* absent) {
    if (node.empty()) {
      found_.notes.push_back(fmt::format("no row '{}': {}", key, absent));
      return;
    }
    const Names& inputs = below_.at(node);
    const bool all = inputs.size() == all_inputs_.size();
    add({.kind = kind,
         .key = key,
         .title = all ? "all-" + key : fmt::format("{} ({})", key, fmt::join(inputs, " + ")),
         .inputs = {inputs.begin(), inputs.end()},
         .answer_node = node});
  }

  /// An input's own name comes before a branch's.
  Names inputs_of(const std::vector<std::string>& names) const {
    Names inputs;
    for (const std::string& name : names) {
      const bool is_input = std::ranges::find(all_inputs_, name) != all_inputs_.end();
      const Names taken = is_input ? Names{name} : below_.at(name);
      inputs.insert(taken.begin(), taken.end());
    }
    return inputs;
  }

  void add_without() {
    const bool each_alone = options_.without.empty() && all_inputs_.size() > 1;
    for (const std::string& pattern : each_alone ? all_inputs_ : options_.without) {
      const std::vector<std::string> named = split(pattern);
      const Names left_out = inputs_of(named);
      Configuration without{.kind = Kind::kWithout,
                            .key = fmt::format("without_{}", fmt::join(named, "_")),
                            .title = fmt::format("hybrid without {}", fmt::join(named, ", ")),
                            .inputs = {}};
      for (const std::string& input : all_inputs_) {
        if (!left_out.contains(input)) {
          without.inputs.push_back(input);
        }
      }
      add(std::move(without));
    }
  }

  const PipelineConfig& pipeline_;
  const ConfigurationOptions& options_;
  const std::map<std::string, Names> below_;
  const std::map<Names, std::string> modalities_;
  const std::vector<std::string> all_inputs_;
  std::string full_plan_;
  Configurations found_;
};

}  // namespace

Result<Configurations> find_configurations(const PipelineConfig& pipeline,
                                           const ConfigurationOptions& options) {
  return Finder(pipeline, options).find();
}

}  // namespace braid
