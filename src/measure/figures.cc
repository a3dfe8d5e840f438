#include "measure/figures.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace braid {
namespace {

Interval exact(double value) { return {value, value, value}; }

std::optional<double> end_of(const Interval& interval, double end) {
  const bool has_ends = interval.low != interval.high;
  return has_ends ? std::optional(end) : std::nullopt;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  const std::size_t end = text.find_last_not_of(' ');
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

/// Takes ".low" or ".high" off the figure's name.
void split_end(Goal& goal) {
  for (const auto& [suffix, end] :
       {std::pair(".low", Goal::End::kLow), {".high", Goal::End::kHigh}}) {
    if (goal.figure.ends_with(suffix)) {
      goal.figure.resize(goal.figure.size() - std::string_view(suffix).size());
      goal.end = end;
      return;
    }
  }
}

double seen_by(const Goal& goal, const Interval& interval) {
  switch (goal.end) {
    case Goal::End::kLow:
      return interval.low;
    case Goal::End::kHigh:
      return interval.high;
    case Goal::End::kValue:
      break;
  }
  return interval.value;
}

const Figure* find_figure(const std::vector<Figure>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Figure::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Figure> figures(const Summary& summary) {
  std::vector<Figure> all;
  for (const ConfigurationSummary& row : summary.configurations) {
    const std::string& key = row.configuration.key;
    const std::string& title = row.configuration.title;
    all.push_back({key + ".accuracy", title + ": accuracy", row.accuracy, ""});
    all.push_back({key + ".macro_f1", title + ": macro F1", exact(row.macro_f1), ""});
    all.push_back({key + ".nll", title + ": negative log-likelihood", row.nll, "nats"});
    all.push_back({key + ".brier", title + ": Brier score", exact(row.brier), ""});
    all.push_back({key + ".ece", title + ": calibration error", exact(row.ece), ""});
    all.push_back(
        {key + ".latency_p50_ms", title + ": latency, median", exact(row.latency_p50_ms), "ms"});
    all.push_back(
        {key + ".latency_p95_ms", title + ": latency, p95", exact(row.latency_p95_ms), "ms"});
    all.push_back({key + ".cost_core_ms", title + ": cost a case", row.cost_core_ms, "core-ms"});
  }
  for (const Comparison& each : summary.comparisons) {
    all.push_back({each.key + ".accuracy", each.title + ": accuracy, paired", each.accuracy, ""});
    all.push_back(
        {each.key + ".nll", each.title + ": negative log-likelihood, paired", each.nll, "nats"});
    if (each.saving.has_value()) {
      all.push_back(
          {each.key + ".saving", each.title + ": share of core-ms saved", *each.saving, ""});
    }
  }
  return all;
}

Result<Goal> parse_goal(const std::string& text) {
  const std::size_t at_least = text.find(">=");
  const std::size_t sign = std::min(at_least, text.find("<="));
  Goal goal{.figure = {}, .at_least = at_least == sign, .bound = 0, .text = text};
  if (sign != std::string::npos) {
    goal.figure = trimmed(std::string_view(text).substr(0, sign));
    const std::string number = trimmed(std::string_view(text).substr(sign + 2));
    const auto [end, failure] =
        std::from_chars(number.data(), number.data() + number.size(), goal.bound);
    if (failure == std::errc() && end == number.data() + number.size() && !goal.figure.empty()) {
      split_end(goal);
      return goal;
    }
  }
  return Error{Code::kInvalidArgument,
               fmt::format("goal '{}': write it as 'hybrid.accuracy >= 0.84'", text)};
}

Result<std::vector<GoalOutcome>> check_goals(const std::vector<Goal>& goals,
                                             const std::vector<Figure>& figures) {
  std::vector<GoalOutcome> outcomes;
  for (const Goal& goal : goals) {
    const Figure* figure = find_figure(figures, goal.figure);
    if (figure == nullptr) {
      std::string known;
      for (const Figure& each : figures) {
        known += " " + each.name;
      }
      return Error{Code::kNotFound,
                   fmt::format("goal '{}': no such figure; there are:{}", goal.text, known)};
    }
    const double value = seen_by(goal, figure->interval);
    outcomes.push_back({goal, value, goal.at_least ? value >= goal.bound : value <= goal.bound});
  }
  return outcomes;
}

std::vector<EvidenceRow> evidence_rows(const std::string& id, const std::vector<Figure>& figures,
                                       const std::vector<GoalOutcome>& goals) {
  std::vector<EvidenceRow> rows;
  for (const Figure& figure : figures) {
    EvidenceRow row{.id = id + "." + figure.name,
                    .what = figure.what,
                    .value = figure.interval.value,
                    .low = end_of(figure.interval, figure.interval.low),
                    .high = end_of(figure.interval, figure.interval.high),
                    .unit = figure.unit};
    for (const GoalOutcome& outcome : goals) {
      if (outcome.goal.figure == figure.name) {
        row.goal += (row.goal.empty() ? "" : ", ") +
                    outcome.goal.text.substr(outcome.goal.text.find_first_of("<>"));
        row.holds = row.holds.value_or(true) && outcome.holds;
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace braid
