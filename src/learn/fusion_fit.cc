#include "learn/fusion_fit.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/mutex.h"
#include "learn/op_fit.h"
#include "learn/parallel.h"
#include "learn/patterns.h"
#include "learn/temperature.h"

namespace braid {
namespace {

double rounded(double value) { return std::round(value * 1e6) / 1e6; }

class Fitting {
 public:
  Fitting(const FitSetup& setup, const FitData& data, const EmbeddedRows& embedded,
          const std::vector<FittedHead>& heads, const Registry<FusionOp>& fusion_ops)
      : setup_(setup),
        pipeline_(*setup.pipeline),
        data_(data),
        embedded_(embedded),
        heads_(heads),
        fusion_ops_(fusion_ops) {}

  /// The temperature of a scoring branch's own scores, by branch and space.
  void calibrate_branches(FusionFit& fit) {
    for (std::size_t b = 0; b < pipeline_.branches.size(); ++b) {
      const Branch& branch = pipeline_.branches[b];
      for (std::size_t v = 0; setup_.gives_scores(b) && v < branch.variants.size(); ++v) {
        const std::string& space = branch.variants[v].config.space;
        if (!temperatures_.try_emplace({b, space}, 1).second) {
          continue;  // of an earlier variant of this space
        }
        const VariantRows& rows = embedded_[b][v];
        const double temperature = rounded(temperature_of({rows.scores, rows.present}));
        temperatures_[{b, space}] = temperature;
        fit.branches[branch.config.name].push_back(
            {{{branch.config.name, space}}, temperature, {}, Json(Json::Map{})});
      }
    }
  }

  Result<PatternFit> fit(const Pattern& pattern, const std::vector<std::size_t>& rows,
                         bool from_all_rows) const {
    PatternFit fitted{pattern, from_all_rows, {}, {}, {}};
    std::map<std::string, Member> said;  // by name of branch or node
    for (std::size_t b = 0; b < pipeline_.branches.size(); ++b) {
      if (setup_.gives_scores(b)) {
        said.emplace(pipeline_.branches[b].config.name, branch_says(b, pattern));
      }
    }
    for (std::size_t n = 0; n < pipeline_.config.nodes.size(); ++n) {
      const NodeConfig& node = pipeline_.config.nodes[n];
      BRAID_TRY(Member member, node.op == "model" ? Result<Member>(head_node_says(n, pattern))
                                                  : fit_node(n, said, rows, fitted));
      if (pattern == reference_pattern(pipeline_)) {
        fitted.nodes.push_back(member);
      }
      said.emplace(node.name, std::move(member));
    }
    fitted.decision = said.at(pipeline_.config.nodes.back().name);
    return fitted;
  }

 private:
  double temperature_of(const Member& member) const {
    std::vector<std::size_t> here;
    std::vector<std::size_t> labels;
    std::vector<double> weights;
    for (std::size_t i = 0; i < data_.row_count(); ++i) {
      if (member.present[i]) {
        here.push_back(i);
        labels.push_back(data_.labels[i]);
        weights.push_back(data_.weights[i]);
      }
    }
    return here.empty() ? 1
                        : fit_temperature(rows_of(member.log_probabilities, here), labels, weights);
  }

  Member nobody() const {
    return {Matrix(data_.row_count(), data_.classes.size()), std::vector<bool>(data_.row_count())};
  }

  Member branch_says(std::size_t b, const Pattern& pattern) const {
    if (!pattern[b].has_value()) {
      return nobody();
    }
    const VariantRows& rows = embedded_[b][*pattern[b]];
    Member member{rows.scores, rows.present};
    const std::string& space = pipeline_.branches[b].variants[*pattern[b]].config.space;
    log_softmax(member.log_probabilities, temperatures_.at({b, space}));
    return member;
  }

  /// The first head that fits the spaces at hand, as when serving.
  Member head_node_says(std::size_t node_index, const Pattern& pattern) const {
    for (const FittedHead& head : heads_) {
      if (head.plan.node_index == node_index && fits(head.plan, pattern)) {
        HeadSaid said = head_says(head, pattern, embedded_);
        log_softmax(said.logits, head.temperature);
        return {std::move(said.logits), std::move(said.present)};
      }
    }
    return nobody();
  }

  bool fits(const HeadPlan& plan, const Pattern& pattern) const {
    for (std::size_t i = 0; i < plan.branches.size(); ++i) {
      const std::size_t b = plan.branches[i];
      if (pattern[b].has_value() &&
          pipeline_.branches[b].variants[*pattern[b]].config.space != plan.spaces[i]) {
        return false;
      }
    }
    return true;
  }

