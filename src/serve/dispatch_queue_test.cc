#include "serve/dispatch_queue.h"

#include <gtest/gtest.h>

#include "serve/dispatch_fakes.h"

namespace braid {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kNow = TimePoint{} + 1h;

class DispatchQueueTest : public testing::Test {
 protected:
  void open(ModelConfig config = {}) {
    model_ = fake_model(twice, 1024, std::move(config));
    shared_ = std::make_shared<DispatchModel>(model_, metrics_);
    queue_.emplace(shared_, fake_inputs({0}));
  }

  WaitingJob waiting(std::size_t priority, float value, TimePoint arrival,
                     TimePoint deadline = TimePoint::max()) const {
    WaitingJob made;
    made.job.model = model_;
    made.job.inputs = fake_inputs({value});
    made.job.priority = priority;
    made.arrival = arrival;
    made.deadline = deadline;
    shared_->place(made);
    return made;
  }

  void push_at(std::size_t priority, float value, TimePoint arrival,
               TimePoint deadline = TimePoint::max()) {
    queue_->push(waiting(priority, value, arrival, deadline));
  }

  CancelFlag push(float value, TimePoint arrival, TimePoint deadline = TimePoint::max(),
                  std::size_t rows = 1) {
    WaitingJob waiting;
    waiting.job.model = model_;
    waiting.job.inputs = fake_inputs(std::vector<float>(rows, value));
    waiting.job.row_count = rows;
    waiting.arrival = arrival;
    waiting.deadline = deadline;
    const CancelFlag flag = waiting.job.cancel;
    queue_->push(std::move(waiting));
    return flag;
  }

  /// The values of the jobs' first rows.
  static std::vector<float> values(const std::vector<WaitingJob>& jobs) {
    std::vector<float> values;
    for (const WaitingJob& each : jobs) {
      values.push_back(each.job.inputs.front().tensor.values<float>()[0]);
    }
    return values;
  }

  std::vector<float> take(std::size_t rows) { return values(queue_->take(rows, kNow, dropped_)); }

