#include "serve/dispatcher.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "base/mutex.h"
#include "serve/dispatch_fakes.h"

namespace braid {
namespace {

using namespace std::chrono_literals;

/// A model whose runs last until the test lets them end. It keeps the sizes of its batches.
class Held {
 public:
  ModelHandle model() {
    return fake_model([this](const Batch& batch) {
      const SystemClock clock;
      const Lock lock(mutex_);
      sizes_.push_back(batch.row_count);
      changed_.notify_all();
      while (!released_) {
        clock.wait_until(changed_, mutex_, TimePoint::max());
      }
      return twice(batch);
    });
  }
  void wait_until_running() {
    const SystemClock clock;
    const Lock lock(mutex_);
    while (sizes_.empty()) {
      clock.wait_until(changed_, mutex_, TimePoint::max());
    }
  }
  void release() {
    const Lock lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  std::vector<std::size_t> sizes() {
    const Lock lock(mutex_);
    return sizes_;
  }

 private:
  Mutex mutex_;
  Condition changed_;
  bool released_ GUARDED_BY(mutex_) = false;
  std::vector<std::size_t> sizes_ GUARDED_BY(mutex_);
};

struct Answer {
  JobOutcome outcome;
  std::thread::id thread;
};

class DispatcherTest : public testing::Test {
 protected:
  static Job job(const ModelHandle& model, const std::vector<float>& values,
                 std::future<Answer>& answer) {
    auto promise = std::make_shared<std::promise<Answer>>();
    answer = promise->get_future();
    Job job;
    job.model = model;
    job.inputs = fake_inputs(values);
    job.row_count = values.size();
    job.done = [promise](JobOutcome outcome) {
      promise->set_value({std::move(outcome), std::this_thread::get_id()});
    };
    return job;
  }
  static std::vector<float> values(const Answer& answer) {
    const auto span = answer.outcome.outputs->front().tensor.values<float>();
    return {span.begin(), span.end()};
  }
  static Code code(std::future<Answer>& answer) {
    return answer.get().outcome.outputs.error().code;
  }

