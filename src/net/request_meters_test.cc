#include "net/request_meters.h"

#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/metrics_page.h"

namespace braid {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(RequestMeters, CountsByModelVersionAndOutcome) {
  Metrics metrics;
  RequestMeters meters(metrics);
  RequestMeter& meter = meters.of("mlp", "2");
  meter.begin();
  meter.begin();
  meter.end(std::nullopt, 2ms);
  meters.of("mlp", "2").refuse(Code::kExhausted);
  EXPECT_EQ(meter.answered(), 1U);
  EXPECT_EQ(meter.failed(Code::kExhausted), 1U);
  EXPECT_EQ(meter.in_flight(), 1);
  EXPECT_EQ(meters.find("mlp", "1"), nullptr);
  EXPECT_EQ(meters.find("mlp", "2"), &meter);
  EXPECT_THAT(
      prometheus_text(metrics),
      HasSubstr("braid_inference_requests_total{model=\"mlp\",version=\"2\",outcome=\"answered\"} "
                "1\n"));
}

TEST(RequestMeters, AreMadeOnceHoweverManyThreadsCome) {
  Metrics metrics;
  RequestMeters meters(metrics);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int model = 0; model < 100; ++model) {
        meters.of(fmt::format("m{}", model), "1").refuse(Code::kInternal);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (int model = 0; model < 100; ++model) {
    EXPECT_EQ(meters.find(fmt::format("m{}", model), "1")->failed(Code::kInternal), 4U);
  }
}

// Names come from the repository, which clients may reload for weeks: the table has an end.
TEST(RequestMeters, ShareOneBeyondTheirLimit) {
  Metrics metrics;
  RequestMeters meters(metrics);
  for (std::size_t i = 0; i < RequestMeters::kMetersMax + 10; ++i) {
    meters.of(fmt::format("m{}", i), "1");
  }
  EXPECT_EQ(meters.of("one more", "1").name(), "(others)");
  EXPECT_EQ(meters.of("m0", "1").name(), "m0");
}

}  // namespace
}  // namespace braid
