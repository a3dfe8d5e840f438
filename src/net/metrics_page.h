#pragma once
// MetricsPage: every instrument in Prometheus' text format, at /metrics of a server of its own, so
// that whoever may scrape need not be let near the models.

#include <string>

#include "base/metrics.h"
#include "net/http_message.h"

namespace braid {

std::string prometheus_text(const Metrics& metrics);

class MetricsPage final : public HttpHandler {
 public:
  explicit MetricsPage(const Metrics& metrics) : metrics_(metrics) {}
  void handle(const HttpRequest& request, HttpReply reply) override;

 private:
  const Metrics& metrics_;
};

}  // namespace braid
