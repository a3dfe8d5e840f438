#include "apps/serve_options.h"

#include <algorithm>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::int64_t kPortMax = 65535;
constexpr std::int64_t kBytesMax = std::int64_t{1} << 40;
constexpr std::int64_t kMessageMax = (std::int64_t{1} << 31) - 1;  // of gRPC
constexpr std::int64_t kSecondsMax = 86'400;

constexpr const char* kManual =
    "What it does\n"
    "  Serves every model and pipeline of the repositories over the Open Inference Protocol v2:\n"
    "    GET  /v2/health/live, /v2/health/ready   is it up, does it take requests\n"
    "    POST /v2/models/NAME/infer               tensors, JSON or binary\n"
    "    GET  /v2/pipelines/NAME                  what a pipeline takes and gives\n"
    "    POST /v2/pipelines/NAME/decide           one case, multipart/form-data or JSON\n"
    "    GET  /metrics                            on the metrics port, for Prometheus\n"
    "  and the same over gRPC. What does not load is named on standard error; the rest is served,\n"
    "  unless --strict is given.\n\n"
    "Loading\n"
    "  --model-control-mode none loads everything at the start. explicit loads what --load-model\n"
    "  names ('*': everything; not given: nothing), and clients of this machine load and unload.\n"
    "  Several repositories are one: a name that is in two of them is refused.\n\n"
    "Limits\n"
    "  Whatever a client sends has a limit, and what is beyond it is answered with the limit's\n"
    "  number: 413 body, 431 header, 408 too slow, 503 the server is full, 400 shapes and "
    "nesting.\n"
    "  Connections beyond --max-connections are closed at once.\n\n"
    "Stopping\n"
    "  SIGTERM or Ctrl-C: not ready any more, no new requests, those inside are finished, exit\n"
    "  code 0. After --exit-timeout seconds what is left is cancelled; if a model still runs two\n"
    "  seconds later the process ends with 1. A second signal ends it at once.\n\n"
    "Files\n"
    "  --config FILE holds options by their names without dashes in front; an unknown name is\n"
    "  refused with its line:\n"
    "    repository: [/srv/models, /srv/pipelines]\n"
    "    http-address: 0.0.0.0\n"
    "    model-control-mode: explicit\n"
    "    load-model: [mlp, shoes]\n"
    "    strict: true\n\n"
    "Output\n"
    "  Standard error tells the operator; --access-log writes a line a request to standard\n"
    "  output, with the client's X-Request-Id, its inference id or a new UUIDv7, and never what\n"
    "  was sent.\n\n"
    "Examples\n"
    "  braid serve --repository repository\n"
    "  braid serve --repository models --http-address 0.0.0.0 --access-log json > access.log\n"
    "  braid serve --config /etc/braid/serve.yaml --http-port 9000\n\n"
    "Exit code 0: stopped. 1: a repository, a file or a port is not to be had. 2: options.\n"
    "docs/serve.md says more, docs/protocol.md has every endpoint, docs/metrics.md every metric.";

void declare_models(CommandLine& line, ServeOptions::Models& models) {
  line.group("Models");
  line.add_repositories(models.repositories);
  line.add_choice("--model-control-mode", models.control_mode, {"none", "explicit"},
                  "who decides what is loaded");
  line.add("--load-model", models.load,
           "a model or pipeline to load at the start in explicit mode, '*' for all; may be given "
           "again");
  line.add_flag("--control-from-anywhere", models.control_from_anywhere,
                "clients of other machines may load and unload too");
  line.add_flag("--strict", models.strict, "refuse to start unless everything loads");
  line.add("--slots", models.slots, "models that run at once; 0: one a core", 0, 1024);
  line.add_flag("--no-wide-runs", models.no_wide_runs,
                "never run a lone request on all slots; otherwise that is measured for each slow "
                "model when it is loaded, and done where it saves three tenths of the time");
}

void declare_listen(CommandLine& line, ServeOptions::Listen& listen) {
  line.group("Addresses");
  line.add("--http-address", listen.http_address, "where HTTP listens; 0.0.0.0 is everywhere");
  line.add("--http-port", listen.http_port, "0 takes a free one", 0, kPortMax);
  line.add("--grpc-address", listen.grpc_address, "where gRPC listens; else as --http-address");
  line.add("--grpc-port", listen.grpc_port, "0 takes a free one", 0, kPortMax);
  line.add("--metrics-address", listen.metrics_address,
           "where /metrics is read; else as --http-address");
  line.add("--metrics-port", listen.metrics_port, "0 takes a free one", 0, kPortMax);
  line.add("--net-threads", listen.net_threads, "threads that read and write HTTP sockets", 1, 64);
}

void declare_limits(CommandLine& line, ServeOptions::Limits& limits) {
  line.group("Limits");
  line.add("--max-header-size", limits.header_size, "bytes of a request line with its headers",
           1024, 1 << 24);
  line.add("--max-body-size", limits.body_size, "bytes of one request's body or gRPC message", 1,
           kMessageMax);
  line.add("--max-inflated-size", limits.inflated_size,
           "bytes of a compressed body once inflated; 0: as --max-body-size", 0, kBytesMax);
  line.add("--max-in-flight-bytes", limits.in_flight,
           "bytes of request bodies held at once, of all clients together", 1, kBytesMax);
  line.add("--max-json-depth", limits.json_depth, "levels of lists and maps in a JSON body", 2, 64);
  line.add("--max-tensor-elements", limits.tensor_elements, "elements of one input tensor", 1,
           kBytesMax);
  line.add("--max-connections", limits.connections, "HTTP connections at once", 1, 1'000'000);
  line.add("--header-timeout", limits.header_timeout_s, "seconds for a request's head to come", 1,
           kSecondsMax);
  line.add("--idle-timeout", limits.idle_timeout_s,
           "seconds between requests, or without progress inside one", 1, kSecondsMax);
}

}  // namespace

std::optional<std::vector<std::string>> ServeOptions::names_to_load() const {
  const bool all = !is_explicit() || std::ranges::count(models.load, "*") > 0;
  return all ? std::nullopt : std::optional(models.load);
}

void declare(CommandLine& line, ServeOptions& options) {
  declare_models(line, options.models);
  declare_listen(line, options.listen);
  declare_limits(line, options.limits);
  line.group("Running");
  line.add("--exit-timeout", options.exit_timeout_s, "seconds that a stop waits for requests", 0,
           kSecondsMax);
  line.add_choice("--access-log", options.access_log, {"off", "text", "json"},
                  "a line a request on standard output");
  line.add_config();
  line.explain(kManual);
}

Result<void> check(const ServeOptions& options) {
  if (!options.is_explicit() && !options.models.load.empty()) {
    return Error{Code::kInvalidArgument,
                 "--load-model: everything is loaded unless --model-control-mode is explicit"};
  }
  if (options.limits.in_flight < options.limits.body_size) {
    return Error{Code::kInvalidArgument,
                 fmt::format("--max-in-flight-bytes {} is less than one body may have, "
                             "--max-body-size {}",
                             options.limits.in_flight, options.limits.body_size)};
  }
  return {};
}

}  // namespace braid
