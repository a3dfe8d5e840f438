#include "net/load/load_lane.h"

#include <algorithm>
#include <functional>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using namespace std::chrono_literals;

/// A server and its network in a clock's own time: what a test says of a request's length is
/// exactly what it takes, and waiting moves the clock.
class FakeClient final : public LoadClient {
 public:
  explicit FakeClient(ManualClock& clock) : clock_(clock) {}

  /// How long the n-th request takes, and what comes of it.
  std::function<Duration(std::size_t)> takes = [](std::size_t) { return Duration(1ms); };
  std::function<LoadAnswer(std::size_t)> answers = [](std::size_t) {
    return LoadAnswer{.good = true, .code = 200};
  };
  std::vector<std::size_t> sent_requests;
  std::vector<TimePoint> sent_at;
  std::size_t abandoned = 0;

  void send(std::size_t connection, std::size_t request_index) override {
    EXPECT_FALSE(due_.contains(connection)) << "a request on a connection that has one";
    const std::size_t nth = sent_requests.size();
    sent_requests.push_back(request_index);
    sent_at.push_back(clock_.now());
    due_[connection] = {clock_.now() + takes(nth), nth};
  }
  void abandon(std::size_t connection) override {
    ++abandoned;
    due_.erase(connection);
  }
  void wait(TimePoint until, std::vector<LoadAnswer>& into) override {
    TimePoint next = until;
    for (const auto& [connection, due] : due_) {
      next = std::min(next, due.first);
    }
    clock_.advance(std::max(next - clock_.now(), Duration::zero()));
    for (auto due = due_.begin(); due != due_.end();) {
      if (due->second.first > clock_.now()) {
        ++due;
        continue;
      }
      LoadAnswer answer = answers(due->second.second);
      answer.connection = due->first;
      into.push_back(answer);
      due = due_.erase(due);
    }
  }

 private:
  ManualClock& clock_;
  std::map<std::size_t, std::pair<TimePoint, std::size_t>> due_;  // when, which
};

class LoadLaneTest : public testing::Test {
 protected:
  LaneOptions options(Duration warm_up, Duration window, std::size_t connection_count = 1) {
    LaneOptions options;
    options.connection_count = connection_count;
    options.begin = clock_.now();
    options.window_begin = options.begin + warm_up;
    options.window_end = options.window_begin + window;
    return options;
  }
  LoadTally closed(const LaneOptions& options) {
    LoadLane lane(client_, clock_, options);
    return *lane.closed_loop();
  }
  LoadTally open(const LaneOptions& options, const std::vector<Duration>& arrivals) {
    LoadLane lane(client_, clock_, options);
    return *lane.open_loop(arrivals);
  }

  ManualClock clock_;
  FakeClient client_{clock_};
};

std::vector<Duration> every(Duration gap, std::size_t count) {
  std::vector<Duration> arrivals;
  for (std::size_t i = 0; i < count; ++i) {
    arrivals.push_back(static_cast<Duration::rep>(i) * gap);
  }
  return arrivals;
}

void expect_near(Duration told, Duration exact) {
  EXPECT_NEAR(static_cast<double>(told.count()), static_cast<double>(exact.count()),
              static_cast<double>(exact.count()) / 1000);
}

TEST_F(LoadLaneTest, ClosedLoopAsksAgainWhenItHasItsAnswer) {
  client_.takes = [](std::size_t) { return 10ms; };
  const LoadTally tally = closed(options(95ms, 1000ms));
  EXPECT_EQ(tally.good, 100U);  // answers at 100, 110 … 1090 ms
  expect_near(tally.latency.percentile(.5), 10ms);
  EXPECT_EQ(tally.latency.max(), 10ms);
  EXPECT_EQ(tally.failed(), 0U);
}

TEST_F(LoadLaneTest, EveryConnectionOfAClosedLoopIsBusy) {
  client_.takes = [](std::size_t) { return 10ms; };
  EXPECT_EQ(closed(options(0ms, 1005ms, 7)).good, 700U);
}

// One of 200 requests stalls the only connection for half a second. A client that counts from when
// it sent sees one slow request; what users would have seen is a queue of 56.
TEST_F(LoadLaneTest, OpenLoopCountsWhatAStallKeptWaiting) {
  client_.takes = [](std::size_t nth) { return nth == 100 ? 500ms : 1ms; };
  const LoadTally tally = open(options(0ms, 2000ms), every(10ms, 200));
  EXPECT_EQ(tally.good, 200U);
  // Request 100 + j was meant at 1000 + 10 j and answered at 1500 + j: 500 - 9 j, down to 5 at 55.
  EXPECT_EQ(tally.latency.max(), 500ms);
  expect_near(tally.latency.percentile(.99), 482ms);  // the third largest: j = 2
  expect_near(tally.latency.percentile(.9), 320ms);   // the 21st largest: j = 20
  expect_near(tally.latency.percentile(.725), 5ms);   // the 56th largest: j = 55
  expect_near(tally.latency.percentile(.72), 1ms);
  expect_near(tally.lag.max(), 490ms);  // request 101: meant at 1010, sent at 1500
}

TEST_F(LoadLaneTest, OpenLoopSendsOnTimeWhateverTheAnswersTake) {
  client_.takes = [](std::size_t) { return 75ms; };
  const LoadTally tally = open(options(0ms, 1000ms, 8), every(10ms, 100));
  EXPECT_EQ(tally.good, 100U);
  EXPECT_EQ(tally.lag.max(), 0ms);
  expect_near(tally.latency.percentile(.5), 75ms);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(client_.sent_at[i], TimePoint() + i * 10ms);
  }
}

