// What the dispatcher itself costs, with a model that does nothing: inline on the caller's thread,
// and with a hand-over to a slot. Half of figure A1.

#include <benchmark/benchmark.h>

#include "base/mutex.h"
#include "serve/dispatch_fakes.h"
#include "serve/dispatcher.h"

namespace braid {
namespace {

/// Waits for an outcome without a clock of its own.
class Latch {
 public:
  void open() {
    const Lock lock(mutex_);
    open_ = true;
    changed_.notify_one();
  }
  void wait(const Clock& clock) {
    const Lock lock(mutex_);
    while (!open_) {
      clock.wait_until(changed_, mutex_, TimePoint::max());
    }
    open_ = false;
  }

 private:
  Mutex mutex_;
  Condition changed_;
  bool open_ GUARDED_BY(mutex_) = false;
};

ModelHandle no_op() {
  return fake_model([](const Batch&) { return RowResults{}; });
}

Job job_for(const ModelHandle& model, const Clock& clock, Latch& latch) {
  return {.model = model,
          .inputs = fake_inputs({1}),
          .row_count = 1,
          .deadline = Deadline::after(clock, std::chrono::seconds(1)),
          .cancel = {},
          .priority = 0,
          .done = [&latch](JobOutcome outcome) {
            benchmark::DoNotOptimize(outcome);
            latch.open();
          }};
}

void run_each(benchmark::State& state, Duration inline_max) {
  const SystemClock clock;
  Metrics metrics;
  Dispatcher dispatcher({.inline_max = inline_max}, clock, metrics);
  const ModelHandle model = no_op();
  Latch latch;
  for (auto _ : state) {
    Job job = job_for(model, clock, latch);
    benchmark::DoNotOptimize(dispatcher.add(std::move(job)));
    latch.wait(clock);
  }
}

/// The same without a dispatcher: building the job, calling the model and the latch.
void BM_Bare(benchmark::State& state) {
  const SystemClock clock;
  const ModelHandle model = no_op();
  Latch latch;
  for (auto _ : state) {
    Job job = job_for(model, clock, latch);
    Result<RowResults> results = model->model->run({std::move(job.inputs), 1});
    job.done({(*std::move(results)).outputs, {}, {}, 1, 1});
    latch.wait(clock);
  }
}
BENCHMARK(BM_Bare);

void BM_Inline(benchmark::State& state) { run_each(state, std::chrono::milliseconds(1)); }
BENCHMARK(BM_Inline);

void BM_HandedOver(benchmark::State& state) { run_each(state, Duration(-1)); }
BENCHMARK(BM_HandedOver)->UseRealTime();

void BM_Predict(benchmark::State& state) {
  const SystemClock clock;
  Metrics metrics;
  Dispatcher dispatcher({}, clock, metrics);
  const ModelHandle model = no_op();
  for (auto _ : state) {
    benchmark::DoNotOptimize(dispatcher.predict(*model, 4));
  }
}
BENCHMARK(BM_Predict);

}  // namespace
}  // namespace braid

BENCHMARK_MAIN();
