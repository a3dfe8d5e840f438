// Videos through the whole preprocessor, as bench/k6_video.py runs it against others:
//   video_bench [--benchmark_…] SETTINGS VIDEO…       SETTINGS as in a pipeline: "{frames: 16,
//   size: 112}"
// One benchmark a video, named after it.

#include <cstdio>

#include <benchmark/benchmark.h>

#include "base/check.h"
#include "base/file.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

void measure(benchmark::State& state, const Preprocessor& preprocessor, const std::string& raw) {
  for (auto _ : state) {
    const auto encoded = preprocessor.encode(raw);
    BRAID_CHECK(encoded.has_value());
    benchmark::DoNotOptimize(encoded);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(raw.size()));
}

Result<void> run(const char* settings_text, std::vector<std::string> files) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  BRAID_TRY(const Settings settings, Settings::parse(settings_text));
  BRAID_TRY(const std::unique_ptr<Preprocessor> preprocessor, registry.make("video", settings));
  std::vector<std::string> videos;
  videos.reserve(files.size());  // the benchmarks keep references
  for (const std::string& file : files) {
    BRAID_TRY(std::string raw, read_file(file));
    BRAID_TRY_DO(preprocessor->encode(raw).within(file));
    const std::string& video = videos.emplace_back(std::move(raw));
    benchmark::RegisterBenchmark(
        file.c_str(), [&](benchmark::State& state) { measure(state, *preprocessor, video); });
  }
  benchmark::RunSpecifiedBenchmarks();
  return {};
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 3) {
    std::fprintf(stderr, "usage: video_bench [--benchmark_…] SETTINGS VIDEO…\n");
    return 2;
  }
  const auto done = braid::run(argv[1], {argv + 2, argv + argc});
  if (!done.has_value()) {
    std::fprintf(stderr, "video_bench: %s\n", done.error().describe().c_str());
    return 1;
  }
  return 0;
}
