#include "net/http_meter.h"

#include <algorithm>
#include <string>

namespace braid {

HttpMeter::HttpMeter(Metrics& metrics)
    : metrics_(metrics),
      in_flight_(metrics.gauge("braid_http_requests_in_flight",
                               "HTTP requests that have no answer yet.")) {
  for (std::size_t i = 0; i < kEndpoints; ++i) {
    latencies_[i] = &metrics.histogram(
        "braid_http_request_ms",
        "From the whole request to its answer, in milliseconds, by endpoint.", latency_bounds_ms(),
        {{"endpoint", to_string(static_cast<Endpoint>(i))}});
  }
}

Counter& HttpMeter::counter(Endpoint endpoint, int status) {
  const auto index = static_cast<std::size_t>(std::clamp(status, 0, 599));
  std::atomic<Counter*>& slot = counters_[static_cast<std::size_t>(endpoint)][index];
  Counter* counter = slot.load(std::memory_order_acquire);
  if (counter == nullptr) {
    counter =
        &metrics_.counter("braid_http_requests_total", "HTTP requests by endpoint and status.",
                          {{"endpoint", to_string(endpoint)}, {"status", std::to_string(status)}});
    slot.store(counter, std::memory_order_release);  // the same one, whoever comes first
  }
  return *counter;
}

void HttpMeter::end(Endpoint endpoint, int status, Duration took) {
  in_flight_.add(-1);
  counter(endpoint, status).add();
  latencies_[static_cast<std::size_t>(endpoint)]->observe(
      std::chrono::duration<double, std::milli>(took).count());
}

}  // namespace braid