  ManualClock clock_;
  Metrics metrics_;
  Held held_;
  std::future<Answer> held_answer_, answer_;
};

TEST_F(DispatcherTest, AnswersAJob) {
  Dispatcher dispatcher({}, clock_, metrics_);
  ASSERT_TRUE(dispatcher.add(job(fake_model(twice), {1, 2}, answer_)).has_value());
  const Answer answer = answer_.get();
  EXPECT_EQ(values(answer), (std::vector<float>{2, 4}));
  EXPECT_EQ(answer.outcome.batch_rows, 2U);
}

// A full queue must refuse at once: a blocked caller would hold its network thread.
TEST_F(DispatcherTest, RefusesWhenFull) {
  Dispatcher dispatcher({.slot_count = 1, .queue_rows_max = 1}, clock_, metrics_);
  const ModelHandle model = held_.model();
  ASSERT_TRUE(dispatcher.add(job(model, {1}, held_answer_)).has_value());
  held_.wait_until_running();
  ASSERT_TRUE(dispatcher.add(job(model, {2}, answer_)).has_value());
  std::future<Answer> refused;
  EXPECT_EQ(dispatcher.add(job(model, {3}, refused)).error().code, Code::kExhausted);
  EXPECT_EQ(dispatcher.load().queue, 1.0);
  EXPECT_EQ(dispatcher.load().busy, 1.0);
  held_.release();
  EXPECT_EQ(values(answer_.get()), std::vector<float>{4});
  EXPECT_EQ(metrics_.counter("braid_dispatch_refused_total", "", {{"model", "fake"}}).value(), 1U);
}

TEST_F(DispatcherTest, RefusesWhatIsTooLateAlready) {
  Dispatcher dispatcher({}, clock_, metrics_);
  Job late = job(fake_model(twice), {1}, answer_);
  late.deadline = Deadline::after(clock_, 0ms);
  EXPECT_EQ(dispatcher.add(std::move(late)).error().code, Code::kDeadlineExceeded);
  Job unwanted = job(fake_model(twice), {1}, answer_);
  unwanted.cancel.cancel();
  EXPECT_EQ(dispatcher.add(std::move(unwanted)).error().code, Code::kCancelled);
}

// No worker is free to look after the queue, and yet it is looked after.
TEST_F(DispatcherTest, ExpiredJobsLeaveWhileAllSlotsRun) {
  Dispatcher dispatcher({.slot_count = 1}, clock_, metrics_);
  const ModelHandle model = held_.model();
  ASSERT_TRUE(dispatcher.add(job(model, {1}, held_answer_)).has_value());
  held_.wait_until_running();
  Job hasty = job(model, {2}, answer_);
  hasty.deadline = Deadline::after(clock_, 20ms);
  ASSERT_TRUE(dispatcher.add(std::move(hasty)).has_value());

  clock_.advance(25ms);  // 5 ms after the deadline it must be gone

  EXPECT_EQ(code(answer_), Code::kDeadlineExceeded);
  held_.release();
  held_answer_.get();
  EXPECT_EQ(held_.sizes(), std::vector<std::size_t>{1}) << "no work was spent on it";
}

TEST_F(DispatcherTest, CancelledJobsLeaveWhileAllSlotsRun) {
  Dispatcher dispatcher({.slot_count = 1}, clock_, metrics_);
  const ModelHandle model = held_.model();
  ASSERT_TRUE(dispatcher.add(job(model, {1}, held_answer_)).has_value());
  held_.wait_until_running();
  Job unwanted = job(model, {2}, answer_);
  const CancelFlag flag = unwanted.cancel;
  ASSERT_TRUE(dispatcher.add(std::move(unwanted)).has_value());

  flag.cancel();
  clock_.advance(5ms);

  EXPECT_EQ(code(answer_), Code::kCancelled);
  held_.release();
}

// Costs are all zero under a clock that stands still, so only the stepwise trial bounds a batch.
TEST_F(DispatcherTest, JobsThatWaitRunTogether) {
  Dispatcher dispatcher({.slot_count = 1}, clock_, metrics_);
  const ModelHandle model = held_.model();
  ASSERT_TRUE(dispatcher.add(job(model, {1}, held_answer_)).has_value());
  held_.wait_until_running();
  std::vector<std::future<Answer>> answers(8);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_TRUE(dispatcher.add(job(model, {static_cast<float>(i)}, answers[i])).has_value());
  }
  EXPECT_EQ(dispatcher.load().waiting_rows, 8U);
  held_.release();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(values(answers[i].get()), std::vector<float>{2 * static_cast<float>(i)});
  }
  EXPECT_EQ(held_.sizes(), (std::vector<std::size_t>{1, 2, 4, 2}));
}

TEST_F(DispatcherTest, RunsInlineOnceTheModelIsKnownToBeFast) {
  Dispatcher dispatcher({}, clock_, metrics_);
  const ModelHandle model = fake_model(twice);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(dispatcher.add(job(model, {1}, answer_)).has_value());
    EXPECT_NE(answer_.get().thread, std::this_thread::get_id());
  }
  ASSERT_TRUE(dispatcher.add(job(model, {1}, answer_)).has_value());
  EXPECT_EQ(answer_.get().thread, std::this_thread::get_id());
}

TEST_F(DispatcherTest, RunsWhatAThreadGathersAsOneBatch) {
  Dispatcher dispatcher({}, clock_, metrics_);
  const ModelHandle model = fake_model(twice);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(dispatcher.add(job(model, {1}, answer_)).has_value());
    answer_.wait();
  }
  std::vector<std::future<Answer>> answers(3);
  dispatcher.gather();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_TRUE(dispatcher.add(job(model, {static_cast<float>(i)}, answers[i])).has_value());
    EXPECT_EQ(answers[i].wait_for(0s), std::future_status::timeout);
  }
  dispatcher.flush();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer answer = answers[i].get();
    EXPECT_EQ(values(answer), std::vector<float>{2 * static_cast<float>(i)});
    EXPECT_EQ(answer.outcome.batch_rows, 3U);
    EXPECT_EQ(answer.thread, std::this_thread::get_id());
  }

  // Refused later than by add(), and told by `done`.
  dispatcher.gather();
  ASSERT_TRUE(dispatcher.add(job(model, {1}, answer_)).has_value());
  dispatcher.drain();
  dispatcher.flush();
  EXPECT_EQ(code(answer_), Code::kUnavailable);
}

