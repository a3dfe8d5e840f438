#include "serve/walk.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tensor/softmax.h"

namespace braid {
namespace {

/// As branches: 1 where the variant that ran needs this raw input.
std::vector<char> branches_using(const Pipeline& pipeline, const std::string& raw_input,
                                 const Progress& progress) {
  std::vector<char> used(pipeline.branches.size(), 0);
  for (std::size_t b = 0; b < used.size(); ++b) {
    if (!progress.branch_ran[b].has_value()) {
      continue;
    }
    const Variant& variant = pipeline.branches[b].variants[*progress.branch_ran[b]];
    for (const std::string& input : variant.config.inputs) {
      used[b] = used[b] != 0 || pipeline.config.input(input)->from == raw_input;
    }
  }
  return used;
}

}  // namespace

Walk::Walk(EngineParts& engine, std::shared_ptr<Live> live, Request request, Gate::Pass pass)
    : engine_(engine),
      live_(std::move(live)),
      pipeline_(*live_->pipeline),
      request_(std::move(request)),
      cancel_(request_.cancel.below()),
      pass_(std::move(pass)),
      started_(engine.clock.now()),
      deadline_(Deadline::after(engine.clock, std::min(request_.deadline.left(engine.clock),
                                                       pipeline_.config.limits.deadline))),
      inputs_(pipeline_.config.inputs.size()),
      branches_(pipeline_.branches.size()),
      parts_(pipeline_.branches.size()),
      domain_scores_(pipeline_.branches.size()) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const auto sent =
        std::ranges::find(request_.inputs, pipeline_.config.inputs[i].from, &RawInput::name);
    inputs_[i].raw = sent == request_.inputs.end() ? nullptr : &*sent;
  }
}

void Walk::begin() {
  const TimePoint ring = started_ + deadline_.left(engine_.clock) - engine_.options.deadline_guard;
  Task on_ring = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->on_deadline();
    }
  };
  alarm_.emplace(engine_.alarm.set(ring, std::move(on_ring)), ring);
  step();
}

Progress Walk::progress() {
  Progress progress;
  for (const Input& input : inputs_) {
    progress.input_sent.push_back(input.raw != nullptr);
    progress.input_encoded.push_back(input.state == InputState::kDone);
  }
  for (const BranchRun& branch : branches_) {
    progress.branch_ran.push_back(branch.variant);
  }
  progress.steps_run = step_;
  progress.last_plan = plan_;
  progress.evidence = evidence_;
  progress.spent_core_ms = cost_core_ms_;
  progress.elapsed = engine_.clock.now() - started_;
  progress.left = deadline_.left(engine_.clock);
  return progress;
}

/// A request that names its plan runs that one and no other.
Action Walk::forced_action(const Observation& seen) const {
  const auto& plans = pipeline_.config.plans;
  const auto wanted = std::ranges::find(plans, *request_.plan, &PlanConfig::name);
  const auto index = static_cast<std::size_t>(wanted - plans.begin());
  const bool may_run = step_ == 0 && seen.plans[index].barred.empty();
  return may_run ? Action::run(index) : Action::answer();
}

/// `barred` becomes the reason of the first plan that may not run.
Action Walk::decide(std::string& barred) {
  const Observation seen = observe(*live_, engine_.dispatcher, request_, progress());
  for (const PlanSeen& plan : seen.plans) {
    barred = barred.empty() ? plan.barred : barred;
  }
  if (cut_) {
    return Action::answer();
  }
  if (request_.plan.has_value()) {
    return forced_action(seen);
  }
  bool clamped = false;
  const Action action = clamp(pipeline_.policy->decide(seen), seen, clamped);
  if (clamped) {
    live_->meter.clamped();
  }
  return action;
}

// Bounded: each step bars the plans of which nothing is left to run.
void Walk::step() {
  std::string barred;
  Action action;
  bool has_answer = false;
  {
    const Lock lock(mutex_);
    if (answered_) {
      return;
    }
    action = decide(barred);
    plan_ = action.plan.has_value() ? action.plan : plan_;
    has_answer = in_hand_.has_value();
  }
  if (action.plan.has_value()) {
    run_plan(*action.plan);
  } else if (!has_answer) {
    const Code code = request_.inputs.empty() ? Code::kInvalidArgument : Code::kExhausted;
    fail(Error{code, fmt::format("no plan can run: {}", barred)});
  } else if (request_.explain) {
    explain();
  } else {
    answer();
  }
}

