#include "measure/report_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace braid {
namespace {

/// Characters, not bytes: what a terminal's columns count for Latin text.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char character) { return (static_cast<unsigned char>(character) & 0xC0) != 0x80; }));
}

std::string padded(std::string text, std::size_t columns) {
  text.append(columns - std::min(columns, width(text)), ' ');
  return text;
}

std::string percent(const Interval& each) {
  return fmt::format("{:5.1f} [{:.1f}, {:.1f}]", 100 * each.value, 100 * each.low, 100 * each.high);
}

std::string points(const Interval& each) {
  return fmt::format("{:+5.1f} [{:+.1f}, {:+.1f}]", 100 * each.value, 100 * each.low,
                     100 * each.high);
}

std::size_t title_width(const Summary& summary) {
  std::size_t columns = 13;
  for (const ConfigurationSummary& row : summary.configurations) {
    columns = std::max(columns, width(row.configuration.title));
  }
  return columns + 2;
}

std::string configuration_line(const ConfigurationSummary& row, std::size_t columns) {
  std::string line = fmt::format("{}{} {:7.3f}  {:.3f} {:8.1f} {:8.1f} {:8.1f}",
                                 padded(row.configuration.title, columns),
                                 padded(percent(row.accuracy), 20), row.nll.value, row.ece,
                                 row.latency_p50_ms, row.latency_p95_ms, row.cost_core_ms.value);
  if (row.failures > 0) {
    line += fmt::format("  {} failed", row.failures);
  }
  if (row.cut_short > 0) {
    line += fmt::format("  {} cut short by the deadline", row.cut_short);
  }
  return line + "\n";
}

/// What may be said of a difference, and no more.
std::string verdict(const Comparison& each, double margin) {
  std::string text;
  if (significant(each.accuracy)) {
    text = each.accuracy.value > 0 ? "significantly better" : "significantly worse";
  } else {
    text = "no significant difference";
  }
  if (each.saving.has_value()) {
    text += fmt::format("; {} within {:.1f} pt",
                        each.is_non_inferior ? "non-inferior" : "not shown to be non-inferior",
                        100 * margin);
    text += fmt::format("; saves {:.1f} % [{:.1f}, {:.1f}] of core-ms", 100 * each.saving->value,
                        100 * each.saving->low, 100 * each.saving->high);
  }
  return text;
}

}  // namespace

std::string report_table(const Summary& summary) {
  const std::size_t columns = title_width(summary);
  std::string text = fmt::format(
      "{} cases in {} groups; intervals of 95 %, bootstrap over groups\n\n{}{}     NLL    ECE   "
      "p50 ms   p95 ms  core-ms\n",
      summary.case_count, summary.group_count, padded("", columns), padded("accuracy %", 20));
  for (const ConfigurationSummary& row : summary.configurations) {
    text += configuration_line(row, columns);
  }
  text += "\nDifferences in points of accuracy, case by case\n";
  for (const Comparison& each : summary.comparisons) {
    text += fmt::format("  {}\n    {}  {}\n", each.title, padded(points(each.accuracy), 20),
                        verdict(each, summary.margin));
  }
  return text;
}

}  // namespace braid