  Metrics metrics_;
  ModelHandle model_;
  std::shared_ptr<DispatchModel> shared_;
  std::optional<DispatchQueue> queue_;
  std::vector<WaitingJob> dropped_;
};

using Values = std::vector<float>;

TEST_F(DispatchQueueTest, TakesInTheOrderOfDeadlinesThenOfArrival) {
  open();
  push(1, kNow);
  push(2, kNow, kNow + 90ms);
  push(3, kNow, kNow + 20ms);
  push(4, kNow);
  EXPECT_EQ(take(3), (Values{3, 2, 1}));
  EXPECT_EQ(take(3), (Values{4}));
  EXPECT_TRUE(queue_->empty());
}

TEST_F(DispatchQueueTest, WhoHasWaitedLongGoesBeforeAnyDeadline) {
  open();
  push(1, kNow - 2s);
  push(2, kNow, kNow + 20ms);
  EXPECT_EQ(take(1), (Values{1}));
}

// With 10 ms a run the deadline in 5 ms is out of reach.
TEST_F(DispatchQueueTest, WhoCannotMakeItGoesLast) {
  open();
  shared_->run_time.observe(1, 10ms);
  shared_->run_time.observe(1, 10ms);
  push(1, kNow, kNow + 5ms);
  push(2, kNow, kNow + 15ms);
  push(3, kNow);
  EXPECT_EQ(queue_->summary(kNow).nearest_deadline, kNow + 15ms);
  EXPECT_EQ(take(9), (Values{2, 3, 1}));
}

TEST_F(DispatchQueueTest, TakesWholeJobsUpToTheRows) {
  open();
  push(1, kNow, TimePoint::max(), 3);
  push(2, kNow, TimePoint::max(), 3);
  push(3, kNow, TimePoint::max(), 1);
  EXPECT_EQ(queue_->summary(kNow).row_count, 7U);
  EXPECT_EQ(take(5), (Values{1}));
  EXPECT_EQ(take(2), (Values{2}));  // more than two rows, but one job at least
  EXPECT_EQ(queue_->row_count(), 1U);
}

TEST_F(DispatchQueueTest, KeepsJobsApartWhereRowsAreNotJoined) {
  ModelConfig config;
  config.from_file = true;
  open(config);
  push(1, kNow);
  push(2, kNow);
  EXPECT_EQ(queue_->summary(kNow).limits.rows_max, 1U);
  EXPECT_EQ(take(32), (Values{1}));
}

TEST_F(DispatchQueueTest, DropsTheExpiredAndTheCancelled) {
  open();
  push(1, kNow - 9ms, kNow);
  const CancelFlag flag = push(2, kNow);
  push(3, kNow);
  flag.cancel();
  queue_->sweep(kNow, dropped_);
  EXPECT_EQ(values(dropped_), (Values{1, 2}));
  EXPECT_EQ(shared_->meter.expired.value(), 1U);
  EXPECT_EQ(shared_->meter.cancelled.value(), 1U);
  EXPECT_EQ(take(9), (Values{3}));
}

TEST_F(DispatchQueueTest, NeverTakesTheExpiredOrTheCancelled) {
  open();
  push(1, kNow - 9ms, kNow);
  push(2, kNow).cancel();
  EXPECT_EQ(take(9), Values{});
  EXPECT_EQ(dropped_.size(), 2U);
  EXPECT_TRUE(queue_->empty());
}

// Gaps of 10 ms, then one of 20: 10 + (20 - 10)/5 = 12 ms.
TEST_F(DispatchQueueTest, LearnsTheArrivalGap) {
  open();
  queue_->note_arrival(kNow - 40ms);
  push(1, kNow - 40ms);
  EXPECT_EQ(queue_->summary(kNow - 40ms).arrival_gap, Duration::max());
  queue_->note_arrival(kNow - 30ms);
  queue_->note_arrival(kNow - 20ms);
  queue_->note_arrival(kNow);
  EXPECT_EQ(queue_->summary(kNow).arrival_gap, 12ms);
  EXPECT_EQ(queue_->summary(kNow + 30ms).arrival_gap, 30ms) << "the silence so far";
}

TEST_F(DispatchQueueTest, TriesLargerBatchesInSteps) {
  open();
  push(1, kNow);
  EXPECT_EQ(queue_->summary(kNow).limits.rows_max, 1U);
  shared_->run_time.observe(1, 1ms);
  EXPECT_EQ(queue_->summary(kNow).limits.rows_max, 2U);
  shared_->run_time.observe(12, 1ms);
  EXPECT_EQ(queue_->summary(kNow).limits.rows_max, 24U);
  shared_->run_time.observe(24, 1ms);
  EXPECT_EQ(queue_->summary(kNow).limits.rows_max, 32U);
}

TEST_F(DispatchQueueTest, DiesWithItsModel) {
  open();
  EXPECT_FALSE(queue_->dead());
  model_.reset();
  EXPECT_TRUE(queue_->dead());
}

ModelConfig levels(BatchConfig batching) {
  ModelConfig config;
  config.from_file = true;
  batching.priority_levels = 3;
  batching.priority_default = 2;
  config.batching = std::move(batching);
  return config;
}

TEST_F(DispatchQueueTest, LevelsGoBeforeDeadlinesButPatienceBeforeLevels) {
  open(levels({}));
  push_at(2, 1, kNow, kNow + 20ms);
  push_at(3, 2, kNow, kNow + 10ms);
  push_at(1, 3, kNow);
  push_at(1, 4, kNow, kNow + 90ms);
  EXPECT_EQ(take(4), (Values{4, 3, 1, 2}));
  push_at(3, 5, kNow - 2s);
  push_at(1, 6, kNow);
  EXPECT_EQ(take(1), (Values{5}));
}

// A deadline of level 1 that is lost does not hold up level 2, which can make its own.
TEST_F(DispatchQueueTest, WhoCannotMakeItGoesBehindEveryLevel) {
  open(levels({}));
  shared_->run_time.observe(1, 10ms);
  shared_->run_time.observe(1, 10ms);
  push_at(1, 1, kNow, kNow + 5ms);
  push_at(2, 2, kNow, kNow + 30ms);
  EXPECT_EQ(queue_->summary(kNow).nearest_deadline, kNow + 30ms);
  EXPECT_EQ(take(1), (Values{2}));
}

TEST_F(DispatchQueueTest, ATimeOutThatDelaysPutsAJobBehindAllOthers) {
  QueuePolicy delay{.timeout_action = QueuePolicy::TimeoutAction::kDelay, .timeout = 10ms};
  open(levels({.queue = delay}));
  push_at(1, 1, kNow - 20ms);
  push_at(3, 2, kNow);
  queue_->sweep(kNow, dropped_);
  EXPECT_TRUE(dropped_.empty());
  EXPECT_EQ(take(2), (Values{2, 1}));
}

TEST_F(DispatchQueueTest, ATimeOutThatRejectsEndsAJob) {
  open(levels({.queue_of_level = {{1, QueuePolicy{.timeout = 10ms}}}}));
  push_at(1, 1, kNow - 20ms);
  push_at(2, 2, kNow - 20ms);
  queue_->sweep(kNow, dropped_);
  EXPECT_EQ(values(dropped_), (Values{1}));
  EXPECT_EQ(take(2), (Values{2}));
}

TEST_F(DispatchQueueTest, CountsTheRequestsThatWaitByLevel) {
  open(levels({.queue = {.requests_max = 2}, .queue_of_level = {{1, QueuePolicy{}}}}));
  push_at(2, 1, kNow);
  push_at(2, 2, kNow);
  EXPECT_EQ(shared_->has_room(waiting(2, 3, kNow)).error().code, Code::kExhausted);
  EXPECT_TRUE(shared_->has_room(waiting(3, 3, kNow)).has_value());
  EXPECT_TRUE(shared_->has_room(waiting(1, 3, kNow)).has_value()) << "its policy has no bound";
  WaitingJob piece = waiting(2, 3, kNow);
  piece.opens = false;
  queue_->push(std::move(piece));
  EXPECT_EQ(take(2), (Values{1, 2}));
  EXPECT_TRUE(shared_->has_room(waiting(2, 3, kNow)).has_value()) << "a piece is no request";
  EXPECT_EQ(take(1), (Values{3}));
  EXPECT_EQ(shared_->waiting.at(2), 0U);
}

// Without a config a priority holds too, and who names none comes last.
TEST_F(DispatchQueueTest, AnyPriorityHoldsWithoutAConfig) {
  open();
  push_at(0, 1, kNow, kNow + 20ms);
  push_at(7, 2, kNow);
  EXPECT_EQ(take(2), (Values{2, 1}));
}

}  // namespace
}  // namespace braid
