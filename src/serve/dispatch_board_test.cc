#include "serve/dispatch_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/dispatch_fakes.h"

namespace braid {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kNow = TimePoint{} + 1h;

BatchReport report(std::size_t rows, Duration took) {
  return {.outcomes = {}, .row_count = rows, .ran = took, .succeeded = true};
}

class DispatchBoardTest : public testing::Test {
 protected:
  WaitingJob job(const ModelHandle& model, std::size_t rows = 1, std::size_t width = 1) const {
    WaitingJob waiting;
    waiting.job.model = model;
    waiting.job.inputs = fake_inputs(std::vector<float>(rows * width), width);
    waiting.job.row_count = rows;
    waiting.arrival = kNow;
    return waiting;
  }

  Result<void> add(DispatchBoard& board, WaitingJob waiting) {
    DispatchQueue& queue = board.arrive(waiting.job, kNow);
    return board.admit(queue, {&waiting, 1});
  }

  std::optional<DispatchBoard::Run> next(DispatchBoard& board) {
    DispatchBoard::Step step = board.next(kNow, false, dropped_);
    auto* run = std::get_if<DispatchBoard::Run>(&step);
    return run == nullptr ? std::nullopt : std::optional(std::move(*run));
  }

  /// Two runs, since the first does not count.
  void learn(DispatchBoard& board, const ModelHandle& model, std::size_t rows, Duration took) {
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(add(board, job(model, rows)).has_value());
      const auto run = next(board);
      ASSERT_TRUE(run.has_value());
      board.end(run->lease, report(rows, took), kNow);
    }
  }

  Metrics metrics_;
  std::vector<WaitingJob> dropped_;
  const ModelHandle model_ = fake_model(twice);
};

TEST_F(DispatchBoardTest, JoinsWaitingJobsOfOneBucketOnly) {
  DispatchBoard board({}, metrics_);
  learn(board, model_, 4, 1ms);
  ASSERT_TRUE(add(board, job(model_)).has_value());
  ASSERT_TRUE(add(board, job(model_)).has_value());
  ASSERT_TRUE(add(board, job(model_, 1, 7)).has_value());
  ASSERT_TRUE(add(board, job(fake_model(twice))).has_value());

  // Two slots, three queues: each slot takes one whole queue.
  EXPECT_EQ(next(board)->jobs.size(), 2U);
  EXPECT_EQ(next(board)->jobs.size(), 1U);
  EXPECT_FALSE(next(board).has_value()) << "no slot is idle";
  EXPECT_EQ(board.waiting_rows(), 1U);
}

TEST_F(DispatchBoardTest, RunsTogetherWhatAThreadGathered) {
  DispatchBoard board({.slot_count = 1, .inline_max = 1h}, metrics_);
  const ModelHandle model = fake_model(twice, 4);  // rows a run
  learn(board, model, 1, 1ms);
  WaitingJob late = job(model);
  late.deadline = kNow;
  std::vector<WaitingJob> left;
  left.push_back(job(model, 3));
  left.push_back(job(model, 2));     // the fifth row does not fit
  left.push_back(job(model, 1, 7));  // of another shape
  left.push_back(std::move(late));
  left.push_back(job(model));

  const DispatchBoard::Group group = board.admit_group(left, kNow, false);

  ASSERT_TRUE(group.lease.has_value());
  ASSERT_EQ(group.jobs.size(), 2U);
  EXPECT_EQ(group.jobs[0].job.row_count, 3U);
  ASSERT_EQ(group.refused.size(), 1U);
  EXPECT_EQ(group.refused[0].second.code, Code::kDeadlineExceeded);
  EXPECT_EQ(left.size(), 2U);

  // The only slot is taken: what is left waits, queue by queue.
  while (!left.empty()) {
    EXPECT_FALSE(board.admit_group(left, kNow, false).lease.has_value());
  }
  EXPECT_EQ(board.waiting_rows(), 3U);
  board.end(*group.lease, report(4, 1ms), kNow);
  ASSERT_TRUE(next(board).has_value());

  left.push_back(job(model));
  EXPECT_EQ(board.admit_group(left, kNow, true).refused[0].second.code, Code::kUnavailable);
}

TEST_F(DispatchBoardTest, RefusesWhatTheQueueCannotHold) {
  DispatchBoard board({.queue_rows_max = 4}, metrics_);
  ASSERT_TRUE(add(board, job(model_, 3)).has_value());
  const Error full = add(board, job(model_, 2)).error();
  EXPECT_EQ(full.code, Code::kExhausted);
  EXPECT_EQ(full.message, "3 rows wait for model 'fake', and its queue holds 4");
  EXPECT_EQ(add(board, job(model_, 5)).error().code, Code::kInvalidArgument);
  EXPECT_EQ(board.fullest(), 0.75);
  EXPECT_TRUE(add(board, job(model_, 1, 3)).has_value()) << "another queue has room";
}

