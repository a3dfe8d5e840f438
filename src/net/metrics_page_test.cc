#include "net/metrics_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_meter.h"

namespace braid {
namespace {

using testing::HasSubstr;

// The text format of Prometheus, version 0.0.4: buckets are cumulative and end with +Inf.
TEST(MetricsPage, IsPrometheusText) {
  Metrics metrics;
  metrics.counter("a_total", "Counts a.", {{"x", "1\"2"}}).add(3);
  metrics.gauge("b", "Is b.").set(0.5);
  Histogram& histogram = metrics.histogram("c_bytes", "Takes c.", {1, 10});
  histogram.observe(0.5);
  histogram.observe(5);
  histogram.observe(50);
  const std::string page = prometheus_text(metrics);
  EXPECT_THAT(page, HasSubstr("# HELP a_total Counts a.\n# TYPE a_total counter\n"
                              "a_total{x=\"1\\\"2\"} 3\n"));
  EXPECT_THAT(page, HasSubstr("# TYPE b gauge\nb 0.5\n"));
  EXPECT_THAT(page, HasSubstr("c_bytes_count 3\nc_bytes_sum 55.5\n"));
  EXPECT_THAT(page, HasSubstr("c_bytes_bucket{le=\"1\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("c_bytes_bucket{le=\"10\"} 2\n"));
  EXPECT_THAT(page, HasSubstr("c_bytes_bucket{le=\"+Inf\"} 3\n"));
}

// Prometheus' base unit of time is the second (its page "Metric and label naming").
TEST(MetricsPage, SpeaksSecondsWhereTheHouseCountsMilliseconds) {
  Metrics metrics;
  metrics.histogram("d_ms", "Milliseconds of d.", {0.05, 250}).observe(100);
  const std::string page = prometheus_text(metrics);
  EXPECT_THAT(page, HasSubstr("# HELP d_seconds Seconds of d.\n"));
  EXPECT_THAT(page, HasSubstr("d_seconds_sum 0.1\n"));
  EXPECT_THAT(page, HasSubstr("d_seconds_bucket{le=\"5e-05\"} 0\n"));
  EXPECT_THAT(page, HasSubstr("d_seconds_bucket{le=\"0.25\"} 1\n"));
}

TEST(MetricsPage, LooksUpWhatIsSampled) {
  const Metrics metrics;
  const std::string page =
      prometheus_text(metrics, {{"e", "Is e.", Metrics::Kind::kGauge, {{{{"x", "1"}}, 2}}},
                                {"empty", "Has none.", Metrics::Kind::kGauge}});
  EXPECT_EQ(page, "# HELP e Is e.\n# TYPE e gauge\ne{x=\"1\"} 2\n");
}

HttpResponse ask(const Metrics& metrics, std::string_view method, std::string_view target) {
  MetricsPage page(metrics);
  const Body none;
  HttpResponse given;
  page.handle({.method = method, .target = target, .headers = {}, .body = none},
              HttpReply([&](HttpResponse response) { given = std::move(response); }));
  return given;
}

TEST(MetricsPage, AnswersOnlyForItself) {
  const Metrics metrics;
  EXPECT_EQ(ask(metrics, "GET", "/metrics?x").status, 200);
  EXPECT_EQ(ask(metrics, "GET", "/").status, 404);
  EXPECT_EQ(ask(metrics, "POST", "/metrics").status, 405);
}

TEST(MetricsPage, LeavesTritonsNamesOutWhenAsked) {
  const Metrics metrics;
  MetricsPage page(metrics, {[] {
                     return std::vector<SampledFamily>{
                         {"nv_x", "Is x.", Metrics::Kind::kGauge, {{{}, 1}}},
                         {"y", "Is y.", Metrics::Kind::kGauge, {{{}, 1}}}};
                   }});
  const auto get = [&](std::string_view target) {
    const Body none;
    std::string body;
    page.handle({.method = "GET", .target = target, .headers = {}, .body = none},
                HttpReply([&](HttpResponse response) { body = std::move(response.body); }));
    return body;
  };
  EXPECT_THAT(get("/metrics"), HasSubstr("nv_x 1"));
  EXPECT_THAT(get("/metrics?triton=false"), testing::Not(HasSubstr("nv_x")));
  EXPECT_THAT(get("/metrics?triton=false"), HasSubstr("y 1"));
}

TEST(HttpMeter, CountsByEndpointAndStatus) {
  Metrics metrics;
  HttpMeter meter(metrics);
  for (int i = 0; i < 3; ++i) {
    meter.begin();
  }
  meter.end(Endpoint::kInfer, 200, std::chrono::milliseconds(2));
  meter.end(Endpoint::kInfer, 200, std::chrono::milliseconds(3));
  const std::string page = prometheus_text(metrics);
  EXPECT_THAT(page, HasSubstr("braid_http_requests_in_flight 1\n"));
  EXPECT_THAT(page, HasSubstr("braid_http_requests_total{endpoint=\"infer\",status=\"200\"} 2\n"));
  EXPECT_THAT(page, HasSubstr("braid_http_request_seconds_sum{endpoint=\"infer\"} 0.005\n"));
}

}  // namespace
}  // namespace braid
