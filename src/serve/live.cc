#include "serve/live.h"

#include <fmt/format.h>

namespace braid {

double in_ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

Live::Live(std::shared_ptr<const Pipeline> published, Metrics& metrics)
    : pipeline(std::move(published)),
      encode_ms(pipeline->config.inputs.size()),
      meter(*pipeline, metrics) {}

Result<void> Live::enter(std::size_t bytes) {
  const LimitsConfig& limits = pipeline->config.limits;
  const std::size_t requests = in_flight.fetch_add(1);
  const std::size_t held = in_flight_bytes.fetch_add(bytes);
  if (requests < limits.in_flight && held + bytes <= limits.in_flight_bytes) {
    return {};
  }
  leave(bytes);
  const std::string& name = pipeline->config.name;
  if (requests >= limits.in_flight) {
    return Error{Code::kExhausted, fmt::format("pipeline '{}' has {} requests in flight, its limit",
                                               name, limits.in_flight)};
  }
  return Error{Code::kExhausted,
               fmt::format("pipeline '{}' holds {} bytes of requests in flight and its "
                           "limits.in_flight_bytes is {}; {} more have no room",
                           name, held, limits.in_flight_bytes, bytes)};
}

void Live::leave(std::size_t bytes) {
  in_flight.fetch_sub(1);
  in_flight_bytes.fetch_sub(bytes);
}

}  // namespace braid