TEST_F(DispatchBoardTest, RunsInlineOnlyWhatIsKnownToBeFast) {
  DispatchBoard board({.inline_max = 500us}, metrics_);
  const WaitingJob first = job(model_);
  DispatchQueue& queue = board.arrive(first.job, kNow);
  EXPECT_FALSE(board.begin_inline(queue, 1, kNow)) << "nothing is known yet";
  learn(board, model_, 1, 300us);

  const auto lease = board.begin_inline(queue, 1, kNow);
  ASSERT_TRUE(lease.has_value());
  EXPECT_EQ(board.slots().busy_count(), 1U);
  board.end(*lease, report(2, 600us), kNow);
  EXPECT_EQ(board.slots().busy_count(), 0U);
  EXPECT_FALSE(board.begin_inline(queue, 2, kNow)) << "two rows take 600 µs";
}

TEST_F(DispatchBoardTest, RunsNothingInlineBeforeThoseWhoWait) {
  DispatchBoard board({.inline_max = 500us}, metrics_);
  learn(board, model_, 1, 100us);
  ASSERT_TRUE(add(board, job(fake_model(twice))).has_value());
  const WaitingJob fast = job(model_);
  EXPECT_FALSE(board.begin_inline(board.arrive(fast.job, kNow), 1, kNow));
}

TEST_F(DispatchBoardTest, RunsNothingInlineWhileAllSlotsAreBusy) {
  DispatchBoard board({.slot_count = 1, .inline_max = 500us}, metrics_);
  learn(board, model_, 1, 100us);
  const WaitingJob fast = job(model_);
  DispatchQueue& queue = board.arrive(fast.job, kNow);
  const auto lease = board.begin_inline(queue, 1, kNow);
  ASSERT_TRUE(lease.has_value());
  EXPECT_FALSE(board.begin_inline(queue, 1, kNow));
}

TEST_F(DispatchBoardTest, HoldsAModelToItsInstances) {
  ModelConfig config;
  config.from_file = true;
  config.instance_count = 1;
  const ModelHandle single = fake_model(twice, 1024, config);
  DispatchBoard board({}, metrics_);
  ASSERT_TRUE(add(board, job(single)).has_value());
  ASSERT_TRUE(add(board, job(single)).has_value());
  const auto first = next(board);
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(next(board).has_value()) << "its only instance runs";
  board.end(first->lease, report(1, 1ms), kNow);
  EXPECT_TRUE(next(board).has_value());
}

TEST_F(DispatchBoardTest, SkipsABatchWhoseJobsAreAllGone) {
  DispatchBoard board({}, metrics_);
  WaitingJob gone = job(model_);
  gone.job.cancel.cancel();
  ASSERT_TRUE(add(board, std::move(gone)).has_value());
  ASSERT_TRUE(add(board, job(model_, 1, 2)).has_value());
  const auto run = next(board);
  EXPECT_EQ(run->jobs.size(), 1U);
  EXPECT_EQ(dropped_.size(), 1U);
  EXPECT_FALSE(board.waits());
}

// With 5 ms a run and company expected in 1 µs the rule would wait; a drain must not.
TEST_F(DispatchBoardTest, WaitsForNobodyWhileDraining) {
  DispatchBoard board({.slot_count = 1}, metrics_);
  learn(board, model_, 4, 5ms);
  ASSERT_TRUE(add(board, job(model_)).has_value());
  EXPECT_TRUE(std::holds_alternative<AskAgain>(board.next(kNow, false, dropped_)));
  EXPECT_TRUE(std::holds_alternative<DispatchBoard::Run>(board.next(kNow, true, dropped_)));
}

// Versions come and go for weeks: what was known of an old one must not stay.
TEST_F(DispatchBoardTest, ForgetsAModelThatIsGone) {
  DispatchBoard board({}, metrics_);
  ModelHandle old = fake_model(twice);
  learn(board, old, 1, 3ms);
  EXPECT_EQ(board.find(*old)->run_time.mean(1), 3ms);
  old.reset();
  const WaitingJob other = job(model_);
  board.arrive(other.job, kNow);
  EXPECT_EQ(board.model_count(), 1U);
}

