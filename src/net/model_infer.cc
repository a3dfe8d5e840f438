#include "net/model_infer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace braid {
namespace {

std::vector<std::string> names_of(const std::vector<TensorSpec>& specs) {
  std::vector<std::string> names;
  for (const TensorSpec& spec : specs) {
    names.push_back(spec.name);
  }
  return names;
}

Result<InferReply> reply_of(InferReply frame, const OutputLabels& labels,
                            Result<NamedTensors> outputs) {
  BRAID_TRY(NamedTensors given, std::move(outputs));
  BRAID_TRY_DO(take_outputs(std::move(given), labels, frame));
  return frame;
}

}  // namespace

Result<std::size_t> check_inputs(const ModelSpec& spec, const NamedTensors& inputs) {
  for (const NamedTensor& input : inputs) {
    const auto wanted = std::ranges::find(spec.inputs, input.name, &TensorSpec::name);
    if (wanted == spec.inputs.end()) {
      return Error{Code::kInvalidArgument,
                   fmt::format("no input '{}'; the model takes: {}", input.name.substr(0, 100),
                               fmt::join(names_of(spec.inputs), ", "))};
    }
    if (Result<void> fits = check_fits(*wanted, input.tensor.view()); !fits.has_value()) {
      return std::move(fits).error().within(fmt::format("input '{}'", input.name));
    }
  }
  for (const TensorSpec& wanted : spec.inputs) {
    if (!wanted.optional && find_tensor(inputs, wanted.name) == nullptr) {
      return Error{Code::kInvalidArgument,
                   fmt::format("input '{}' is missing: {}", wanted.name, to_string(wanted))};
    }
  }
  if (spec.rows_max == 0) {
    return std::size_t{1};
  }
  const NamedTensor& first = inputs.front();
  for (const NamedTensor& input : inputs) {
    if (input.tensor.row_count() != first.tensor.row_count()) {
      return Error{
          Code::kInvalidArgument,
          fmt::format("input '{}' has {} rows, input '{}' has {}; a batch has as many of "
                      "each",
                      first.name, first.tensor.row_count(), input.name, input.tensor.row_count())};
    }
  }
  return first.tensor.row_count();
}

Result<void> check_row_count(std::optional<std::size_t> stated_max, std::size_t row_count) {
  if (stated_max.value_or(0) == 0 || row_count <= *stated_max) {
    return {};
  }
  return Error{Code::kInvalidArgument,
               fmt::format("{} rows came; the model takes at most {} a request, its "
                           "max_batch_size: send them in several requests",
                           row_count, *stated_max)};
}

void infer_model(ModelHandle model, InferRequest request, CancelFlag cancel, Dispatcher& dispatcher,
                 const Clock& clock, InferDone done) {
  const ModelSpec& spec = model->spec();
  const Result<std::size_t> rows = check_inputs(spec, request.inputs);
  if (!rows.has_value()) {
    return done(rows.error());
  }
  if (Result<void> fits = check_row_count(model->config.rows_max, *rows); !fits.has_value()) {
    return done(std::move(fits).error());
  }
  if (Result<void> known = check_outputs(request.outputs, names_of(spec.outputs));
      !known.has_value()) {
    return done(std::move(known).error());
  }
  InferReply frame{.model = model->name,
                   .version = std::to_string(model->version),
                   .id = std::move(request.id),
                   .wanted = std::move(request.outputs),
                   .binary_output = request.binary_output};
  const auto shared = std::make_shared<InferDone>(std::move(done));  // a refused job is dropped
  Job job{.model = model,
          .inputs = std::move(request.inputs),
          .row_count = *rows,
          .deadline = request.timeout.has_value() ? Deadline::after(clock, *request.timeout)
                                                  : Deadline::never(),
          .cancel = std::move(cancel),
          .priority = request.priority,
          .done = [shared, model, frame = std::move(frame)](JobOutcome outcome) mutable {
            (*shared)(reply_of(std::move(frame), model->labels, std::move(outcome.outputs)));
          }};
  if (Result<void> added = dispatcher.add(std::move(job)); !added.has_value()) {
    (*shared)(std::move(added).error());
  }
}

}  // namespace braid