void Walk::fuse() {
  std::optional<Error> failure;
  FusionQuestion question{
      .left_out = {}, .deadline = deadline_, .cancel = cancel_, .priority = request_.priority};
  {
    const Lock lock(mutex_);
    failure = missing_required();
    question.parts = &parts_;
    question.left_out.emplace_back(parts_.size(), char{0});
  }
  if (request_.cancel.cancelled()) {
    failure = Error{Code::kCancelled, "the client no longer wants the answer"};
  }
  if (failure.has_value()) {
    fail(*std::move(failure));
    return;
  }
  FusionRun::begin(
      live_->pipeline, engine_.dispatcher, std::move(question),
      [self = shared_from_this()](FusionResult result) { self->on_fused(std::move(result)); });
}

void Walk::on_fused(FusionResult result) {
  std::optional<Error> failure;
  {
    const Lock lock(mutex_);
    if (answered_) {
      return;
    }
    cost_core_ms_ += result.head_core_ms;
    if (!take_evidence(result)) {
      const bool may_go_on =
          !cut_ && !request_.plan.has_value() && step_ < pipeline_.config.plans.size();
      if (!may_go_on) {
        failure = why_nothing(result.nodes.back().reason);
      }
    }
  }
  if (failure.has_value()) {
    fail(*std::move(failure));
    return;
  }
  step();
}

// One row for each input that was sent: the same parts without it.
void Walk::explain() {
  FusionQuestion question{
      .left_out = {}, .deadline = deadline_, .cancel = cancel_, .priority = request_.priority};
  std::vector<std::string> names;
  {
    const Lock lock(mutex_);
    const Progress now = progress();
    question.parts = &parts_;
    for (const std::string& name : pipeline_.config.raw_inputs()) {
      std::vector<char> used = branches_using(pipeline_, name, now);
      bool matters = false;
      for (std::size_t b = 0; b < used.size(); ++b) {
        matters = matters || (used[b] != 0 && parts_[b].present());
      }
      if (matters) {
        names.push_back(name);
        question.left_out.push_back(std::move(used));
      }
    }
  }
  FusionRun::begin(live_->pipeline, engine_.dispatcher, std::move(question),
                   [self = shared_from_this(), names](FusionResult result) {
                     self->on_explained(names, result);
                   });
}

// Contribution of an input: how much the log-probability of the label falls without it, in nats.
// Where nothing is left without it, all classes count as equally likely.
void Walk::on_explained(const std::vector<std::string>& left_out, const FusionResult& result) {
  {
    const Lock lock(mutex_);
    if (answered_) {
      return;
    }
    cost_core_ms_ += result.head_core_ms;
    const PartRows* rows = answer_rows(pipeline_, request_, result);
    const std::size_t class_count = pipeline_.config.classes.size();
    for (std::size_t row = 0; row < left_out.size(); ++row) {
      float without = 1.0F / static_cast<float>(class_count);
      if (rows->present[row] != 0 && rows->probabilities.has_value()) {
        without = rows->probabilities->values<float>()[row * class_count + evidence_->label];
      }
      contributions_.emplace_back(
          left_out[row], floored_log((*in_hand_)[evidence_->label]) - floored_log(without));
    }
  }
  answer();
}

// With an answer in hand that one is given; else what is there is fused, and branches that still
// run are absent. While fusing nothing is done: it is nearly over.
void Walk::on_deadline() {
  bool has_answer = false;
  bool was_running = false;
  {
    const Lock lock(mutex_);
    if (answered_) {
      return;
    }
    cut_ = true;
    has_answer = in_hand_.has_value();
    was_running = pending_ > 0;
    for (std::size_t b = 0; b < branches_.size(); ++b) {
      if (!branches_[b].pending) {
        continue;
      }
      branches_[b].pending = false;
      late_.push_back(pipeline_.branches[b].config.name);
      if (!has_answer) {
        parts_[b].absent = Error{Code::kDeadlineExceeded, "deadline"};
      }
    }
    pending_ = 0;
    step_ += was_running ? 1 : 0;  // what comes later is too late
  }
  if (has_answer) {
    answer();
  } else if (was_running) {
    fuse();
  }
}

}  // namespace braid
