#include "serve/live.h"

namespace braid {

double in_ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

Live::Live(std::shared_ptr<const Pipeline> published, Metrics& metrics)
    : pipeline(std::move(published)),
      encode_ms(pipeline->config.inputs.size()),
      meter(*pipeline, metrics) {}

}  // namespace braid
