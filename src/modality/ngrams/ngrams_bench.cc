// Texts to rows, as bench/k5_ngram.py runs it against scikit-learn:
//   ngrams_bench [--benchmark_…] TABLE.json TEXTS.json
// `weigh` gives sparse rows, `encode` the dense ones of the preprocessor, `fit` a table by TABLE's
// rules. TEXTS.json is a list; a benchmark's time is that of one pass over all of it.

#include <cstdio>

#include <benchmark/benchmark.h>

#include "base/file.h"
#include "modality/ngrams/ngram_fit.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

using Texts = std::vector<std::string>;

/// With "cells" of one pass, so that the other side can see that it did the same work.
void weigh(benchmark::State& state, const NgramTable& table, const Texts& texts) {
  std::size_t cell_count = 0;
  for (auto _ : state) {
    cell_count = 0;
    for (const std::string& text : texts) {
      cell_count += table.weigh(text).columns.size();
    }
  }
  state.counters["cells"] = static_cast<double>(cell_count);
}

void encode(benchmark::State& state, const Preprocessor& preprocessor, const Texts& texts) {
  for (auto _ : state) {
    for (const std::string& text : texts) {
      benchmark::DoNotOptimize(preprocessor.encode(text));
    }
  }
}

void fit(benchmark::State& state, const NgramRules& rules, const Texts& texts) {
  for (auto _ : state) {
    NgramFit fitting(rules, {});
    for (const std::string& text : texts) {
      BRAID_CHECK(fitting.add(text).has_value());
    }
    benchmark::DoNotOptimize(std::move(fitting).finish());
  }
}

Result<void> run(const std::string& table_file, const std::string& texts_file) {
  BRAID_TRY(const std::string json, read_file(table_file));
  BRAID_TRY(const NgramTable table, NgramTable::parse(json, table_file));
  BRAID_TRY(const std::string bytes, read_file(texts_file));
  BRAID_TRY(const Json list, Json::parse(bytes).within(texts_file));
  Texts texts;
  for (const Json& item : list.list() == nullptr ? Json::List() : *list.list()) {
    texts.push_back(item.text() == nullptr ? "" : *item.text());
  }
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  BRAID_TRY(const Settings settings, Settings::parse("{table: " + table_file + "}", "/"));
  BRAID_TRY(const std::unique_ptr<Preprocessor> preprocessor, registry.make("ngrams", settings));
  benchmark::RegisterBenchmark("weigh", [&](benchmark::State& s) { weigh(s, table, texts); });
  benchmark::RegisterBenchmark("encode",
                               [&](benchmark::State& s) { encode(s, *preprocessor, texts); });
  benchmark::RegisterBenchmark("fit", [&](benchmark::State& s) { fit(s, table.rules(), texts); });
  benchmark::RunSpecifiedBenchmarks();
  return {};
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 3) {
    std::fprintf(stderr, "usage: ngrams_bench [--benchmark_…] TABLE.json TEXTS.json\n");
    return 2;
  }
  const auto done = braid::run(argv[1], argv[2]);
  if (!done.has_value()) {
    std::fprintf(stderr, "ngrams_bench: %s\n", done.error().describe().c_str());
    return 1;
  }
  return 0;
}
