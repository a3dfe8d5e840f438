// braid serve: HTTP and gRPC server over one or several repositories, until it is told to stop.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/command.h"
#include "apps/command_line.h"
#include "apps/repository.h"
#include "base/log.h"
#include "net/grpc/grpc_server.h"
#include "net/http_server.h"
#include "net/metrics_page.h"
#include "net/service.h"

namespace braid {
namespace {

struct ServeOptions {
  std::vector<std::string> repositories;
  std::string http_address = "127.0.0.1";
  std::int64_t http_port = 8000;
  std::int64_t grpc_port = 8001;
  std::int64_t metrics_port = 8002;
  std::int64_t slots = 0;
  std::int64_t net_threads = 1;
  std::int64_t max_body_size = 64 << 20;
  std::int64_t header_timeout_s = 10;
  std::int64_t exit_timeout_s = 30;
  std::string model_control_mode = "none";
  std::vector<std::string> load_models;
  bool control_from_anywhere = false;
  bool no_wide_runs = false;
  bool strict = false;
};

void declare(CommandLine& line, ServeOptions& options) {
  line.add_repositories(options.repositories);
  line.add("--http-address", options.http_address, "address to listen on; 0.0.0.0 is all");
  line.add("--http-port", options.http_port, "port of the protocol; 0 takes a free one");
  line.add("--grpc-port", options.grpc_port, "port of the protocol over gRPC; 0 takes a free one");
  line.add("--metrics-port", options.metrics_port, "port of /metrics; 0 takes a free one");
  line.add("--slots", options.slots, "models that run at once; 0: one a core");
  line.add("--net-threads", options.net_threads, "threads that read and write sockets");
  line.add("--max-body-size", options.max_body_size, "bytes of one request's body");
  line.add("--header-timeout", options.header_timeout_s, "seconds for a request's head to come");
  line.add("--exit-timeout", options.exit_timeout_s, "seconds that a stop waits for requests");
  line.add("--model-control-mode", options.model_control_mode,
           "none: all is loaded at the start; explicit: what --load-model names, and clients may "
           "load and unload");
  line.add("--load-model", options.load_models,
           "a model or pipeline to load in explicit mode, '*' for all; may be given again");
  line.add_flag("--control-from-anywhere", options.control_from_anywhere,
                "clients of other machines may load and unload too");
  line.add_flag("--no-wide-runs", options.no_wide_runs,
                "never run a lone request on all slots; otherwise that is measured for each slow "
                "model when it is loaded, and done where it saves three tenths of the time");
  line.add_flag("--strict", options.strict, "refuse to start unless everything loads");
  line.explain(
      "Serves every model and pipeline of the repositories over the Open Inference Protocol v2:\n"
      "  GET  /v2/health/ready                    is it up\n"
      "  GET  /v2/pipelines/NAME                  what a pipeline takes and gives\n"
      "  POST /v2/pipelines/NAME/decide           one case, multipart/form-data or JSON\n"
      "  POST /v2/models/NAME/infer               tensors, JSON or binary\n"
      "  GET  /metrics                            on the metrics port\n"
      "What does not load is named on standard error; the rest is served, unless --strict is "
      "given.\n"
      "SIGTERM or Ctrl-C: no new requests, those inside are finished, then it exits with 0.\n"
      "A second signal exits at once.");
}

Result<std::uint16_t> port_of(const char* name, std::int64_t port) {
  if (port < 0 || port > 65535) {
    return Error{Code::kInvalidArgument, fmt::format("{} {}: a port is 0 … 65535", name, port)};
  }
  return static_cast<std::uint16_t>(port);
}

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

bool is_explicit(const ServeOptions& options) { return options.model_control_mode == "explicit"; }

/// What is loaded at the start: unset is all.
Result<std::optional<std::vector<std::string>>> names_to_load(const ServeOptions& options) {
  if (!is_explicit(options) && options.model_control_mode != "none") {
    return Error{
        Code::kInvalidArgument,
        fmt::format("--model-control-mode {}: it is none or explicit", options.model_control_mode)};
  }
  if (!is_explicit(options) && !options.load_models.empty()) {
    return Error{Code::kInvalidArgument,
                 "--load-model: everything is loaded unless --model-control-mode is explicit"};
  }
  if (!is_explicit(options) || std::ranges::count(options.load_models, "*") > 0) {
    return std::optional<std::vector<std::string>>();
  }
  return std::optional(options.load_models);
}

class Servers {
 public:
  static Result<Servers> start(const ServeOptions& options, OpenRepository& repository) {
    Servers servers;
    const auto body_bytes_max =
        static_cast<std::size_t>(std::max<std::int64_t>(options.max_body_size, 1));
    servers.service_ = std::make_unique<Service>(
        *repository.engine, *repository.dispatcher, *repository.store, repository.metrics,
        repository.clock,
        Service::Options{.body_bytes_max = body_bytes_max,
                         .protocol = {.control = is_explicit(options) ? &repository : nullptr,
                                      .control_from_anywhere = options.control_from_anywhere}});
    servers.page_ = std::make_unique<MetricsPage>(repository.metrics);
    HttpServer::Options http{.name = "http", .address = options.http_address};
    BRAID_TRY(http.port, port_of("--http-port", options.http_port));
    http.thread_count = static_cast<std::size_t>(std::max<std::int64_t>(options.net_threads, 1));
    http.limits.body_bytes_max = body_bytes_max;
    http.header_timeout = std::chrono::seconds(options.header_timeout_s);
    HttpServer::Options metrics{.name = "metrics", .address = options.http_address};
    BRAID_TRY(metrics.port, port_of("--metrics-port", options.metrics_port));
    BRAID_TRY(servers.http_,
              HttpServer::start(http, *servers.service_, repository.clock, repository.metrics));
    GrpcServer::Options grpc{.address = options.http_address, .message_bytes_max = body_bytes_max};
    BRAID_TRY(grpc.port, port_of("--grpc-port", options.grpc_port));
    BRAID_TRY(servers.grpc_, GrpcServer::start(grpc, servers.service_->protocol(), repository.clock,
                                               repository.metrics));
    BRAID_TRY(servers.metrics_,
              HttpServer::start(metrics, *servers.page_, repository.clock, repository.metrics));
    return servers;
  }

