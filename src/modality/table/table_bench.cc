// A record of 20 columns, 4 of them categorical, through the whole preprocessor. Figure A4 leaves
// 30 µs for everything that a row costs beside the forest, so this may take 5.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "base/check.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

std::unique_ptr<Preprocessor> open() {
  std::string columns;
  for (int i = 0; i < 20; ++i) {
    columns += i % 5 == 0 ? fmt::format("- {{name: kind_{}, categories: [a, b, c]}}\n", i)
                          : fmt::format("- number_{}\n", i);
  }
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  const auto settings = Settings::parse(fmt::format("columns:\n{}", columns));
  return *registry.make("table", *settings);
}

void measure(benchmark::State& state, const std::string& record) {
  const auto table = open();
  for (auto _ : state) {
    const auto encoded = table->encode(record);
    BRAID_CHECK(encoded.has_value());
    benchmark::DoNotOptimize(encoded);
  }
}

void record_of_20(benchmark::State& state) {
  std::string record;
  for (int i = 0; i < 20; ++i) {
    record += i % 5 == 0 ? fmt::format(", \"kind_{}\": \"b\"", i)
                         : fmt::format(", \"number_{}\": {}", i, 0.25 * i);
  }
  measure(state, fmt::format("{{{}}}", record.substr(1)));
}

void list_of_20(benchmark::State& state) {
  std::string list;
  for (int i = 0; i < 20; ++i) {
    list += i % 5 == 0 ? std::string(", \"b\"") : fmt::format(", {}", 0.25 * i);
  }
  measure(state, fmt::format("[{}]", list.substr(1)));
}

BENCHMARK(record_of_20);
BENCHMARK(list_of_20);

}  // namespace
}  // namespace braid

BENCHMARK_MAIN();
