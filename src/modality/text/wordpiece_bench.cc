// Texts through the whole preprocessor, as bench/a3_text.py runs it against Hugging Face
// `tokenizers`:
//   wordpiece_bench [--benchmark_…] SETTINGS FILE…
// SETTINGS as in a pipeline: "{vocab: /path/vocab.txt}". Each FILE is a JSON list of texts and one
// benchmark, named after it, whose time is that of one pass over all of them.

#include <cstdio>

#include <benchmark/benchmark.h>

#include "base/file.h"
#include "base/json.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

using Texts = std::vector<std::string>;

Result<Texts> read_texts(const std::string& file) {
  BRAID_TRY(const std::string bytes, read_file(file));
  BRAID_TRY(const Json list, Json::parse(bytes).within(file));
  Texts texts;
  if (list.list() != nullptr) {
    for (const Json& item : *list.list()) {
      texts.push_back(item.text() == nullptr ? "" : *item.text());
    }
  }
  return texts;
}

/// With "tokens" of one pass, so that the other side can see that it did the same work.
void measure(benchmark::State& state, const Preprocessor& preprocessor, const Texts& texts) {
  std::size_t token_count = 0;
  for (auto _ : state) {
    token_count = 0;
    for (const std::string& text : texts) {
      const auto encoded = preprocessor.encode(text);
      token_count += encoded->tensors.front().tensor.shape()[1];
    }
  }
  state.counters["tokens"] = static_cast<double>(token_count);
}

Result<void> run(const char* settings_text, const std::vector<std::string>& files) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  BRAID_TRY(const Settings settings, Settings::parse(settings_text));
  BRAID_TRY(const std::unique_ptr<Preprocessor> preprocessor, registry.make("text", settings));
  std::vector<Texts> all;
  all.reserve(files.size());  // the benchmarks keep references
  for (const std::string& file : files) {
    BRAID_TRY(Texts texts, read_texts(file));
    const Texts& kept = all.emplace_back(std::move(texts));
    benchmark::RegisterBenchmark(
        file.c_str(), [&](benchmark::State& state) { measure(state, *preprocessor, kept); });
  }
  benchmark::RunSpecifiedBenchmarks();
  return {};
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 3) {
    std::fprintf(stderr, "usage: wordpiece_bench [--benchmark_…] SETTINGS FILE…\n");
    return 2;
  }
  const auto done = braid::run(argv[1], {argv + 2, argv + argc});
  if (!done.has_value()) {
    std::fprintf(stderr, "wordpiece_bench: %s\n", done.error().describe().c_str());
    return 1;
  }
  return 0;
}
