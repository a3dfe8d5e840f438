// Lines to templates, as bench/k5_drain.py runs it against Drain3:
//   log_bench [--benchmark_…] RULES FILE
// RULES as in FIT.yaml: "{sim_th: 0.4}". `fit` clusters all lines of FILE, `match` looks each up in
// the table that comes of it; a benchmark's time is that of one pass.

#include <cstdio>

#include <benchmark/benchmark.h>

#include "base/file.h"
#include "modality/log/drain_fit.h"

namespace braid {
namespace {

Result<LogTable> fitted(const DrainRules& rules, Bytes log) {
  DrainFit fit(rules);
  bool added = true;
  for_each_line(log, [&](Bytes line) { added = fit.add(line).has_value() && added; });
  BRAID_CHECK(added);
  return std::move(fit).finish();
}

/// With the number of templates, so that the other side can see that it did the same work.
void fit(benchmark::State& state, const DrainRules& rules, Bytes log) {
  std::size_t count = 0;
  for (auto _ : state) {
    count = fitted(rules, log)->template_count();
  }
  state.counters["templates"] = static_cast<double>(count);
}

void match(benchmark::State& state, const LogTable& table, Bytes log) {
  std::size_t known = 0;
  for (auto _ : state) {
    known = 0;
    for_each_line(log, [&](Bytes line) {
      known += table.match(LogWords(table.rules(), line), false) != LogTable::kUnknown ? 1 : 0;
    });
  }
  state.counters["known"] = static_cast<double>(known);
}

Result<void> run(const char* rules_text, const char* file) {
  BRAID_TRY(const Settings settings, Settings::parse(rules_text));
  BRAID_TRY(const DrainRules rules, DrainRules::from(settings));
  BRAID_TRY(const std::string log, read_file(file));
  BRAID_TRY(const LogTable table, fitted(rules, log));
  benchmark::RegisterBenchmark("fit", [&](benchmark::State& s) { fit(s, rules, log); });
  benchmark::RegisterBenchmark("match", [&](benchmark::State& s) { match(s, table, log); });
  benchmark::RunSpecifiedBenchmarks();
  return {};
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 3) {
    std::fprintf(stderr, "usage: log_bench [--benchmark_…] RULES FILE\n");
    return 2;
  }
  const auto done = braid::run(argv[1], argv[2]);
  if (!done.has_value()) {
    std::fprintf(stderr, "log_bench: %s\n", done.error().describe().c_str());
    return 1;
  }
  return 0;
}
