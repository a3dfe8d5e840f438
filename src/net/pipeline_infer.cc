#include "net/pipeline_infer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "net/case_run.h"
#include "serve/pipeline.h"

namespace braid {
namespace {

constexpr std::size_t kCasesMax = 4096;

Error wrong(std::string message) { return Error{Code::kInvalidArgument, std::move(message)}; }

Result<void> check_input(const PipelineFacts& facts, const NamedTensor& input,
                         std::size_t case_count) {
  if (std::ranges::find(facts.inputs, input.name) == facts.inputs.end()) {
    return wrong(fmt::format("no input '{}'; the pipeline takes: {}", input.name.substr(0, 100),
                             fmt::join(facts.inputs, ", ")));
  }
  const Shape& shape = input.tensor.shape();
  const bool fits = shape.size() == 1 || (shape.size() == 2 && shape[1] == 1);
  if (input.tensor.dtype() != DType::kBytes || !fits) {
    return wrong(fmt::format("input '{}' is {} {}, but BYTES [n] or [n, 1] is wanted", input.name,
                             to_string(input.tensor.dtype()), to_string(shape)));
  }
  if (shape[0] != case_count || case_count > kCasesMax) {
    return wrong(
        fmt::format("input '{}' has {} cases, the first input {}; all have the same, {} "
                    "at most",
                    input.name, shape[0], case_count, kCasesMax));
  }
  return {};
}

template <typename Write>
NamedTensor text_output(const char* name, const std::vector<Decision>& decisions, Write write) {
  std::vector<std::string> texts;
  for (const Decision& decision : decisions) {
    texts.push_back(write(decision));
  }
  const Shape shape = {texts.size()};  // before the texts are moved away
  return {name, *Tensor::from_strings(shape, std::move(texts))};
}

template <typename Read>
NamedTensor number_output(const char* name, const std::vector<Decision>& decisions, Read read) {
  std::vector<float> numbers;
  for (const Decision& decision : decisions) {
    numbers.push_back(static_cast<float>(read(decision)));
  }
  return {name, *Tensor::from(Shape{numbers.size()}, numbers)};
}

NamedTensor probabilities_output(const PipelineFacts& facts,
                                 const std::vector<Decision>& decisions) {
  std::vector<float> numbers;
  for (const Decision& decision : decisions) {
    BRAID_CHECK(decision.probabilities.size() == facts.classes.size());
    for (const auto& [name, probability] : decision.probabilities) {
      numbers.push_back(static_cast<float>(probability));
    }
  }
  return {"probabilities", *Tensor::from(Shape{decisions.size(), facts.classes.size()}, numbers)};
}

Result<InferReply> reply_of(const PipelineFacts& facts, InferReply frame,
                            const Result<std::vector<Decision>>& decisions) {
  if (!decisions.has_value()) {
    return decisions.error();
  }
  BRAID_TRY_DO(
      take_outputs(to_tensors(facts, *decisions), {{"probabilities", facts.classes}}, frame));
  return frame;
}

}  // namespace

PipelineFacts facts_of(const Pipeline& pipeline) {
  return {pipeline.config.name, pipeline.config.version, pipeline.config.raw_inputs(),
          pipeline.config.classes};
}

std::vector<TensorSpec> pipeline_inputs(const PipelineFacts& facts) {
  std::vector<TensorSpec> specs;
  for (const std::string& name : facts.inputs) {
    specs.push_back({name, DType::kBytes, {-1}, true});
  }
  return specs;
}

std::vector<TensorSpec> pipeline_outputs(const PipelineFacts& facts) {
  return {{"label", DType::kBytes, {-1}},
          {"probabilities", DType::kFp32, {-1, static_cast<std::int64_t>(facts.classes.size())}},
          {"confidence", DType::kFp32, {-1}},
          {"uncertainty", DType::kFp32, {-1}},
          {"contributions", DType::kBytes, {-1}},
          {"route", DType::kBytes, {-1}},
          {"degraded", DType::kBytes, {-1}},
          {"out_of_domain", DType::kBytes, {-1}}};
}

Result<std::vector<Request>> split_cases(const PipelineFacts& facts, InferRequest& request,
                                         const Clock& clock) {
  const std::size_t case_count = request.inputs.front().tensor.row_count();
  for (const NamedTensor& input : request.inputs) {
    BRAID_TRY_DO(check_input(facts, input, case_count));
  }
  const bool explain =
      request.outputs.empty() || std::ranges::find(request.outputs, "contributions",
                                                   &RequestedOutput::name) != request.outputs.end();
  std::vector<Request> cases;
  for (std::size_t i = 0; i < case_count; ++i) {
    Request& each = cases.emplace_back();
    each.pipeline = facts.name;
    each.id = case_count == 1 ? request.id : "";
    each.explain = explain;
    each.min_confidence = request.min_confidence;
    each.cost_budget_core_ms = request.cost_budget_core_ms;
    each.priority = request.priority;
    if (request.timeout.has_value()) {
      each.deadline = Deadline::after(clock, *request.timeout);
    }
    for (NamedTensor& input : request.inputs) {
      each.inputs.push_back({input.name, std::move(input.tensor.mutable_strings()[i])});
    }
  }
  return cases;
}

NamedTensors to_tensors(const PipelineFacts& facts, const std::vector<Decision>& decisions) {
  NamedTensors outputs;
  outputs.push_back(
      text_output("label", decisions, [](const Decision& each) { return each.label; }));
  outputs.push_back(probabilities_output(facts, decisions));
  outputs.push_back(
      number_output("confidence", decisions, [](const Decision& each) { return each.confidence; }));
  outputs.push_back(number_output("uncertainty", decisions,
                                  [](const Decision& each) { return each.uncertainty; }));
  outputs.push_back(text_output("contributions", decisions, [](const Decision& each) {
    return contributions_json(each).dump();
  }));
  outputs.push_back(text_output("route", decisions,
                                [](const Decision& each) { return route_json(each).dump(); }));
  outputs.push_back(text_output("degraded", decisions,
                                [](const Decision& each) { return degraded_json(each).dump(); }));
  outputs.push_back(text_output("out_of_domain", decisions, [](const Decision& each) {
    return out_of_domain_json(each).dump();
  }));
  return outputs;
}

void infer_pipeline(PipelineFacts facts, InferRequest request, CancelFlag cancel,
                    std::function<void(Request)> submit, const Clock& clock, InferDone done) {
  std::vector<std::string> names;
  for (const TensorSpec& spec : pipeline_outputs(facts)) {
    names.push_back(spec.name);
  }
  if (Result<void> known = check_outputs(request.outputs, names); !known.has_value()) {
    return done(std::move(known).error());
  }
  Result<std::vector<Request>> cases = split_cases(facts, request, clock);
  if (!cases.has_value()) {
    return done(std::move(cases).error());
  }
  InferReply frame{.model = facts.name,
                   .version = facts.version,
                   .id = std::move(request.id),
                   .wanted = std::move(request.outputs),
                   .binary_output = request.binary_output};
  std::vector<Request> each_case = *std::move(cases);
  for (Request& each : each_case) {
    each.cancel = cancel;
  }
  CaseRun::start(std::move(each_case), std::move(submit),
                 [facts = std::move(facts), frame = std::move(frame),
                  done = std::move(done)](Result<std::vector<Decision>> decisions) mutable {
                   done(reply_of(facts, std::move(frame), decisions));
                 });
}

}  // namespace braid
