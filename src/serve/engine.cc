#include "serve/engine.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "serve/walk.h"

namespace braid {

struct Engine::State {
  using Pipelines = std::map<std::string, std::shared_ptr<Live>, std::less<>>;

  State(Options options, const Clock& clock, Dispatcher& dispatcher, Metrics& given)
      : metrics(given),
        parts{options, clock, dispatcher,
              WorkerPool({.name = "pool", .thread_count = options.pool_thread_count}),
              Alarm(clock)} {}

  Metrics& metrics;
  Gate gate;
  Mutex publishing;  // one change at a time; readers never take it
  Published<Pipelines> pipelines{std::make_shared<const Pipelines>()};
  EngineParts parts;
};

namespace {

Result<void> check_inputs(const Request& request, const PipelineConfig& config) {
  const std::vector<std::string> known = config.raw_inputs();
  for (const RawInput& input : request.inputs) {
    if (std::ranges::find(known, input.name) == known.end()) {
      return Error{Code::kInvalidArgument,
                   fmt::format("pipeline '{}' has no input '{}'; it has: {}", config.name,
                               input.name, fmt::join(known, ", "))};
    }
    if (std::ranges::count(request.inputs, input.name, &RawInput::name) > 1) {
      return Error{Code::kInvalidArgument, fmt::format("input '{}' came twice", input.name)};
    }
  }
  if (const std::size_t size_bytes = request.input_bytes();
      size_bytes > config.limits.input_bytes) {
    return Error{Code::kExhausted, fmt::format("{} bytes of inputs came, the limit is {}",
                                               size_bytes, config.limits.input_bytes)};
  }
  return {};
}

template <typename T>
Result<void> check_name(const char* kind, const std::optional<std::string>& name,
                        const std::vector<T>& all) {
  if (!name.has_value() || std::ranges::find(all, *name, &T::name) != all.end()) {
    return {};
  }
  std::vector<std::string> names;
  for (const T& each : all) {
    names.push_back(each.name);
  }
  return Error{Code::kInvalidArgument,
               fmt::format("no {} '{}'; there are: {}", kind, *name, fmt::join(names, ", "))};
}

Result<void> check(const Request& request, const PipelineConfig& config) {
  BRAID_TRY_DO(check_inputs(request, config));
  BRAID_TRY_DO(check_name("plan", request.plan, config.plans));
  if (request.answer_node.has_value() && config.branch(*request.answer_node) == nullptr) {
    BRAID_TRY_DO(check_name("fusion node", request.answer_node, config.nodes));
  }
  return {};
}

}  // namespace

Engine::Engine(Options options, const Clock& clock, Dispatcher& dispatcher, Metrics& metrics)
    : state_(std::make_unique<State>(options, clock, dispatcher, metrics)) {}

Engine::~Engine() { drain(); }

void Engine::publish(std::shared_ptr<const Pipeline> pipeline) {
  const Lock lock(state_->publishing);
  auto next = std::make_shared<State::Pipelines>(*state_->pipelines.get());
  const std::string name = pipeline->config.name;
  (*next)[name] = std::make_shared<Live>(std::move(pipeline), state_->metrics);
  state_->pipelines.publish(std::move(next));
}

void Engine::withdraw(const std::string& name) {
  const Lock lock(state_->publishing);
  auto next = std::make_shared<State::Pipelines>(*state_->pipelines.get());
  next->erase(name);
  state_->pipelines.publish(std::move(next));
}

std::shared_ptr<const Pipeline> Engine::find(const std::string& name) const {
  const auto pipelines = state_->pipelines.get();
  const auto found = pipelines->find(name);
  return found == pipelines->end() ? nullptr : found->second->pipeline;
}

Result<std::shared_ptr<const Pipeline>> Engine::pipeline(const std::string& name) const {
  std::shared_ptr<const Pipeline> found = find(name);
  if (found == nullptr) {
    const auto names = pipeline_names();
    return Error{Code::kNotFound,
                 fmt::format("no pipeline '{}'; {}", name,
                             names.empty() ? "none is loaded"
                                           : fmt::format("there are: {}", fmt::join(names, ", ")))};
  }
  return found;
}

std::vector<std::string> Engine::pipeline_names() const {
  std::vector<std::string> names;
  for (const auto& [name, live] : *state_->pipelines.get()) {
    names.push_back(name);
  }
  return names;
}

Engine::Counts Engine::counts(const std::string& name) const {
  const auto pipelines = state_->pipelines.get();
  const auto found = pipelines->find(name);
  if (found == pipelines->end()) {
    return {};
  }
  const Live& live = *found->second;
  const TimePoint last = live.last.load(std::memory_order_relaxed);
  return {live.success.value(), live.fail.value(),
          last == TimePoint::min() ? std::nullopt : std::optional(last)};
}

void Engine::submit(Request request) {
  std::optional<Gate::Pass> pass = state_->gate.enter();
  if (!pass.has_value()) {
    std::move(request.reply)(Error{Code::kUnavailable, "the server is shutting down"});
    return;
  }
  const auto pipelines = state_->pipelines.get();
  const auto found = pipelines->find(request.pipeline);
  if (found == pipelines->end()) {
    std::move(request.reply)(pipeline(request.pipeline).error());
    return;
  }
  const std::shared_ptr<Live>& live = found->second;
  const PipelineConfig& config = live->pipeline->config;
  if (Result<void> checked = check(request, config); !checked.has_value()) {
    live->meter.refused();
    std::move(request.reply)(std::move(checked).error());
    return;
  }
  if (Result<void> entered = live->enter(request.input_bytes()); !entered.has_value()) {
    live->meter.refused();
    std::move(request.reply)(std::move(entered).error());
    return;
  }
  std::make_shared<Walk>(state_->parts, live, std::move(request), *std::move(pass))->begin();
}

Result<Decision> Engine::decide(Request request) {
  struct Mailbox {
    Mutex mutex;
    Condition changed;
    std::optional<Result<Decision>> answer GUARDED_BY(mutex);
  };
  const auto box = std::make_shared<Mailbox>();
  request.reply = Reply([box](Result<Decision> answer) {
    const Lock lock(box->mutex);
    box->answer = std::move(answer);
    box->changed.notify_all();
  });
  submit(std::move(request));
  const SystemClock clock;
  const Lock lock(box->mutex);
  while (!box->answer.has_value()) {
    clock.wait_until(box->changed, box->mutex, TimePoint::max());
  }
  return *std::move(box->answer);
}

void Engine::drain() {
  state_->gate.close(state_->parts.clock);
  state_->parts.pool.drain();
}

}  // namespace braid
