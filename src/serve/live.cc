#include "serve/live.h"

namespace braid {

double in_ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

Live::Live(std::shared_ptr<const Pipeline> published, Metrics& metrics)
    : pipeline(std::move(published)),
      encode_ms(pipeline->config.inputs.size()),
      answered(metrics.counter("braid_pipeline_requests_total", "Requests by outcome",
                               {{"outcome", "answered"}, {"pipeline", pipeline->config.name}})),
      failed(metrics.counter("braid_pipeline_requests_total", "Requests by outcome",
                             {{"outcome", "failed"}, {"pipeline", pipeline->config.name}})),
      degraded(metrics.counter("braid_pipeline_degraded_total",
                               "Answers that lacked an input or a branch",
                               {{"pipeline", pipeline->config.name}})),
      clamped(metrics.counter("braid_policy_clamped_total",
                              "Times that a policy chose a plan that may not run",
                              {{"pipeline", pipeline->config.name}})),
      latency_ms(metrics.histogram("braid_pipeline_latency_ms",
                                   "From the request to its answer, milliseconds",
                                   latency_bounds_ms(), {{"pipeline", pipeline->config.name}})) {}

}  // namespace braid
