#pragma once
// profile_model: how long one model takes on this machine, by rows and threads, and its memory.

#include "base/clock.h"
#include "base/result.h"
#include "model/profile.h"
#include "model/store.h"

namespace braid {

/// Runs 1, 2, 4 … rows, up to the model's own most and 32, of made-up input on one thread and, of
/// one row, on `thread_count`; each at least three times, the least counts. An error when made-up
/// input does not run. `memory_mib` is left 0: only who loads the model can tell.
Result<ModelProfile> profile_model(const LoadedModel& model, std::size_t thread_count,
                                   const Clock& clock);

}  // namespace braid
