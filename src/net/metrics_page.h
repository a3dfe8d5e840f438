#pragma once
// MetricsPage: every instrument in Prometheus' text format, at /metrics of a server of its own, so
// that whoever may scrape need not be let near the models. The house counts times in milliseconds
// (`…_ms`); the page speaks Prometheus' base unit: `…_seconds`, values divided by 1000.

#include <functional>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "net/http_message.h"

namespace braid {

/// Values that are looked up when the page is asked for, rather than counted as they change.
struct SampledFamily {
  struct Sample {
    Labels labels;
    double value = 0;
  };
  std::string name;
  std::string help;
  Metrics::Kind kind = Metrics::Kind::kGauge;  // or kCounter
  std::vector<Sample> samples = {};
};
/// Called on the page's network thread.
using MetricCollector = std::function<std::vector<SampledFamily>()>;

/// No name of `sampled` may be among those of `metrics`. Families without a sample are left out.
std::string prometheus_text(const Metrics& metrics, const std::vector<SampledFamily>& sampled = {});

/// `/metrics` gives all, `/metrics?triton=false` leaves Triton's names (nv_…) out.
class MetricsPage final : public HttpHandler {
 public:
  explicit MetricsPage(const Metrics& metrics, std::vector<MetricCollector> collectors = {})
      : metrics_(metrics), collectors_(std::move(collectors)) {}
  void handle(const HttpRequest& request, HttpReply reply) override;

 private:
  std::string text(bool with_triton) const;

  const Metrics& metrics_;
  const std::vector<MetricCollector> collectors_;
};

}  // namespace braid
