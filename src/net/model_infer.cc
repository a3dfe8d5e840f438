#include "net/model_infer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "net/infer_reply.h"
#include "net/status.h"

namespace braid {
namespace {

std::vector<std::string> names_of(const std::vector<TensorSpec>& specs) {
  std::vector<std::string> names;
  for (const TensorSpec& spec : specs) {
    names.push_back(spec.name);
  }
  return names;
}

HttpResponse to_response(const InferReply& facts, const Result<NamedTensors>& outputs) {
  if (!outputs.has_value()) {
    return to_response(outputs.error());
  }
  Result<HttpResponse> encoded = encode_reply(facts, *outputs);
  return encoded.has_value() ? *std::move(encoded) : to_response(encoded.error());
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

void infer_model(ModelHandle model, InferRequest request, CancelFlag cancel, Dispatcher& dispatcher,
                 const Clock& clock, HttpReply reply) {
  const ModelSpec& spec = model->spec();
  const Result<std::size_t> rows = check_inputs(spec, request.inputs);
  if (!rows.has_value()) {
    return std::move(reply)(to_response(rows.error()));
  }
  if (Result<void> known = check_outputs(request.outputs, names_of(spec.outputs));
      !known.has_value()) {
    return std::move(reply)(to_response(known.error()));
  }
  InferReply facts{.model = model->name,
                   .version = std::to_string(model->version),
                   .id = std::move(request.id),
                   .wanted = std::move(request.outputs),
                   .binary_output = request.binary_output};
  const auto shared = std::make_shared<HttpReply>(std::move(reply));  // a refused job is dropped
  Job job{.model = std::move(model),
          .inputs = std::move(request.inputs),
          .row_count = *rows,
          .deadline = request.timeout.has_value() ? Deadline::after(clock, *request.timeout)
                                                  : Deadline::never(),
          .cancel = std::move(cancel),
          .done = [shared, facts = std::move(facts)](JobOutcome outcome) {
            std::move (*shared)(to_response(facts, outcome.outputs));
          }};
  if (Result<void> added = dispatcher.add(std::move(job)); !added.has_value()) {
    std::move (*shared)(to_response(added.error()));
  }
}

}  // namespace braid