  /// Parameters from all rows; opinions on each fold from parameters that did not see it.
  Result<Member> fit_node(std::size_t node_index, const std::map<std::string, Member>& said,
                          const std::vector<std::size_t>& rows, PatternFit& fitted) const {
    const NodeConfig& node = pipeline_.config.nodes[node_index];
    std::vector<Member> members;
    for (const std::string& input : node.inputs) {
      members.push_back(said.at(input));
    }
    Member opinion = nobody();
    for (std::size_t fold = 0; fold < setup_.config.options.folds; ++fold) {
      std::vector<std::size_t> inside;
      std::vector<std::size_t> outside;
      for (const std::size_t i : rows) {
        (data_.folds[i] == fold ? inside : outside).push_back(i);
      }
      if (inside.empty()) {
        continue;
      }
      const Json parameters = fit_op(node, members, data_, outside.empty() ? rows : outside);
      BRAID_TRY_DO(apply_op(node, parameters, fusion_ops_, members, data_, inside, opinion));
    }
    const double temperature = rounded(temperature_of(opinion));
    log_softmax(opinion.log_probabilities, temperature);
    fitted.entries[node_index] = {spaces_below(pipeline_, node.name, fitted.pattern),
                                  temperature,
                                  {},
                                  fit_op(node, members, data_, rows)};
    return opinion;
  }

  const FitSetup& setup_;
  const Pipeline& pipeline_;
  const FitData& data_;
  const EmbeddedRows& embedded_;
  const std::vector<FittedHead>& heads_;
  const Registry<FusionOp>& fusion_ops_;
  std::map<std::pair<std::size_t, std::string>, double> temperatures_;
};

/// Writes each node's entries once: patterns that differ in branches that a node does not see, or
/// in variants of one space, would repeat them.
void collect_entries(const FitSetup& setup, FusionFit& fit) {
  for (const PatternFit& pattern : fit.patterns) {
    if (!is_first_of_spaces(*setup.pipeline, pattern.pattern)) {
      continue;
    }
    for (const auto& [node_index, entry] : pattern.entries) {
      auto& entries = fit.nodes[setup.pipeline->config.nodes[node_index].name];
      if (std::ranges::find(entries, entry.spaces, &FittedEntry::spaces) == entries.end()) {
        entries.push_back(entry);
      }
    }
  }
}

void add_head_temperatures(const FitSetup& setup, const std::vector<FittedHead>& heads,
                           FusionFit& fit) {
  for (const FittedHead& head : heads) {
    FittedEntry entry{{}, rounded(head.temperature), head.plan.model, Json(Json::Map{})};
    for (std::size_t i = 0; i < head.plan.branches.size(); ++i) {
      entry.spaces[setup.pipeline->config.branches[head.plan.branches[i]].name] =
          head.plan.spaces[i];
    }
    fit.nodes[setup.pipeline->config.nodes[head.plan.node_index].name].push_back(entry);
  }
}

}  // namespace

Result<FusionFit> fit_fusion(const FitSetup& setup, const FitData& data,
                             const EmbeddedRows& embedded, const std::vector<FittedHead>& heads,
                             const Registry<FusionOp>& fusion_ops, const FitContext& context) {
  for (const NodeConfig& node : setup.pipeline->config.nodes) {
    BRAID_TRY_DO(check_fittable(node));
  }
  BRAID_TRY(const std::vector<Pattern> patterns, all_patterns(*setup.pipeline));
  FusionFit fit;
  Fitting fitting(setup, data, embedded, heads, fusion_ops);
  fitting.calibrate_branches(fit);

  std::vector<std::optional<Result<PatternFit>>> fitted(patterns.size());
  std::atomic<std::size_t> done = 0;
  Mutex telling;
  run_parallel(patterns.size(), context.thread_count, [&](std::size_t p) {
    const PatternRows rows = rows_for(*setup.pipeline, patterns[p], embedded, data);
    if (!rows.indices.empty() && !context.stopped()) {
      fitted[p].emplace(fitting.fit(patterns[p], rows.indices, rows.are_all));
    }
    const Lock lock(telling);
    context.tell("fitting fusion", ++done, patterns.size());
  });
  if (context.stopped()) {
    return Error{Code::kCancelled, "stopped before the fusion was fitted"};
  }
  for (auto& each : fitted) {
    if (each.has_value()) {
      BRAID_TRY(PatternFit pattern, *std::move(each));
      fit.patterns.push_back(std::move(pattern));
    }
  }
  collect_entries(setup, fit);
  add_head_temperatures(setup, heads, fit);
  return fit;
}

}  // namespace braid
