#include "net/load/load_report.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "net/grpc/grpc_status.h"
#include "net/load/fetch.h"
#include "net/load/load_client.h"

namespace braid {
namespace {

double to_ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

/// "0.154 ms", "117 ms", "2790 ms".
std::string in_ms(Duration duration) {
  const double milliseconds = to_ms(duration);
  return milliseconds < 1000 ? fmt::format("{:.3g} ms", milliseconds)
                             : fmt::format("{:.0f} ms", milliseconds);
}

/// "HTTP 503", "gRPC UNAVAILABLE", "lost", "timed out".
std::string failure_name(int code, LoadProtocol protocol) {
  if (code == LoadAnswer::kLost) {
    return "lost";
  }
  if (code == LoadAnswer::kTimedOut) {
    return "timed out";
  }
  return protocol == LoadProtocol::kGrpc ? "gRPC " + status_name(code)
                                         : fmt::format("HTTP {}", code);
}

std::string line(const char* name, const std::string& text) {
  return fmt::format("  {:<12} {}\n", name, text);
}

std::string latency_line(const LatencyHistogram& latency) {
  return line("latency", fmt::format("p50 {}   p95 {}   p99 {}   max {}",
                                     in_ms(latency.percentile(.5)), in_ms(latency.percentile(.95)),
                                     in_ms(latency.percentile(.99)), in_ms(latency.max())));
}

std::string goodput_line(const LoadFacts& facts, const LoadResult& result) {
  const double share = result.tally.answered() == 0
                           ? 0
                           : static_cast<double>(result.tally.in_deadline) /
                                 static_cast<double>(result.tally.answered());
  return line("goodput",
              fmt::format("{:.1f} requests/s within {}, {:.1f} % of all",
                          result.goodput_per_second(), in_ms(facts.deadline), 100 * share));
}

Json latency_json(const LatencyHistogram& latency) {
  Json json;
  json.set("p50", to_ms(latency.percentile(.5)));
  json.set("p95", to_ms(latency.percentile(.95)));
  json.set("p99", to_ms(latency.percentile(.99)));
  json.set("max", to_ms(latency.max()));
  json.set("mean", to_ms(latency.mean()));
  return json;
}

Json spread_json(const Spread& spread) {
  Json json;
  json.set("min", spread.low);
  json.set("median", spread.median);
  json.set("max", spread.high);
  return json;
}

/// Without a deadline goodput is the throughput again.
std::vector<Ratio> told_ratios(const LoadFacts& facts, const Comparison& comparison) {
  std::vector<Ratio> ratios = ratios_of(comparison);
  std::erase_if(ratios, [&](const Ratio& ratio) {
    return ratio.name == "goodput_per_s" && facts.deadline == Duration::max();
  });
  return ratios;
}

}  // namespace

std::string load_text(const LoadFacts& facts, const LoadResult& result) {
  const LoadTally& tally = result.tally;
  std::string text = fmt::format("{}\n{}, {:.3g} s\n", facts.target, facts.load,
                                 std::chrono::duration<double>(result.window).count());
  text += line("throughput", fmt::format("{:.1f} requests/s ({} answered, {} failed)",
                                         result.good_per_second(), tally.good, tally.failed()));
  text += latency_line(tally.latency);
  if (facts.deadline != Duration::max()) {
    text += goodput_line(facts, result);
  }
  if (tally.lag.max() > Duration::zero()) {
    text +=
        line("sent late", fmt::format("p50 {}   p99 {}   max {} (a part of the latency)",
                                      in_ms(tally.lag.percentile(.5)),
                                      in_ms(tally.lag.percentile(.99)), in_ms(tally.lag.max())));
  }
  if (const auto cpu = result.cpu_of_one()) {
    text += line("server CPU", fmt::format("{:.1f} µs a request", 1000 * to_ms(*cpu)));
  }
  if (const auto rows = result.rows_a_run()) {
    text += line("batch", fmt::format("{:.2f} rows a run", *rows));
  }
  for (const auto& [code, failures] : tally.failures) {
    text +=
        line("failed", fmt::format("{} × {}: {}", failures.count,
                                   failure_name(code, facts.protocol), error_text(failures.text)));
  }
  return text;
}

std::string comparison_text(const LoadFacts& a, const LoadFacts& b, const Comparison& comparison) {
  std::string text = "A  " + load_text(a, comparison.all_of_a());
  text += "B  " + load_text(b, comparison.all_of_b());
  text += fmt::format("B ÷ A, {} rounds of A B B A\n", comparison.rounds.size());
  for (const Ratio& ratio : told_ratios(a, comparison)) {
    text += fmt::format("  {:<16} {:.3f}   [{:.3f}, {:.3f}]\n", ratio.name, ratio.spread.median,
                        ratio.spread.low, ratio.spread.high);
  }
  return text;
}

Json load_json(const LoadFacts& facts, const LoadResult& result) {
  const LoadTally& tally = result.tally;
  Json json;
  json.set("target", facts.target);
  json.set("load", facts.load);
  json.set("window_ms", to_ms(result.window));
  json.set("good", tally.good);
  json.set("failed", tally.failed());
  json.set("requests_per_s", result.good_per_second());
  json.set("latency_ms", latency_json(tally.latency));
  if (facts.deadline != Duration::max()) {
    json.set("deadline_ms", to_ms(facts.deadline));
    json.set("goodput_per_s", result.goodput_per_second());
  }
  json.set("sent_late_ms", latency_json(tally.lag));
  const auto cpu = result.cpu_of_one();
  json.set("server_cpu_core_ms", cpu.has_value() ? Json(to_ms(*cpu)) : Json());
  const auto rows = result.rows_a_run();
  json.set("batch_rows", rows.has_value() ? Json(*rows) : Json());
  Json::List failures;
  for (const auto& [code, each] : tally.failures) {
    Json& failure = failures.emplace_back();
    failure.set("status", failure_name(code, facts.protocol));
    failure.set("count", each.count);
    failure.set("first", error_text(each.text));
  }
  json.set("failures", std::move(failures));
  return json;
}

Json comparison_json(const LoadFacts& a, const LoadFacts& b, const Comparison& comparison) {
  Json json;
  json.set("a", load_json(a, comparison.all_of_a()));
  json.set("b", load_json(b, comparison.all_of_b()));
  Json ratios(Json::Map{});
  for (const Ratio& ratio : told_ratios(a, comparison)) {
    ratios.set(ratio.name, spread_json(ratio.spread));
  }
  json.set("b_over_a", std::move(ratios));
  Json::List rounds;
  for (const Comparison::Round& round : comparison.rounds) {
    Json& both = rounds.emplace_back();
    both.set("a", load_json(a, round.a));
    both.set("b", load_json(b, round.b));
  }
  json.set("rounds", std::move(rounds));
  return json;
}

}  // namespace braid
