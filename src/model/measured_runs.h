#pragma once
// Measured runs: how long a model takes on this machine, with made-up input, alone.

#include <cstddef>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "model/model.h"
#include "model/profile.h"

namespace braid {

/// `row_count` rows of zeros that fit the model's inputs; an extent that varies is `extent`.
/// kExhausted when they would need more than 256 MiB.
Result<Batch> made_up_batch(const ModelSpec& spec, std::size_t row_count, std::size_t extent);

/// The least time of `run_count` runs, after one that does not count.
Result<Duration> measured_run(const Model& model, const Batch& batch, std::size_t run_count,
                              const Clock& clock);

/// A twin of the model whose lone run on `thread_count` threads was measured to take at most 0.7 of
/// the time that it takes on one. Null when it does not pay, when one run is quicker than 5 ms, for
/// then the threads' hand-over eats the gain, or when made-up input does not run.
struct WideTwin {
  std::unique_ptr<const Model> model;
  Duration one_row{};  // takes so long
};
WideTwin wide_twin(const Model& model, std::size_t thread_count, const Clock& clock);
/// The same by what a profile says, without measuring.
WideTwin wide_twin(const Model& model, std::size_t thread_count, const ModelProfile& profile);

}  // namespace braid
