#include "apps/servers.h"

#include <utility>

#include "base/worker_pool.h"
#include "net/triton_metrics.h"

namespace braid {
namespace {

std::size_t size_of(std::int64_t number) { return static_cast<std::size_t>(number); }

std::uint16_t port_of(std::int64_t number) { return static_cast<std::uint16_t>(number); }

const std::string& or_else(const std::string& text, const std::string& other) {
  return text.empty() ? other : text;
}

Service::Options service_options(const ServeOptions& options, OpenRepository& repository,
                                 const AccessLog& access_log, ByteCredits& credits) {
  const ServeOptions::Limits& limits = options.limits;
  return {.inflated_bytes_max =
              size_of(limits.inflated_size > 0 ? limits.inflated_size : limits.body_size),
          .json_depth_max = size_of(limits.json_depth),
          .credits = &credits,
          .protocol = {.control = options.is_explicit() ? &repository : nullptr,
                       .control_from_anywhere = options.models.control_from_anywhere,
                       .access_log = &access_log,
                       .elements_max = size_of(limits.tensor_elements)}};
}

}  // namespace

Servers::Servers(Private, const ServeOptions& options, OpenRepository& repository)
    : repository_(repository),
      access_log_(
          options.access_log == "json" ? AccessLog::Format::kJson : AccessLog::Format::kText,
          options.access_log != "off", [this](std::string_view line) { lines_.write(line); },
          repository.clock),
      credits_(size_of(options.limits.in_flight)),
      service_(*repository.engine, *repository.dispatcher, *repository.store, repository.metrics,
               repository.clock, service_options(options, repository, access_log_, credits_)),
      page_(repository.metrics, {[this] { return sampled(); }}) {}

std::vector<SampledFamily> Servers::sampled() {
  std::vector<SampledFamily> all = triton_metrics(*repository_.engine, *repository_.dispatcher,
                                                  *repository_.store, service_.protocol().meters());
  for (std::vector<SampledFamily> more :
       {serving_metrics(*repository_.dispatcher, *repository_.store, credits_),
        machine_.collect()}) {
    std::ranges::move(more, std::back_inserter(all));
  }
  all.push_back({"braid_access_log_dropped_total",
                 "Lines of the access log that nobody read in time.",
                 Metrics::Kind::kCounter,
                 {{{}, static_cast<double>(lines_.dropped())}}});
  return all;
}

Result<void> Servers::listen(const ServeOptions& options) {
  const ServeOptions::Listen& listen = options.listen;
  const ServeOptions::Limits& limits = options.limits;
  HttpServer::Options http{.name = "http",
                           .address = listen.http_address,
                           .port = port_of(listen.http_port),
                           .thread_count = size_of(listen.net_threads),
                           .connections_max = size_of(limits.connections),
                           .limits = {.head_bytes_max = size_of(limits.header_size),
                                      .body_bytes_max = size_of(limits.body_size),
                                      .credits = &credits_},
                           .header_timeout = std::chrono::seconds(limits.header_timeout_s),
                           .idle_timeout = std::chrono::seconds(limits.idle_timeout_s)};
  HttpServer::Options metrics = http;
  metrics.name = "metrics";
  metrics.address = or_else(listen.metrics_address, listen.http_address);
  metrics.port = port_of(listen.metrics_port);
  metrics.thread_count = 1;
  metrics.connections_max = 64;
  metrics.limits = {.head_bytes_max = size_of(limits.header_size), .body_bytes_max = 0};
  BRAID_TRY(http_,
            HttpServer::start(std::move(http), service_, repository_.clock, repository_.metrics));
  const GrpcServer::Options grpc{.address = or_else(listen.grpc_address, listen.http_address),
                                 .port = port_of(listen.grpc_port),
                                 .message_bytes_max = size_of(limits.body_size),
                                 .head_bytes_max = size_of(limits.header_size),
                                 .handshake_timeout = std::chrono::seconds(limits.header_timeout_s),
                                 .idle_timeout = std::chrono::seconds(limits.idle_timeout_s),
                                 .credits = &credits_};
  BRAID_TRY(grpc_,
            GrpcServer::start(grpc, service_.protocol(), repository_.clock, repository_.metrics));
  BRAID_TRY(metrics_,
            HttpServer::start(std::move(metrics), page_, repository_.clock, repository_.metrics));
  return {};
}

Result<std::unique_ptr<Servers>> Servers::start(const ServeOptions& options,
                                                OpenRepository& repository) {
  auto servers = std::make_unique<Servers>(Private{}, options, repository);
  BRAID_TRY_DO(servers->listen(options));
  return servers;
}

// Both at once: while one finishes what it has, the other must not take new requests. The metrics
// page stays to the last, so that the end can be watched.
void Servers::stop(Duration patience) {
  service_.protocol().set_ready(false);
  {
    WorkerPool other({.name = "stop", .thread_count = 1});
    Result<void> begun = other.add([&] { grpc_->stop(patience); });
    http_->stop(patience);
    if (!begun.has_value()) {
      grpc_->stop(patience);
    }
  }
  metrics_->stop(Duration::zero());
}

}  // namespace braid