  void stop(Duration patience) {
    service_->protocol().set_ready(false);
    http_->stop(patience);
    grpc_->stop(patience);
    metrics_->stop(Duration::zero());
  }
  std::uint16_t http_port() const { return http_->port(); }
  std::uint16_t grpc_port() const { return grpc_->port(); }
  std::uint16_t metrics_port() const { return metrics_->port(); }

 private:
  std::unique_ptr<Service> service_;
  std::unique_ptr<MetricsPage> page_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<GrpcServer> grpc_;
  std::unique_ptr<HttpServer> metrics_;
};

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
    const sigset_t signals = stop_signals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    const auto names = names_to_load(options);
    if (!names.has_value()) {
      return line.fail(names.error());
    }
    const auto opened = OpenRepository::open(
        {.folders = {options.repositories.begin(), options.repositories.end()},
         .slot_count = static_cast<std::size_t>(std::max<std::int64_t>(options.slots, 0)),
         .wide = !options.no_wide_runs,
         .names = *names});
    if (!opened.has_value()) {
      return line.fail(opened.error());
    }
    OpenRepository& repository = **opened;
    const Log log;
    for (const OpenRepository::Failure& failure : repository.failures()) {
      log.error(fmt::format("{}: {}", failure.name, failure.error.describe()));
    }
    if (options.strict && !repository.failures().empty()) {
      return line.fail(repository.all_loaded().error());
    }
    auto servers = Servers::start(options, repository);
    if (!servers.has_value()) {
      return line.fail(servers.error());
    }
    Servers running = *std::move(servers);
    log.info(fmt::format("serving {} on http://{}:{}, gRPC on port {}, metrics on port {}",
                         fmt::join(repository.engine->pipeline_names(), ", "), options.http_address,
                         running.http_port(), running.grpc_port(), running.metrics_port()));
    wait_for_stop();
    log.info("stopping: no new requests, those inside are finished");
    running.stop(std::chrono::seconds(options.exit_timeout_s));
    repository.engine->drain();
    repository.dispatcher->drain();
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
