#pragma once
// Figures: a summary as a flat list of named numbers, for goals that a run must meet and for rows
// of evidence: "hybrid.accuracy", "policy_hybrid.saving".

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/evidence.h"
#include "measure/summary.h"

namespace braid {

struct Figure {
  std::string name;
  std::string what;   // for people
  Interval interval;  // low and high equal the value where there is no interval
  std::string unit;
};

std::vector<Figure> figures(const Summary& summary);

/// "hybrid.accuracy >= 0.84". The value is compared, or an end of its interval: "policy_hybrid
/// .accuracy.low >= -0.01".
struct Goal {
  std::string figure;
  enum class End { kValue, kLow, kHigh } end = End::kValue;
  bool at_least = true;  // else at most
  double bound = 0;
  std::string text;  // as written
};

/// kInvalidArgument unless it reads NAME[.low|.high] >= NUMBER or <= NUMBER.
Result<Goal> parse_goal(const std::string& text);

struct GoalOutcome {
  Goal goal;
  double value = 0;
  bool holds = false;
};

/// kNotFound lists the names of the figures that there are.
Result<std::vector<GoalOutcome>> check_goals(const std::vector<Goal>& goals,
                                             const std::vector<Figure>& figures);

/// A row for each figure, its id `id.NAME`; with the first goal that was set for it.
std::vector<EvidenceRow> evidence_rows(const std::string& id, const std::vector<Figure>& figures,
                                       const std::vector<GoalOutcome>& goals);

}  // namespace braid
