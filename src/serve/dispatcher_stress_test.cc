// Many threads at once, with everything that can happen to a job: each is answered or refused
// exactly once, and with its own numbers. Run it under `tsan` too.

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "serve/dispatch_fakes.h"
#include "serve/dispatcher.h"

namespace braid {
namespace {

using namespace std::chrono_literals;

constexpr int kThreads = 6;
constexpr int kCallsEach = 2000;

/// Rows of 13 fail alone, a batch with a 17 fails whole.
Result<RowResults> moody(const Batch& batch) {
  const auto values = batch.inputs.front().tensor.values<float>();
  BRAID_TRY(RowResults results, twice(batch));
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (values[row] == 17) {
      return Error{Code::kInternal, "17"};
    }
    if (values[row] == 13) {
      results.failures.emplace(row, Error{Code::kInvalidArgument, "13"});
    }
  }
  return results;
}

struct Tally {
  std::atomic<int> answered = 0, refused = 0, wrong = 0, right = 0;
  std::vector<std::atomic<int>> per_call = std::vector<std::atomic<int>>(kThreads * kCallsEach);
};

bool is_right(float sent, std::size_t row_count, const JobOutcome& outcome) {
  if (!outcome.outputs.has_value()) {
    const Code code = outcome.outputs.error().code;
    return code == Code::kDeadlineExceeded || code == Code::kCancelled ||
           (code == Code::kInvalidArgument && sent == 13) ||
           (code == Code::kInternal && sent == 17);
  }
  const auto values = outcome.outputs->front().tensor.values<float>();
  return values.size() == row_count &&
         std::ranges::all_of(values, [&](float value) { return value == 2 * sent; });
}

void call_many(Dispatcher& dispatcher, const Clock& clock, const std::vector<ModelHandle>& models,
               int thread_index, Tally& tally) {
  std::mt19937 random(static_cast<unsigned>(thread_index));
  for (int i = 0; i < kCallsEach; ++i) {
    const auto call = static_cast<std::size_t>(thread_index * kCallsEach + i);
    const auto value = static_cast<float>(random() % 40);
    Job job;
    job.model = models[random() % models.size()];
    job.row_count = random() % 50 == 0 ? 40 : 1 + random() % 3;  // 40: more than a model takes
    job.inputs = fake_inputs(std::vector<float>(job.row_count, value));
    if (random() % 4 == 0) {
      job.deadline = Deadline::after(clock, std::chrono::microseconds(random() % 2000));
    }
    const CancelFlag cancel = job.cancel;
    const std::size_t row_count = job.row_count;
    job.done = [&tally, call, value, row_count](JobOutcome outcome) {
      ++tally.answered;
      ++tally.per_call[call];
      ++(is_right(value, row_count, outcome) ? tally.right : tally.wrong);
    };
    if (!dispatcher.add(std::move(job)).has_value()) {
      ++tally.refused;
      ++tally.per_call[call];
    }
    if (random() % 10 == 0) {
      cancel.cancel();
    }
  }
}

TEST(DispatcherStress, AnswersOrRefusesEachCallExactlyOnce) {
  const SystemClock clock;
  Metrics metrics;
  Tally tally;
  ModelConfig one_instance;
  one_instance.instance_count = 1;
  const std::vector<ModelHandle> models = {fake_model(moody, 8), fake_model(moody, 16),
                                           fake_model(moody, 16, one_instance)};
  {
    Dispatcher dispatcher({.slot_count = 3, .queue_rows_max = 64}, clock, metrics);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { call_many(dispatcher, clock, models, i, tally); });
    }
    for (std::thread& each : threads) {
      each.join();
    }
  }
  EXPECT_EQ(tally.answered + tally.refused, kThreads * kCallsEach);
  EXPECT_EQ(tally.wrong, 0);
  EXPECT_GT(tally.right, 0);
  for (const std::atomic<int>& count : tally.per_call) {
    ASSERT_EQ(count, 1);
  }
}

// Jobs that come while it drains are refused, those before are answered; nobody is forgotten.
TEST(DispatcherStress, DrainsUnderFire) {
  const SystemClock clock;
  Metrics metrics;
  Tally tally;
  const std::vector<ModelHandle> models = {fake_model(moody, 8)};
  Dispatcher dispatcher({.slot_count = 2, .queue_rows_max = 64}, clock, metrics);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { call_many(dispatcher, clock, models, i, tally); });
  }
  while (tally.answered + tally.refused < kCallsEach) {
    std::this_thread::yield();
  }
  dispatcher.drain();
  for (std::thread& each : threads) {
    each.join();
  }
  EXPECT_EQ(tally.answered + tally.refused, kThreads * kCallsEach);
  EXPECT_EQ(tally.wrong, 0);
}

}  // namespace
}  // namespace braid