// Each `done` adds the next job. Run inline without end, they would use up the stack.
TEST_F(DispatcherTest, ALongChainOfInlineJobsStaysShallow) {
  Dispatcher dispatcher({}, clock_, metrics_);
  const ModelHandle model = fake_model(twice);
  std::promise<void> finished;
  std::atomic<int> depth_max = 0;
  static thread_local int depth = 0;
  std::function<void(int)> go = [&](int left) {
    if (left == 0) {
      finished.set_value();
      return;
    }
    Job next;
    next.model = model;
    next.inputs = fake_inputs({1});
    next.done = [&, left](JobOutcome outcome) {
      EXPECT_TRUE(outcome.outputs.has_value());
      ++depth;
      depth_max = std::max(depth_max.load(), depth);
      go(left - 1);
      --depth;
    };
    ASSERT_TRUE(dispatcher.add(std::move(next)).has_value());
  };
  go(20000);
  finished.get_future().get();
  dispatcher.drain();
  EXPECT_LE(depth_max, 9);
}

TEST_F(DispatcherTest, SplitsAJobThatIsTooLarge) {
  Dispatcher dispatcher({}, clock_, metrics_);
  std::vector<float> large(70);
  std::vector<float> expected(70);
  for (std::size_t i = 0; i < large.size(); ++i) {
    large[i] = static_cast<float>(i);
    expected[i] = 2 * large[i];
  }
  ASSERT_TRUE(dispatcher.add(job(fake_model(twice, 32), large, answer_)).has_value());
  EXPECT_EQ(values(answer_.get()), expected);
}

TEST_F(DispatcherTest, DrainFinishesWhatWaitsAndRefusesWhatComes) {
  Dispatcher dispatcher({.slot_count = 1}, clock_, metrics_);
  const ModelHandle model = held_.model();
  ASSERT_TRUE(dispatcher.add(job(model, {1}, held_answer_)).has_value());
  held_.wait_until_running();
  ASSERT_TRUE(dispatcher.add(job(model, {2}, answer_)).has_value());
  std::thread drainer([&] { dispatcher.drain(); });
  held_.release();
  drainer.join();
  EXPECT_EQ(values(answer_.get()), std::vector<float>{4});
  EXPECT_EQ(dispatcher.add(job(model, {3}, answer_)).error().code, Code::kUnavailable);
}

TEST_F(DispatcherTest, PredictsWhatItHasSeen) {
  Dispatcher dispatcher({}, clock_, metrics_);
  const ModelHandle model = fake_model([&](const Batch& batch) {
    clock_.advance(4ms);
    return twice(batch);
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(dispatcher.predict(*model, 1).mean, 0ms) << "the first run does not count";
    ASSERT_TRUE(dispatcher.add(job(model, {1}, answer_)).has_value());
    EXPECT_EQ(answer_.get().outcome.ran, 4ms);
  }
  EXPECT_EQ(dispatcher.predict(*model, 1).mean, 4ms);
  EXPECT_EQ(dispatcher.predict(*model, 1).q95, 4ms);
}

TEST_F(DispatcherTest, PredictsFromAProfileBeforeTheFirstRequest) {
  LoadedModel loaded = fake_loaded(twice);
  loaded.profile.runs = {{1, 1, 10ms}, {1, 2, 15ms}, {2, 1, 6ms}};
  const Dispatcher dispatcher({}, clock_, metrics_);
  EXPECT_EQ(dispatcher.predict(loaded, 4).mean, 25ms);
}

}  // namespace
}  // namespace braid
