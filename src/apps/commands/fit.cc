// braid fit: encoders and labelled cases in, a calibrated hybrid pipeline that serves out.

#include "learn/fit.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/command.h"
#include "apps/command_line.h"
#include "apps/fit_progress.h"
#include "apps/repository.h"
#include "base/file.h"

namespace braid {
namespace {

constexpr const char* kManual =
    "FIT.yaml is a pipeline without what fitting finds out. The smallest useful one:\n\n"
    "  name: shop\n"
    "  manifest: products.csv           # id, split, group, label, photo, title, record\n"
    "  models: encoders                 # encoders/NAME/1/model.onnx\n"
    "  inputs:\n"
    "    photo:  {modality: image, size: 224}\n"
    "    title:  {modality: text, vocab: vocab.txt}\n"
    "    record: {modality: table, schema: record_schema.json}\n"
    "  branches:\n"
    "    image:   {inputs: [photo],  variants: [efficientnet_lite0]}\n"
    "    text:    {inputs: [title],  variants: [minilm]}\n"
    "    profile: {inputs: [record], variants: [{identity: features}]}\n\n"
    "It becomes repository/ beside FIT.yaml, with encoders, heads and the pipeline, ready for\n"
    "`braid serve --repository repository`. docs/fit.md lists every key.\n\n"
    "Every input goes through every encoder once, ever: embeddings are kept by content in the "
    "cache\n"
    "folder, also when a fit is interrupted. The same data and seed give the same files.\n"
    "Ctrl-C leaves the repository as it was.\n\n"
    "Exit code 0: fitted, checked and in place. 1: something is wrong with the input, or it was\n"
    "stopped. 2: wrong options.";

std::atomic<bool> stop_asked = false;  // a signal handler can reach nothing else

void ask_to_stop(int) { stop_asked = true; }

struct Options {
  std::string file;
  std::string manifest;
  std::string repository;
  std::string cache;
  std::string json_file;
  std::int64_t thread_count = 0;
  bool skip_bad = false;
};

void describe(CommandLine& line, Options& options) {
  line.add_positional("FIT.yaml", options.file, "what to fit");
  line.add("--manifest", options.manifest, "in place of the one that FIT.yaml names");
  line.add("--repository", options.repository, "folder to write, in place of FIT.yaml's");
  line.add("--cache", options.cache,
           "folder of embeddings; default: $XDG_CACHE_HOME/braid/embeddings");
  line.add("--threads", options.thread_count, "at a time; 0: as many as there are cores");
  line.add_flag("--skip-bad", options.skip_bad,
                "leave out rows that cannot be read, and take inputs that cannot as absent");
  line.add("--json", options.json_file, "write the summary as JSON");
  line.explain(kManual);
}

/// As the XDG base directory specification says.
std::filesystem::path default_cache() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::filesystem::path base = cache != nullptr && *cache == '/'
                                         ? std::filesystem::path(cache)
                                     : home != nullptr ? std::filesystem::path(home) / ".cache"
                                                       : std::filesystem::temp_directory_path();
  return base / "braid" / "embeddings";
}

Result<FitReport> run_fit(const Options& options) {
  BRAID_TRY(FitConfig config, read_fit_config(options.file));
  if (!options.manifest.empty()) {
    config.manifest = options.manifest;
  }
  if (!options.repository.empty()) {
    config.repository = options.repository;
  }
  Registry<Preprocessor> preprocessors("modality");
  Registry<Backend> backends("model runtime");
  Registry<FusionOp> fusion_ops("fusion operator");
  Registry<Policy> policies("policy");
  register_modality_preprocessors(preprocessors);
  register_model_backends(backends);
  register_fusion_ops(fusion_ops);
  register_policy_policies(policies);

  const SystemClock clock;
  FitProgressPrinter printer(clock, ::isatty(STDERR_FILENO) == 1);
  const FitContext context{
      .clock = clock,
      .cache_folder =
          options.cache.empty() ? default_cache() : std::filesystem::path(options.cache),
      .thread_count =
          options.thread_count > 0 ? static_cast<std::size_t>(options.thread_count) : core_count(),
      .skip_bad = options.skip_bad,
      .stop = &stop_asked,
      .progress = [&printer](const FitProgress& progress) { printer.show(progress); },
      .warn = [&printer](const std::string& text) { printer.warn(text); },
  };
  return fit(config, {preprocessors, backends, fusion_ops, policies}, context);
}

class Fit final : public Command {
 public:
  std::string summary() const override {
    return "encoders and labelled cases to a calibrated pipeline that serves";
  }

  Exit run(const std::vector<std::string>& arguments) const override {
    Options options;
    CommandLine line("fit", summary());
    describe(line, options);
    if (const auto ended = line.parse(arguments)) {
      return *ended;
    }
    if (options.thread_count < 0 || options.thread_count > 1024) {
      static_cast<void>(
          line.fail({Code::kInvalidArgument, "--threads is from 0 (as many as cores) to 1024"}));
      return Exit::kUsage;
    }
    std::signal(SIGINT, ask_to_stop);
    std::signal(SIGTERM, ask_to_stop);
    const Result<FitReport> report = run_fit(options);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    if (!report.has_value()) {
      return line.fail(report.error());
    }
    fmt::print("{}\nwrote {}\nnext: braid serve --repository {}\n", readable(*report),
               report->repository.string(), report->repository.string());
    if (!options.json_file.empty()) {
      const Result<void> written = write_file(options.json_file, to_json(*report).dump(1) + "\n");
      if (!written.has_value()) {
        return line.fail(written.error());
      }
    }
    return Exit::kDone;
  }
};

}  // namespace

void register_fit(Registry<Command>& registry) {
  registry.add("fit",
               [](const NoSetup&) -> std::unique_ptr<Command> { return std::make_unique<Fit>(); });
}

}  // namespace braid
