// A day of two channels at one sample a second: reading, resampling and the statistics.

#include <cmath>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "base/check.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

std::string a_record(std::size_t samples) {
  std::string csv = "time,pulse,level\n";
  for (std::size_t i = 0; i < samples; ++i) {
    const auto time = static_cast<double>(i);
    csv += fmt::format("{:.3f},{:.3f},{:.2f}\n", time * 1.01, 70 + 9 * std::sin(time / 50),
                       97 + std::cos(time * time));
  }
  return csv;
}

void encode(benchmark::State& state, const char* text) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  const auto preprocessor = *registry.make("series", *Settings::parse(text));
  const std::string raw = a_record(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    const auto encoded = preprocessor->encode(raw);
    BRAID_CHECK(encoded.has_value());
    benchmark::DoNotOptimize(encoded);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK_CAPTURE(encode, raw, "{channels: [pulse, level], time: time, bytes_max: 9000000}")
    ->Arg(1000)
    ->Arg(86400);
BENCHMARK_CAPTURE(encode, linear,
                  "{channels: [pulse, level], time: time, every: 1, resample: linear, "
                  "bytes_max: 9000000}")
    ->Arg(1000)
    ->Arg(86400);
BENCHMARK_CAPTURE(encode, statistics,
                  "{channels: [pulse, level], time: time, features: statistics, "
                  "statistics: [basic, dynamics], bytes_max: 9000000}")
    ->Arg(1000)
    ->Arg(86400);

}  // namespace
}  // namespace braid

BENCHMARK_MAIN();