TEST_F(LoadLaneTest, WhatIsMeantOutsideTheWindowDoesNotCount) {
  client_.takes = [](std::size_t nth) { return nth < 50 ? 40ms : 2ms; };  // slow while it warms up
  const LoadTally tally = open(options(500ms, 500ms, 16), every(10ms, 150));
  EXPECT_EQ(tally.good, 50U);
  EXPECT_EQ(tally.latency.max(), 2ms);
  EXPECT_EQ(client_.sent_at.size(), 100U);  // nothing is sent behind the window
}

TEST_F(LoadLaneTest, GoodputIsWhatMakesTheDeadline) {
  client_.takes = [](std::size_t nth) { return nth % 4 == 0 ? 30ms : 20ms; };
  LaneOptions wanted = options(0ms, 1000ms, 8);
  wanted.deadline = 20ms;
  const LoadTally tally = open(wanted, every(10ms, 100));
  EXPECT_EQ(tally.good, 100U);
  EXPECT_EQ(tally.in_deadline, 75U);
}

TEST_F(LoadLaneTest, FailuresCountByStatusWithTheFirstText) {
  client_.answers = [](std::size_t nth) -> LoadAnswer {
    if (nth % 10 == 3) {
      return {.good = false, .code = 503, .text = nth == 3 ? "first" : "later"};
    }
    return nth % 10 == 7 ? LoadAnswer{.good = false, .code = LoadAnswer::kLost, .text = "gone"}
                         : LoadAnswer{.good = true, .code = 200};
  };
  const LoadTally tally = open(options(0ms, 1000ms), every(10ms, 100));
  EXPECT_EQ(tally.good, 80U);
  EXPECT_EQ(tally.latency.count(), 80U);
  EXPECT_EQ(tally.failures.at(503).count, 10U);
  EXPECT_EQ(tally.failures.at(503).text, "first");
  EXPECT_EQ(tally.failures.at(LoadAnswer::kLost).count, 10U);
  EXPECT_EQ(tally.answered(), 100U);
}

TEST_F(LoadLaneTest, GivesARequestUpAfterItsTime) {
  client_.takes = [](std::size_t nth) { return nth == 0 ? Duration(1h) : Duration(1ms); };
  LaneOptions wanted = options(0ms, 1000ms);
  wanted.timeout = 200ms;
  const LoadTally tally = open(wanted, every(10ms, 100));
  EXPECT_EQ(client_.abandoned, 1U);
  EXPECT_EQ(tally.failures.at(LoadAnswer::kTimedOut).count, 1U);
  EXPECT_EQ(tally.good, 99U);  // those that waited are sent afterwards
}

TEST_F(LoadLaneTest, WhatIsUnansweredAtTheEndTimedOut) {
  client_.takes = [](std::size_t nth) { return nth < 50 ? Duration(1ms) : Duration(1h); };
  LaneOptions wanted = options(0ms, 1000ms, 20);
  wanted.drain = 300ms;
  const LoadTally tally = open(wanted, every(10ms, 100));
  EXPECT_EQ(tally.good, 50U);
  EXPECT_EQ(tally.failures.at(LoadAnswer::kTimedOut).count, 50U);  // 20 sent, 30 never
  EXPECT_EQ(client_.abandoned, 20U);
  EXPECT_EQ(clock_.now(), wanted.window_end + 600ms);  // to be sent, and to be answered
}

TEST_F(LoadLaneTest, StopsWhenTheServerIsGone) {
  client_.answers = [](std::size_t) {
    return LoadAnswer{.good = false, .code = LoadAnswer::kLost, .text = "connection refused"};
  };
  LoadLane lane(client_, clock_, options(0ms, 1h));
  const Result<LoadTally> tally = lane.closed_loop();
  ASSERT_FALSE(tally.has_value());
  EXPECT_EQ(tally.error().code, Code::kUnavailable);
  EXPECT_THAT(tally.error().message, testing::HasSubstr("connection refused"));
  EXPECT_LT(clock_.now(), TimePoint() + 1s);
}

TEST_F(LoadLaneTest, PreparedRequestsTakeTurns) {
  LaneOptions wanted = options(0ms, 5ms);
  wanted.request_count = 3;
  closed(wanted);
  EXPECT_THAT(client_.sent_requests, testing::ElementsAre(0, 1, 2, 0, 1));
}

TEST(LoadTally, MergesCountsAndKeepsTheFirstText) {
  LoadTally left;
  left.good = 3;
  left.in_deadline = 2;
  left.failures[503] = {2, "busy"};
  LoadTally right;
  right.good = 4;
  right.in_deadline = 4;
  right.failures[503] = {1, "other"};
  right.failures[400] = {5, "wrong"};
  left.merge(right);
  EXPECT_EQ(left.good, 7U);
  EXPECT_EQ(left.in_deadline, 6U);
  EXPECT_EQ(left.failures.at(503).count, 3U);
  EXPECT_EQ(left.failures.at(503).text, "busy");
  EXPECT_EQ(left.failures.at(400).text, "wrong");
  EXPECT_EQ(left.answered(), 15U);
}

}  // namespace
}  // namespace braid
