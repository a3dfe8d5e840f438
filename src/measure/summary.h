#pragma once
// Summary: what an evaluation says: scores of each configuration with intervals, and the paired
// differences that its claims rest on.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/bootstrap.h"
#include "measure/evaluate.h"

namespace braid {

struct ConfigurationSummary {
  Configuration configuration;
  std::size_t failures = 0;   // requests without an answer; counted as wrong
  std::size_t cut_short = 0;  // answers that the deadline cut short; scored as they came
  Interval accuracy;
  Interval nll;
  double macro_f1 = 0;
  double brier = 0;
  double ece = 0;        // 15 bins of equal mass, debiased
  double ece_limit = 0;  // what 95 % of perfectly calibrated models stay below
  double auroc = 0;      // of confidence for being right
  double latency_p50_ms = 0;
  double latency_p95_ms = 0;
  Interval cost_core_ms;
  std::vector<std::pair<std::string, std::size_t>> plans;  // how often each ended the request
};

/// First minus second, case by case.
struct Comparison {
  std::string key;    // "hybrid_early"
  std::string title;  // "hybrid − all-early"
  Interval accuracy;
  Interval nll;
  std::optional<Interval> saving = {};  // of core-milliseconds, as a share
  bool is_non_inferior = false;         // of accuracy, within the margin
};

struct SummaryOptions {
  double margin = 0.01;  // accuracy that may be lost where money is saved
  /// Further differences, by the keys of two configurations: first minus second.
  std::vector<std::pair<std::string, std::string>> pairs = {};
  BootstrapOptions bootstrap = {};
};

struct Summary {
  std::size_t case_count = 0;
  std::size_t group_count = 0;
  double margin = 0;
  std::vector<ConfigurationSummary> configurations;
  std::vector<Comparison> comparisons;
};

/// "without_title - without_title_voice": two keys with " - " between. kInvalidArgument when it is
/// not so.
Result<std::pair<std::string, std::string>> parse_pair(const std::string& text);

/// At least one case. kNotFound when a pair names a configuration that was not run. Compared are:
/// hybrid with the best single (the one that is best on these very cases, which favours it), with
/// all-early and all-late; hybrid without an input with the best single among those that are left;
/// the policy and each plan with the full plan; then `pairs`.
Result<Summary> summarise(const Evaluation& evaluation, const SummaryOptions& options = {});

}  // namespace braid