TEST_F(DispatchBoardTest, BoundsTheNumberOfIdleQueues) {
  DispatchBoard board({.queues_max = 3}, metrics_);
  for (std::size_t width = 1; width < 20; ++width) {
    const WaitingJob each = job(model_, 1, width);
    board.arrive(each.job, kNow);
    EXPECT_LE(board.queue_count(), 3U);
  }
}

TEST_F(DispatchBoardTest, HoldsRunsToTheResourcesThatTheyName) {
  ModelConfig config;
  config.run_resources = {{"cache", 3}};
  const ModelHandle large = fake_model(twice, 1024, config);
  config.run_resources = {{"cache", 1}};
  const ModelHandle small = fake_model(twice, 1024, config);
  DispatchBoard board({.slot_count = 4}, metrics_);
  ASSERT_TRUE(add(board, job(large)).has_value());
  const auto first = next(board);
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(add(board, job(small)).has_value());
  EXPECT_FALSE(next(board).has_value()) << "the large one holds all three";
  board.end(first->lease, report(1, 1ms), kNow);
  const auto second = next(board);
  ASSERT_TRUE(second.has_value());
  ASSERT_TRUE(add(board, job(large)).has_value());
  EXPECT_FALSE(next(board).has_value()) << "two are left of three";
  board.end(second->lease, report(1, 1ms), kNow);
  EXPECT_TRUE(next(board).has_value());
}

TEST_F(DispatchBoardTest, RefusesBeyondTheModelsQueueSize) {
  ModelConfig config;
  config.from_file = true;
  config.batching = BatchConfig{.queue = {.requests_max = 2}};
  const ModelHandle model = fake_model(twice, 1024, config);
  DispatchBoard board({}, metrics_);
  ASSERT_TRUE(add(board, job(model, 1, 1)).has_value());
  ASSERT_TRUE(add(board, job(model, 1, 2)).has_value()) << "of another shape";
  const Result<void> third = add(board, job(model, 1, 1));
  EXPECT_EQ(third.error().code, Code::kExhausted);
  EXPECT_THAT(third.error().message, testing::HasSubstr("max_queue_size"));
}

TEST_F(DispatchBoardTest, AConfigsBatchTakesAllThatWaitsAtOnce) {
  ModelConfig config;
  config.from_file = true;
  config.batching = BatchConfig{.rows_max = 4, .wait_max = Duration::zero()};
  const ModelHandle model = fake_model(twice, 1024, config);
  DispatchBoard board({.slot_count = 1}, metrics_);
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(add(board, job(model)).has_value());
  }
  const auto first = next(board);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->jobs.size(), 4U) << "also before any run of this model";
}

ModelHandle wide_model() {
  LoadedModel loaded = fake_loaded(twice);
  loaded.wide = {fake_loaded(twice).model, 6ms};
  return std::make_shared<const LoadedModel>(std::move(loaded));
}

TEST_F(DispatchBoardTest, ALoneRunTakesAllSlotsWhereThatPays) {
  const ModelHandle model = wide_model();
  DispatchBoard board({.slot_count = 2}, metrics_);
  ASSERT_TRUE(add(board, job(model)).has_value());
  const auto lone = next(board);
  ASSERT_TRUE(lone.has_value());
  EXPECT_EQ(lone->lease.core_count, 2U);
  EXPECT_FALSE(board.slots().has_idle());
  EXPECT_EQ(board.slots().summary().next_free, kNow + 6ms);
  ASSERT_TRUE(add(board, job(model)).has_value());
  ASSERT_TRUE(add(board, job(model, 1, 2)).has_value());
  board.end(lone->lease, report(1, 6ms), kNow);
  EXPECT_EQ(board.slots().busy_count(), 0U);
  const auto second = next(board);
  const auto third = next(board);
  ASSERT_TRUE(second.has_value() && third.has_value());
  EXPECT_EQ(second->lease.core_count, 1U) << "another waits";
  EXPECT_EQ(third->lease.core_count, 1U) << "another runs";
}

TEST_F(DispatchBoardTest, RunsOnOneSlotWhereOthersKeepComing) {
  const ModelHandle model = wide_model();
  DispatchBoard board({.slot_count = 2}, metrics_);
  std::size_t wide = 0;
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(add(board, job(model)).has_value());
    const auto first = next(board);
    ASSERT_TRUE(add(board, job(model)).has_value());  // into the first one's run
    auto second = next(board);
    board.end(first->lease, report(1, 6ms), kNow);
    if (!second.has_value()) {
      second = next(board);
    }
    board.end(second->lease, report(1, 6ms), kNow);
    wide += first->lease.core_count > 1 ? 1 : 0;
  }
  EXPECT_LT(wide, 20U);
  EXPECT_GT(wide, 2U);
}

}  // namespace
}  // namespace braid
