#include "net/metrics_page.h"

#include <limits>
#include <string_view>
#include <utility>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace braid {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricType;

/// What a family is called on the page, and what its values are divided by: a
/// bound of 0.25 ms becomes exactly the double nearest to 0.00025.
struct Unit {
  std::string name;
  std::string help;
  double divisor = 1;
};

Unit base_unit(const Metrics::Family& family) {
  constexpr std::string_view kMs = "_ms";
  if (!family.name.ends_with(kMs)) {
    return {family.name, family.help};
  }
  Unit unit{family.name.substr(0, family.name.size() - kMs.size()) + "_seconds", family.help, 1000};
  for (const auto& [from, to] :
       {std::pair("milliseconds", "seconds"), {"Milliseconds", "Seconds"}}) {
    if (const std::size_t at = unit.help.find(from); at != std::string::npos) {
      unit.help.replace(at, std::string_view(from).size(), to);
    }
  }
  return unit;
}

ClientMetric::Histogram to_histogram(const Histogram& histogram, double divisor) {
  ClientMetric::Histogram result;
  const std::vector<std::uint64_t> counts = histogram.counts();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    result.sample_count += counts[i];
    const bool last = i == histogram.bounds().size();
    result.bucket.push_back({result.sample_count, last ? std::numeric_limits<double>::infinity()
                                                       : histogram.bounds()[i] / divisor});
  }
  result.sample_sum = histogram.sum() / divisor;
  return result;
}

ClientMetric with_labels(const Labels& labels) {
  ClientMetric metric;
  for (const auto& [name, value] : labels) {
    metric.label.push_back({name, value});
  }
  return metric;
}

ClientMetric to_metric(const Metrics::Instrument& instrument, double divisor) {
  ClientMetric metric = with_labels(instrument.labels);
  if (instrument.counter != nullptr) {
    metric.counter.value = static_cast<double>(instrument.counter->value());
  } else if (instrument.gauge != nullptr) {
    metric.gauge.value = instrument.gauge->value() / divisor;
  } else {
    metric.histogram = to_histogram(*instrument.histogram, divisor);
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

std::string prometheus_text(const Metrics& metrics, const std::vector<SampledFamily>& sampled) {
  std::vector<prometheus::MetricFamily> families;
  for (const Metrics::Family& family : metrics.families()) {
    const Unit unit = base_unit(family);
    prometheus::MetricFamily& page = families.emplace_back();
    page.name = unit.name;
    page.help = unit.help;
    page.type = to_type(family.kind);
    for (const Metrics::Instrument* instrument : family.instruments) {
      page.metric.push_back(to_metric(*instrument, unit.divisor));
    }
  }
  for (const SampledFamily& family : sampled) {
    if (family.samples.empty()) {
      continue;
    }
    prometheus::MetricFamily& page = families.emplace_back();
    page.name = family.name;
    page.help = family.help;
    page.type = to_type(family.kind);
    for (const SampledFamily::Sample& sample : family.samples) {
      ClientMetric& metric = page.metric.emplace_back(with_labels(sample.labels));
      metric.counter.value = sample.value;  // the serializer reads the one of the family's type
      metric.gauge.value = sample.value;
    }
  }
  return prometheus::TextSerializer().Serialize(families);
}

std::string MetricsPage::text(bool with_triton) const {
  std::vector<SampledFamily> sampled;
  for (const MetricCollector& collect : collectors_) {
    for (SampledFamily& family : collect()) {
      if (with_triton || !family.name.starts_with("nv_")) {
        sampled.push_back(std::move(family));
      }
    }
  }
  return prometheus_text(metrics_, sampled);
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
                    .body = text(!request.target.ends_with("?triton=false"))});
}

}  // namespace braid
