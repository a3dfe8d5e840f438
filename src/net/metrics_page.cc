#include "net/metrics_page.h"

#include <limits>
#include <utility>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace braid {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricType;

ClientMetric::Histogram to_histogram(const Histogram& histogram) {
  ClientMetric::Histogram result;
  const std::vector<std::uint64_t> counts = histogram.counts();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    result.sample_count += counts[i];
    const bool last = i == histogram.bounds().size();
    result.bucket.push_back({result.sample_count, last ? std::numeric_limits<double>::infinity()
                                                       : histogram.bounds()[i]});
  }
  result.sample_sum = histogram.sum();
  return result;
}

ClientMetric to_metric(const Metrics::Instrument& instrument) {
  ClientMetric metric;
  for (const auto& [name, value] : instrument.labels) {
    metric.label.push_back({name, value});
  }
  if (instrument.counter != nullptr) {
    metric.counter.value = static_cast<double>(instrument.counter->value());
  } else if (instrument.gauge != nullptr) {
    metric.gauge.value = instrument.gauge->value();
  } else {
    metric.histogram = to_histogram(*instrument.histogram);
  }
  return metric;
}

MetricType to_type(Metrics::Kind kind) {
  switch (kind) {
    case Metrics::Kind::kCounter:
      return MetricType::Counter;
    case Metrics::Kind::kGauge:
      return MetricType::Gauge;
    case Metrics::Kind::kHistogram:
      break;
  }
  return MetricType::Histogram;
}

}  // namespace

std::string prometheus_text(const Metrics& metrics) {
  std::vector<prometheus::MetricFamily> families;
  for (const Metrics::Family& family : metrics.families()) {
    prometheus::MetricFamily& page = families.emplace_back();
    page.name = family.name;
    page.help = family.help;
    page.type = to_type(family.kind);
    for (const Metrics::Instrument* instrument : family.instruments) {
      page.metric.push_back(to_metric(*instrument));
    }
  }
  return prometheus::TextSerializer().Serialize(families);
}

void MetricsPage::handle(const HttpRequest& request, HttpReply reply) {
  const std::string_view path = request.target.substr(0, request.target.find('?'));
  if (path != "/metrics") {
    return std::move(reply)(http_error(404, "only /metrics is here"));
  }
  if (request.method != "GET" && request.method != "HEAD") {
    HttpResponse refused = http_error(405, "/metrics takes GET and HEAD");
    refused.headers.emplace_back("Allow", "GET, HEAD");
    return std::move(reply)(std::move(refused));
  }
  std::move(reply)({.content_type = "text/plain; version=0.0.4; charset=utf-8",
                    .body = prometheus_text(metrics_)});
}

}  // namespace braid
