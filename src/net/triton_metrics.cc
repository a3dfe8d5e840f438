#include "net/triton_metrics.h"

#include <string>
#include <utility>

#include "serve/pipeline.h"

namespace braid {
namespace {

using Kind = Metrics::Kind;
using Sample = SampledFamily::Sample;

double in_us(Duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

/// One family a field, in this order; a row adds one sample to each.
enum Field {
  kSuccess,
  kCount,
  kExecCount,
  kRequestTime,
  kQueueTime,
  kInputTime,
  kInferTime,
  kOutputTime,
  kPending,
  kFailure,
  kFields
};

std::vector<SampledFamily> families() {
  return {
      {"nv_inference_request_success", "Number of successful inference requests, all batch sizes.",
       Kind::kCounter},
      {"nv_inference_count", "Number of inferences performed (does not include cached requests).",
       Kind::kCounter},
      {"nv_inference_exec_count", "Number of model executions performed.", Kind::kCounter},
      {"nv_inference_request_duration_us", "Cumulative inference request duration in microseconds.",
       Kind::kCounter},
      {"nv_inference_queue_duration_us", "Cumulative inference queuing duration in microseconds.",
       Kind::kCounter},
      {"nv_inference_compute_input_duration_us",
       "Cumulative compute input duration in microseconds.", Kind::kCounter},
      {"nv_inference_compute_infer_duration_us",
       "Cumulative compute inference duration in microseconds.", Kind::kCounter},
      {"nv_inference_compute_output_duration_us",
       "Cumulative inference compute output duration in microseconds.", Kind::kCounter},
      {"nv_inference_pending_request_count",
       "Instantaneous number of requests of clients that have no answer yet.", Kind::kGauge},
      {"nv_inference_request_failure", "Number of failed inference requests, all batch sizes.",
       Kind::kCounter},
  };
}

/// Triton's four reasons.
const char* reason_of(Code code) {
  switch (code) {
    case Code::kExhausted:
    case Code::kDeadlineExceeded:
    case Code::kUnavailable:
      return "REJECTED";
    case Code::kCancelled:
      return "CANCELED";
    case Code::kInternal:
      return "BACKEND";
    case Code::kInvalidArgument:
    case Code::kNotFound:
    case Code::kUnsupported:
      break;
  }
  return "OTHER";
}

void add_failures(const RequestMeter* meter, const Labels& labels, SampledFamily& into) {
  for (const char* reason : {"REJECTED", "CANCELED", "BACKEND", "OTHER"}) {
    double failed = 0;
    for (int code = 0; code <= static_cast<int>(Code::kInternal); ++code) {
      const bool counts =
          meter != nullptr && std::string_view(reason) == reason_of(static_cast<Code>(code));
      failed += counts ? static_cast<double>(meter->failed(static_cast<Code>(code))) : 0;
    }
    Sample& sample = into.samples.emplace_back(Sample{labels, failed});
    sample.labels.emplace_back("reason", reason);
  }
}

void add_row(const std::string& name, const std::string& version, const ModelStatistics& seen,
             const RequestMeters& meters, std::vector<SampledFamily>& into) {
  const Labels labels{{"model", name}, {"version", version}};
  const RequestMeter* meter = meters.find(name, version);
  const std::pair<Field, double> values[] = {{kSuccess, static_cast<double>(seen.success.count)},
                                             {kCount, static_cast<double>(seen.row_count)},
                                             {kExecCount, static_cast<double>(seen.run_count)},
                                             {kRequestTime, in_us(seen.success.total)},
                                             {kQueueTime, in_us(seen.queue.total)},
                                             {kInputTime, in_us(seen.join.total)},
                                             {kInferTime, in_us(seen.run.total)},
                                             {kOutputTime, in_us(seen.split.total)},
                                             {kPending, meter == nullptr ? 0 : meter->in_flight()}};
  for (const auto& [field, value] : values) {
    into[field].samples.push_back({labels, value});
  }
  add_failures(meter, labels, into[kFailure]);
}

}  // namespace

std::vector<SampledFamily> triton_metrics(const Engine& engine, const Dispatcher& dispatcher,
                                          const ModelStore& store, const RequestMeters& meters) {
  std::vector<SampledFamily> result = families();
  for (const std::string& name : engine.pipeline_names()) {
    if (const auto pipeline = engine.find(name)) {
      const Engine::Counts counts = engine.counts(name);
      ModelStatistics seen;
      seen.row_count = seen.run_count = counts.success.count;
      seen.success = seen.run = counts.success;
      add_row(name, pipeline->config.version, seen, meters, result);
    }
  }
  for (const ModelStatus& status : store.index()) {
    const auto model = store.get(status.name, status.version);
    if (status.ready && model.has_value()) {
      add_row(status.name, std::to_string(status.version), dispatcher.statistics(**model), meters,
              result);
    }
  }
  return result;
}

std::vector<SampledFamily> serving_metrics(const Dispatcher& dispatcher, const ModelStore& store,
                                           const ByteCredits& credits) {
  const Dispatcher::Load load = dispatcher.load();
  SampledFamily ready{"braid_model_ready", "1 for a version that serves, 0 for what is not loaded.",
                      Kind::kGauge};
  for (const ModelStatus& status : store.index()) {
    ready.samples.push_back({{{"model", status.name}, {"version", std::to_string(status.version)}},
                             status.ready ? 1.0 : 0.0});
  }
  return {{"braid_dispatch_busy_ratio",
           "Slots that run a model, of all slots.",
           Kind::kGauge,
           {{{}, load.busy}}},
          {"braid_dispatch_fullest_queue_ratio",
           "Waiting rows of the fullest queue, of its limit.",
           Kind::kGauge,
           {{{}, load.queue}}},
          {"braid_dispatch_waiting_rows",
           "Rows that wait for a run, in all queues.",
           Kind::kGauge,
           {{{}, static_cast<double>(load.waiting_rows)}}},
          {"braid_server_in_flight_bytes",
           "Bytes of request bodies that are held.",
           Kind::kGauge,
           {{{}, static_cast<double>(credits.bytes_held())}}},
          {"braid_server_limit_bytes",
           "Bytes of request bodies that may be held.",
           Kind::kGauge,
           {{{}, static_cast<double>(credits.bytes_max())}}},
          {"braid_server_bytes_refused_total",
           "Requests refused since the server was full.",
           Kind::kCounter,
           {{{}, static_cast<double>(credits.refused())}}},
          std::move(ready)};
}

}  // namespace braid
