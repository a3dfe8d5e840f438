// braid serve: HTTP and gRPC server over one or several repositories, until it is told to stop.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/command.h"
#include "apps/command_line.h"
#include "apps/repository.h"
#include "apps/serve_options.h"
#include "apps/servers.h"
#include "base/alarm.h"
#include "base/log.h"

namespace braid {
namespace {

/// A stop that is over its time waits so much longer for what was cancelled.
constexpr Duration kLastWait = std::chrono::seconds(2);

/// Blocked in all threads from the start, so that sigwait sees them.
sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

void wait_for_stop() {
  const sigset_t signals = stop_signals();
  int received = 0;
  sigwait(&signals, &received);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);  // the second one ends the process
}

std::size_t ready_count(const ModelStore& store) {
  const std::vector<ModelStatus> index = store.index();
  return static_cast<std::size_t>(std::ranges::count(index, true, &ModelStatus::ready));
}

std::string what_is_served(const OpenRepository& repository) {
  const std::vector<std::string> pipelines = repository.engine->pipeline_names();
  const std::size_t models = ready_count(*repository.store);
  if (models == 0 && pipelines.empty()) {
    return "nothing yet (clients may load models)";
  }
  return pipelines.empty()
             ? fmt::format("{} models", models)
             : fmt::format("{} models and the pipelines {}", models, fmt::join(pipelines, ", "));
}

/// What a model that never returns cannot prevent. Not from a destructor: nothing is unwound.
Task end_by_force(std::int64_t exit_timeout_s) {
  return [exit_timeout_s] {
    std::fprintf(stderr,
                 "braid serve: a model still runs after --exit-timeout %lld; ended without it\n",
                 static_cast<long long>(exit_timeout_s));
    std::_Exit(static_cast<int>(Exit::kWrongInput));
  };
}

class Serve final : public Command {
 public:
  std::string summary() const override { return "serve a repository over HTTP and gRPC"; }

  Exit run(const std::vector<std::string>& arguments) const override {
    ServeOptions options;
    CommandLine line("serve", summary());
    declare(line, options);
    if (const auto ended = line.parse(arguments)) {
      return *ended;
    }
    if (const Result<void> checked = check(options); !checked.has_value()) {
      return line.fail(checked.error());
    }
    const sigset_t signals = stop_signals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);  // whoever reads the access log may go
    const auto& folders = options.models.repositories;
    const auto opened =
        OpenRepository::open({.folders = {folders.begin(), folders.end()},
                              .slot_count = static_cast<std::size_t>(options.models.slots),
                              .wide = !options.models.no_wide_runs,
                              .names = options.names_to_load()});
    if (!opened.has_value()) {
      return line.fail(opened.error());
    }
    return serve(options, **opened, line);
  }

 private:
  static Exit serve(const ServeOptions& options, OpenRepository& repository,
                    const CommandLine& line) {
    const Log log;
    for (const OpenRepository::Failure& failure : repository.failures()) {
      log.error(fmt::format("{}: {}", failure.name, failure.error.describe()));
    }
    if (options.models.strict && !repository.failures().empty()) {
      return line.fail(repository.all_loaded().error());
    }
    const auto servers = Servers::start(options, repository);
    if (!servers.has_value()) {
      return line.fail(servers.error());
    }
    Servers& running = **servers;
    log.info(fmt::format("serving {} on http://{}:{}, gRPC on port {}, metrics on port {}",
                         what_is_served(repository), options.listen.http_address,
                         running.http_port(), running.grpc_port(), running.metrics_port()));
    wait_for_stop();
    log.info("stopping: no new requests, those inside are finished");
    const auto patience = std::chrono::seconds(options.exit_timeout_s);
    Alarm alarm(repository.clock);
    alarm.set(repository.clock.now() + patience + kLastWait, end_by_force(options.exit_timeout_s));
    running.stop(patience);
    repository.engine->drain();
    repository.dispatcher->drain();
    log.info("stopped");
    return Exit::kDone;
  }
};

}  // namespace

void register_serve(Registry<Command>& registry) {
  registry.add("serve", [](const NoSetup&) -> std::unique_ptr<Command> {
    return std::make_unique<Serve>();
  });
}

}  // namespace braid
