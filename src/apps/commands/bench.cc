// braid bench: offers load to a server, or to two in turn, and says what came of it.

#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "apps/bench_load.h"
#include "apps/bench_options.h"
#include "apps/command.h"
#include "apps/command_line.h"
#include "base/file.h"

namespace braid {
namespace {

/// Each connection is a file; the default limit of 1024 is too low for a thousand of them.
void allow_many_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

Result<void> write_json(const BenchOptions& options, const Json& json) {
  return options.json_file.empty() ? Result<void>()
                                   : write_file(options.json_file, json.dump(1) + "\n");
}

Result<void> measure_one(const BenchOptions& options) {
  const SystemClock clock;
  BRAID_TRY(const BenchLoad made, make_bench_load(options, options.a));
  BRAID_TRY_DO(try_one(made.load));
  BRAID_TRY(const LoadResult result, run_load(made.load, clock));
  fmt::print("{}", load_text(made.facts, result));
  return write_json(options, load_json(made.facts, result));
}

Result<void> measure_two(const BenchOptions& options) {
  const SystemClock clock;
  BenchSide second = options.b;
  second.model = second.model.empty() ? options.a.model : second.model;
  BRAID_TRY(const BenchLoad a, make_bench_load(options, options.a).within("A"));
  BRAID_TRY(const BenchLoad b, make_bench_load(options, second).within("B"));
  BRAID_TRY_DO(try_one(a.load).within("A"));
  BRAID_TRY_DO(try_one(b.load).within("B"));
  std::size_t turns = 0;
  const auto turn = [&](const BenchLoad& side) {
    if (::isatty(STDERR_FILENO) != 0) {
      fmt::print(stderr, "\rturn {} of {} ", ++turns, 4 * options.rounds);
    }
    return run_load(side.load, clock);
  };
  const Result<Comparison> comparison = compare_loads(
      static_cast<std::size_t>(options.rounds), [&] { return turn(a); }, [&] { return turn(b); });
  if (turns > 0) {
    fmt::print(stderr, "\n");
  }
  if (!comparison.has_value()) {
    return comparison.error();
  }
  fmt::print("{}", comparison_text(a.facts, b.facts, *comparison));
  return write_json(options, comparison_json(a.facts, b.facts, *comparison));
}

class Bench final : public Command {
 public:
  std::string summary() const override {
    return "measure a server under load, or two side by side";
  }

  Exit run(const std::vector<std::string>& arguments) const override {
    BenchOptions options;
    CommandLine line("bench", summary());
    declare(line, options);
    if (const auto ended = line.parse(arguments)) {
      return *ended;
    }
    if (const Result<void> checked = check(options); !checked.has_value()) {
      static_cast<void>(line.fail(checked.error()));
      return Exit::kUsage;
    }
    allow_many_files();
    const Result<void> done = options.is_comparison() ? measure_two(options) : measure_one(options);
    return done.has_value() ? Exit::kDone : line.fail(done.error());
  }
};

}  // namespace

void register_bench(Registry<Command>& registry) {
  registry.add("bench", [](const NoSetup&) -> std::unique_ptr<Command> {
    return std::make_unique<Bench>();
  });
}

}  // namespace braid
