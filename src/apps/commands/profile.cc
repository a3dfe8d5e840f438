// braid profile: how long each model of a repository takes on this machine.

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/command_line.h"
#include "apps/repository.h"
#include "base/machine.h"
#include "measure/profile_model.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

double in_ms(const MeasuredRun* run) {
  return run == nullptr ? 0 : std::chrono::duration<double, std::milli>(run->took).count();
}

void print_row(const ModelProfile& model, std::size_t threads) {
  const MeasuredRun* most = nullptr;
  for (const MeasuredRun& run : model.runs) {
    most = run.thread_count == 1 ? &run : most;
  }
  const MeasuredRun* wide = model.find(threads, 1);
  fmt::print("{:<32} {:>7} {:>10.3f} {:>10} {:>5} {:>12.3f} {:>9.0f}\n", model.name, model.version,
             in_ms(model.find(1, 1)),
             wide == nullptr || threads == 1 ? "-" : fmt::format("{:.3f}", in_ms(wide)),
             most->row_count, in_ms(most) / static_cast<double>(most->row_count), model.memory_mib);
}

class ProfileCommand final : public Command {
 public:
  std::string summary() const override {
    return "measure every model of a repository on this machine → profile.json";
  }

  Exit run(const std::vector<std::string>& arguments) const override {
    std::vector<std::string> folders;
    std::int64_t threads = 0;
    CommandLine line("profile", summary());
    line.add_repositories(folders);
    line.add("--threads", threads, "of runs on several cores; 0: all cores");
    line.explain(
        "Runs each model alone with made-up input: 1, 2, 4 … 32 rows on one thread and one row on\n"
        "all. `braid serve` starts from these times instead of learning them from requests, and\n"
        "knows whether a lone request is quicker on all cores. They hold for this processor and\n"
        "for the model files as they are; measure while nothing else runs.\n"
        "Axes that vary are taken as 32.");
    if (const auto ended = line.parse(arguments)) {
      return *ended;
    }
    const std::size_t thread_count = threads > 0 ? static_cast<std::size_t>(threads) : core_count();
    fmt::print("{:<32} {:>7} {:>10} {:>10} {:>5} {:>12} {:>9}\n", "model", "version", "1 row, ms",
               fmt::format("on {}, ms", thread_count), "rows", "ms a row", "MiB");
    for (const std::string& folder : folders) {
      if (Result<void> done = profile_folder(folder, thread_count); !done.has_value()) {
        return line.fail(done.error());
      }
    }
    return Exit::kDone;
  }

 private:
  /// Models are loaded one after the other, so that the memory of each can be told.
  static Result<void> profile_folder(const fs::path& folder, std::size_t thread_count) {
    BRAID_TRY(const auto opened,
              OpenRepository::open({.folders = {folder}, .names = std::vector<std::string>{}}));
    ModelStore& store = *opened->store;
    Profile profile{.cpu = this_machine().cpu, .thread_count = thread_count};
    for (const std::string& name : store.names()) {
      const double before_mib = resident_mib();
      BRAID_TRY_DO(store.load(name));
      for (const ModelStatus& status : store.index()) {
        if (status.name != name || !status.ready) {
          continue;
        }
        BRAID_TRY(const ModelHandle model, store.get(name, status.version));
        Result<ModelProfile> result = profile_model(*model, thread_count, opened->clock);
        if (!result.has_value()) {
          fmt::print("{:<32} {:>7} {}\n", name, status.version, result.error().describe());
          continue;
        }
        ModelProfile measured = *std::move(result);
        measured.memory_mib = std::max(0.0, resident_mib() - before_mib);
        print_row(measured, thread_count);
        profile.models[model->digest] = std::move(measured);
      }
      BRAID_TRY_DO(store.unload(name));
    }
    BRAID_TRY_DO(write_profile(folder, profile));
    fmt::print("→ {}\n", (folder / kProfileName).string());
    return {};
  }
};

}  // namespace

void register_profile(Registry<Command>& registry) {
  registry.add("profile", [](const NoSetup&) -> std::unique_ptr<Command> {
    return std::make_unique<ProfileCommand>();
  });
}

}  // namespace braid
