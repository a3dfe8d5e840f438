#include "model/measured_runs.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace braid {
namespace {

constexpr std::size_t kBytesMax = std::size_t{256} << 20;
constexpr std::size_t kExtent = 32;  // a short text; few networks take less of a picture
constexpr Duration kWorthwhile = std::chrono::milliseconds(5);
constexpr double kShareMax = 0.7;  // two threads that save less cost throughput for little

bool pays(Duration alone, Duration together) {
  return together <= std::chrono::round<Duration>(alone * kShareMax);
}

/// Not measured yet; null where the runtime cannot.
WideTwin twin_of(const Model& model, std::size_t thread_count) {
  Result<std::unique_ptr<const Model>> twin = model.widened(thread_count);
  return twin.has_value() ? WideTwin{*std::move(twin), {}} : WideTwin{};
}

}  // namespace

Result<Batch> made_up_batch(const ModelSpec& spec, std::size_t row_count, std::size_t extent) {
  Batch batch;
  batch.row_count = row_count;
  std::size_t bytes = 0;
  for (const TensorSpec& input : spec.inputs) {
    if (input.optional) {
      continue;
    }
    Shape shape;
    std::size_t count = 1;
    for (const std::int64_t axis : input.shape) {
      shape.push_back(axis < 0 ? extent : static_cast<std::size_t>(axis));
      if (spec.rows_max > 0 && shape.size() == 1) {
        shape.front() = row_count;
      }
      count = shape.back() > kBytesMax / count ? kBytesMax + 1 : count * shape.back();
    }
    bytes += count * std::max<std::size_t>(element_size(input.dtype), 1);
    if (bytes > kBytesMax) {
      return Error{Code::kExhausted, "one row of made-up input needs more than 256 MiB"};
    }
    BRAID_TRY(Tensor tensor, Tensor::zeros(input.dtype, shape));
    batch.inputs.push_back({input.name, std::move(tensor)});
  }
  return batch;
}

Result<Duration> measured_run(const Model& model, const Batch& batch, std::size_t run_count,
                              const Clock& clock) {
  Duration least = Duration::max();
  for (std::size_t run = 0; run <= run_count; ++run) {
    const TimePoint begin = clock.now();
    BRAID_TRY(const RowResults results, model.run(batch));
    if (!results.failures.empty()) {
      return Error(results.failures.begin()->second);
    }
    if (run > 0) {
      least = std::min(least, clock.now() - begin);
    }
  }
  return least;
}

WideTwin wide_twin(const Model& model, std::size_t thread_count, const Clock& clock) {
  constexpr std::size_t kRuns = 3;
  const Result<Batch> batch = made_up_batch(model.spec(), 1, kExtent);
  if (thread_count < 2 || !batch.has_value()) {
    return {};
  }
  const Result<Duration> alone = measured_run(model, *batch, kRuns, clock);
  if (!alone.has_value() || *alone < kWorthwhile) {
    return {};
  }
  WideTwin twin = twin_of(model, thread_count);
  if (twin.model == nullptr) {
    return {};
  }
  const Result<Duration> together = measured_run(*twin.model, *batch, kRuns, clock);
  if (!together.has_value() || !pays(*alone, *together)) {
    return {};
  }
  twin.one_row = *together;
  return twin;
}

WideTwin wide_twin(const Model& model, std::size_t thread_count, const ModelProfile& profile) {
  const MeasuredRun* alone = profile.find(1, 1);
  const MeasuredRun* together = profile.find(thread_count, 1);
  if (thread_count < 2 || alone == nullptr || together == nullptr || alone->took < kWorthwhile ||
      !pays(alone->took, together->took)) {
    return {};
  }
  WideTwin twin = twin_of(model, thread_count);
  twin.one_row = together->took;
  return twin;
}

}  // namespace braid
