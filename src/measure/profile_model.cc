#include "measure/profile_model.h"

#include <algorithm>
#include <chrono>

#include "model/measured_runs.h"

namespace braid {
namespace {

constexpr std::size_t kExtent = 32;  // where an extent varies, such as a text's length
constexpr std::size_t kRowsMax = 32;
constexpr Duration kSpend = std::chrono::milliseconds(200);  // on one number of rows

/// Three runs, more of a quick model, so that one disturbance does not count.
std::size_t runs_of(Duration one) {
  const auto affordable = static_cast<std::size_t>(kSpend / std::max(one, Duration(1)));
  return std::clamp<std::size_t>(affordable, 3, 200);
}

}  // namespace

Result<ModelProfile> profile_model(const LoadedModel& model, std::size_t thread_count,
                                   const Clock& clock) {
  ModelProfile profile{.name = model.name, .version = model.version};
  const std::size_t rows_max = std::clamp<std::size_t>(model.spec().rows_max, 1, kRowsMax);
  Duration last{};
  for (std::size_t rows = 1; rows <= rows_max; rows *= 2) {
    BRAID_TRY(const Batch batch, made_up_batch(model.spec(), rows, kExtent));
    BRAID_TRY(const Duration first, measured_run(*model.model, batch, 1, clock));
    BRAID_TRY(last, measured_run(*model.model, batch, runs_of(first), clock));
    profile.runs.push_back({1, rows, last});
  }
  BRAID_TRY(const auto wide, model.model->widened(thread_count));
  if (thread_count > 1 && wide != nullptr) {
    BRAID_TRY(const Batch batch, made_up_batch(model.spec(), 1, kExtent));
    BRAID_TRY(const Duration took, measured_run(*wide, batch, runs_of(last), clock));
    profile.runs.push_back({thread_count, 1, took});
  }
  return profile;
}

}  // namespace braid
