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

class Finder {
 public:
  Finder(const PipelineConfig& pipeline, const ConfigurationOptions& options)
      : pipeline_(pipeline),
        options_(options),
        below_(raw_inputs_below(pipeline)),
        all_inputs_(pipeline.raw_inputs()) {}

  Result<Configurations> find() {
    BRAID_TRY_DO(check_names());
    full_plan_ = options_.full_plan.empty() ? pipeline_.plans.back().name : options_.full_plan;
    for (const std::string& input : all_inputs_) {
      add_singles(input);
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
      for (const std::string& input : split(pattern)) {
        if (std::ranges::find(all_inputs_, input) == all_inputs_.end()) {
          return missing("input", input);
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

  bool sees_one(const std::string& name) const { return below_.at(name).size() == 1; }

  /// Only this input is sent, so that the cost is that of a system that has nothing else.
  void add_singles(const std::string& input) {
    std::vector<std::string> heads;
    for (const NodeConfig& node : pipeline_.nodes) {
      if (below_.at(node.name) == Names{input}) {
        heads.push_back(node.name);
      }
    }
    for (const BranchConfig& branch : pipeline_.branches) {
      if (below_.at(branch.name) == Names{input} && classifies(branch.name)) {
        heads.push_back(branch.name);
      }
    }
    for (const std::string& head : heads) {
      const bool alone = heads.size() == 1;
      add({.kind = Kind::kSingle,
           .key = "single_" + (alone ? input : input + "_" + head),
           .title = alone ? input + " alone" : fmt::format("{} alone ({})", input, head),
           .inputs = {input},
           .answer_node = head});
    }
    if (heads.empty()) {
      found_.notes.push_back(fmt::format("nothing answers from '{}' alone", input));
    }
  }

  /// "" when there is none.
  std::string early_node() const {
    return widest([&](const NodeConfig& node) {
      return node.op == "model" && std::ranges::all_of(node.inputs, [&](const std::string& input) {
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

  void add_without() {
    const bool each_alone = options_.without.empty() && all_inputs_.size() > 1;
    for (const std::string& pattern : each_alone ? all_inputs_ : options_.without) {
      const std::vector<std::string> left_out = split(pattern);
      Configuration without{.kind = Kind::kWithout,
                            .key = fmt::format("without_{}", fmt::join(left_out, "_")),
                            .title = fmt::format("hybrid without {}", fmt::join(left_out, ", ")),
                            .inputs = {}};
      for (const std::string& input : all_inputs_) {
        if (std::ranges::find(left_out, input) == left_out.end()) {
          without.inputs.push_back(input);
        }
      }
      add(std::move(without));
    }
  }

  const PipelineConfig& pipeline_;
  const ConfigurationOptions& options_;
  const std::map<std::string, Names> below_;
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
