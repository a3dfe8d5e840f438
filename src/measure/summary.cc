#include "measure/summary.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "measure/calibration.h"
#include "measure/scores.h"

namespace braid {
namespace {

using Kind = Configuration::Kind;

/// One number a case of one configuration.
struct Column {
  std::vector<double> correct;
  std::vector<double> nll;
  std::vector<double> cost_core_ms;
  std::vector<double> latency_ms;
};

std::vector<std::string> groups_of(const Evaluation& evaluation) {
  std::vector<std::string> groups;
  for (const CaseRecord& each : evaluation.cases) {
    groups.push_back(each.group);
  }
  return groups;
}

/// A request that failed took no time that would be fair to compare.
double latency_quantile(const Column& column, double share) {
  return column.latency_ms.empty() ? 0 : quantile(column.latency_ms, share);
}

class Summariser {
 public:
  Summariser(const Evaluation& evaluation, const SummaryOptions& options)
      : evaluation_(evaluation),
        options_(options),
        bootstrap_(groups_of(evaluation), options.bootstrap) {}

  Result<Summary> run() {
    summary_.case_count = evaluation_.cases.size();
    summary_.group_count = bootstrap_.group_count();
    summary_.margin = options_.margin;
    for (std::size_t c = 0; c < evaluation_.configurations.size(); ++c) {
      summarise_configuration(c);
    }
    compare_all();
    BRAID_TRY_DO(compare_pairs());
    return std::move(summary_);
  }

 private:
  void summarise_configuration(std::size_t c) {
    const std::vector<Answer> answers = answers_of(evaluation_, c);
    Column column{.correct = correct_per_case(answers),
                  .nll = nll_per_case(answers),
                  .cost_core_ms = {},
                  .latency_ms = {}};
    ConfigurationSummary row;
    row.configuration = evaluation_.configurations[c];
    std::map<std::string, std::size_t> plans;
    for (const CaseRecord& each : evaluation_.cases) {
      const CaseAnswer& answer = each.answers[c];
      column.cost_core_ms.push_back(answer.cost_core_ms);
      row.cut_short += answer.cut_short ? 1 : 0;
      if (answer.error.empty()) {
        column.latency_ms.push_back(answer.latency_ms);
        ++plans[answer.plan];
      } else {
        ++row.failures;
      }
    }
    row.plans.assign(plans.begin(), plans.end());
    row.accuracy = bootstrap_.mean(column.correct);
    row.macro_f1 = macro_f1(answers);
    row.nll = bootstrap_.mean(column.nll);
    row.cost_core_ms = bootstrap_.mean(column.cost_core_ms);
    row.brier = mean(brier_per_case(answers));
    row.ece = expected_calibration_error(confidences(answers));
    row.ece_limit = perfect_calibration_limit(confidences(answers), options_.bootstrap.seed);
    row.auroc = confidence_auroc(answers);
    row.latency_p50_ms = latency_quantile(column, 0.5);
    row.latency_p95_ms = latency_quantile(column, 0.95);
    summary_.configurations.push_back(std::move(row));
    columns_.push_back(std::move(column));
  }

  const Configuration& configuration(std::size_t c) const { return evaluation_.configurations[c]; }

  std::optional<std::size_t> find(Kind kind) const {
    const auto found = std::ranges::find(evaluation_.configurations, kind, &Configuration::kind);
    if (found == evaluation_.configurations.end()) {
      return std::nullopt;
    }
    return static_cast<std::size_t>(found - evaluation_.configurations.begin());
  }

  /// The most accurate single whose input is among `inputs`.
  std::optional<std::size_t> best_single(const std::vector<std::string>& inputs) const {
    std::optional<std::size_t> best;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool fits = configuration(c).kind == Kind::kSingle &&
                        std::ranges::all_of(configuration(c).inputs, [&](const std::string& each) {
                          return std::ranges::find(inputs, each) != inputs.end();
                        });
      if (fits && (!best.has_value() || summary_.configurations[c].accuracy.value >
                                            summary_.configurations[*best].accuracy.value)) {
        best = c;
      }
    }
    return best;
  }

  void compare_all() {
    const std::optional<std::size_t> hybrid = find(Kind::kHybrid);
    if (hybrid.has_value()) {
      compare(*hybrid, best_single(configuration(*hybrid).inputs), "best_single");
      compare(*hybrid, find(Kind::kEarly), "early");
      compare(*hybrid, find(Kind::kLate), "late");
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Kind kind = configuration(c).kind;
      if (kind == Kind::kWithout) {
        compare(c, best_single(configuration(c).inputs), "best_single");
      } else if (kind == Kind::kPlan || kind == Kind::kPolicy) {
        compare(c, hybrid, "hybrid");
      }
    }
  }

  Result<std::size_t> named(const std::string& key) const {
    std::string known;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (configuration(c).key == key) {
        return c;
      }
      known += " " + configuration(c).key;
    }
    return Error{Code::kNotFound, fmt::format("no row '{}' to compare; there are:{}", key, known)};
  }

  Result<void> compare_pairs() {
    for (const auto& [left, right] : options_.pairs) {
      BRAID_TRY(const std::size_t first, named(left));
      BRAID_TRY(const std::size_t second, named(right));
      compare(first, second, configuration(second).key);
    }
    return {};
  }

  void compare(std::size_t first, std::optional<std::size_t> second, const std::string& key) {
    if (!second.has_value()) {
      return;
    }
    const Column& left = columns_[first];
    const Column& right = columns_[*second];
    Comparison comparison{
        .key = configuration(first).key + "_" + key,
        .title = fmt::format("{} − {}", configuration(first).title, configuration(*second).title),
        .accuracy = bootstrap_.difference(left.correct, right.correct),
        .nll = bootstrap_.difference(left.nll, right.nll)};
    comparison.is_non_inferior = non_inferior(comparison.accuracy, options_.margin);
    if (key == "hybrid" && mean(right.cost_core_ms) > 0) {
      comparison.saving = bootstrap_.saving(left.cost_core_ms, right.cost_core_ms);
    }
    summary_.comparisons.push_back(std::move(comparison));
  }

  const Evaluation& evaluation_;
  const SummaryOptions options_;
  const Bootstrap bootstrap_;
  std::vector<Column> columns_;
  Summary summary_;
};

}  // namespace

Result<std::pair<std::string, std::string>> parse_pair(const std::string& text) {
  constexpr std::string_view kBetween = " - ";
  const std::size_t at = text.find(kBetween);
  if (at == std::string::npos || at == 0 || at + kBetween.size() == text.size()) {
    return Error{Code::kInvalidArgument,
                 fmt::format("pair '{}': write it as 'without_title - without_title_voice', the "
                             "keys of two rows",
                             text)};
  }
  return std::pair(text.substr(0, at), text.substr(at + kBetween.size()));
}

Result<Summary> summarise(const Evaluation& evaluation, const SummaryOptions& options) {
  return Summariser(evaluation, options).run();
}

}  // namespace braid
