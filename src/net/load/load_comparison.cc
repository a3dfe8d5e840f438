#include "net/load/load_comparison.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace braid {
namespace {

using Figure = std::optional<double> (*)(const LoadResult&);

std::optional<double> latency(const LoadResult& result, double fraction) {
  return std::chrono::duration<double>(result.tally.latency.percentile(fraction)).count();
}

std::optional<double> cpu(const LoadResult& result) {
  const auto cpu = result.cpu_of_one();
  return cpu.has_value() ? std::optional(std::chrono::duration<double>(*cpu).count())
                         : std::nullopt;
}

constexpr std::pair<const char*, Figure> kFigures[] = {
    {"requests_per_s",
     [](const LoadResult& result) { return std::optional(result.good_per_second()); }},
    {"goodput_per_s",
     [](const LoadResult& result) { return std::optional(result.goodput_per_second()); }},
    {"latency_p50", [](const LoadResult& result) { return latency(result, .5); }},
    {"latency_p95", [](const LoadResult& result) { return latency(result, .95); }},
    {"latency_p99", [](const LoadResult& result) { return latency(result, .99); }},
    {"server_cpu", cpu},
};

LoadResult all_of(const std::vector<Comparison::Round>& rounds,
                  LoadResult Comparison::Round::* side) {
  LoadResult all = rounds.front().*side;
  for (auto round = rounds.begin() + 1; round != rounds.end(); ++round) {
    all.merge((*round).*side);
  }
  return all;
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  BRAID_CHECK(!values.empty());
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {values.front(), median, values.back()};
}

LoadResult Comparison::all_of_a() const { return all_of(rounds, &Round::a); }
LoadResult Comparison::all_of_b() const { return all_of(rounds, &Round::b); }

Result<Comparison> compare_loads(std::size_t round_count,
                                 const std::function<Result<LoadResult>()>& run_a,
                                 const std::function<Result<LoadResult>()>& run_b) {
  Comparison comparison;
  for (std::size_t i = 0; i < round_count; ++i) {
    BRAID_TRY(LoadResult a, run_a().within("A"));
    BRAID_TRY(LoadResult b, run_b().within("B"));
    BRAID_TRY(const LoadResult b_again, run_b().within("B"));
    BRAID_TRY(const LoadResult a_again, run_a().within("A"));
    a.merge(a_again);
    b.merge(b_again);
    comparison.rounds.push_back({std::move(a), std::move(b)});
  }
  return comparison;
}

std::vector<Ratio> ratios_of(const Comparison& comparison) {
  std::vector<Ratio> ratios;
  for (const auto& [name, figure] : kFigures) {
    std::vector<double> values;
    for (const Comparison::Round& round : comparison.rounds) {
      const auto a = figure(round.a);
      const auto b = figure(round.b);
      if (a.value_or(0) > 0 && b.value_or(0) > 0) {
        values.push_back(*b / *a);
      }
    }
    if (!values.empty() && values.size() == comparison.rounds.size()) {
      ratios.push_back({name, spread_of(std::move(values))});
    }
  }
  return ratios;
}

}  // namespace braid
