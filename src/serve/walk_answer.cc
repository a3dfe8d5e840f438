#include <algorithm>

#include <fmt/format.h>

#include "base/uuid.h"
#include "serve/binding.h"
#include "serve/walk.h"
#include "tensor/softmax.h"

namespace braid {

const PartRows* answer_rows(const Pipeline& pipeline, const Request& request,
                            const FusionResult& result) {
  if (request.answer_node.has_value()) {
    for (std::size_t b = 0; b < pipeline.branches.size(); ++b) {
      if (pipeline.branches[b].config.name == *request.answer_node) {
        return &result.branches[b];
      }
    }
    for (std::size_t n = 0; n < pipeline.nodes.size(); ++n) {
      if (pipeline.nodes[n].config.name == *request.answer_node) {
        return &result.nodes[n];
      }
    }
  }
  return &result.nodes.back();
}

/// False when nobody had anything to say; the answer of an earlier step stays in hand.
bool Walk::take_evidence(const FusionResult& result) {
  const PartRows* rows = answer_rows(pipeline_, request_, result);
  if (rows->present.front() == 0 || !rows->probabilities.has_value()) {
    return in_hand_.has_value();
  }
  const std::span<const float> values = rows->probabilities->values<float>();
  in_hand_.emplace(values.begin(), values.end());
  const std::size_t label = argmax(values);
  evidence_ = Evidence{.confidence = static_cast<double>(values[label]),
                       .uncertainty = static_cast<double>(normalised_entropy(values)),
                       .label = label};
  answered_by_ = request_.answer_node.value_or(pipeline_.config.nodes.back().name);
  return true;
}

std::optional<Error> Walk::missing_required() {
  for (std::size_t b = 0; b < parts_.size(); ++b) {
    const BranchConfig& branch = pipeline_.branches[b].config;
    if (branch.required && branches_[b].variant.has_value() && !parts_[b].present()) {
      return Error(*parts_[b].absent).within(fmt::format("required branch '{}'", branch.name));
    }
  }
  return std::nullopt;
}

/// The error of a request of which nothing is left: the client's fault only if all of it is.
Error Walk::why_nothing(const std::string& reason) {
  if (cut_) {
    return Error{Code::kDeadlineExceeded,
                 fmt::format("nothing was ready {:.1f} ms after the request came",
                             in_ms(engine_.clock.now() - started_))};
  }
  Error worst{Code::kInvalidArgument, reason};
  std::string reasons;
  for (std::size_t b = 0; b < parts_.size(); ++b) {
    if (!branches_[b].variant.has_value() || parts_[b].present()) {
      continue;
    }
    const Error& absent = *parts_[b].absent;
    worst.code = absent.code == Code::kInvalidArgument ? worst.code : absent.code;
    reasons += fmt::format("{}branch '{}': {}", reasons.empty() ? "" : "; ",
                           pipeline_.branches[b].config.name, absent.describe());
  }
  if (!reasons.empty()) {
    worst.message = reasons;
  }
  return worst;
}

Decision Walk::decision() {
  Decision decision;
  decision.id = request_.id.empty() ? new_uuid_v7() : request_.id;
  decision.pipeline = pipeline_.config.name;
  decision.version = pipeline_.config.version;
  decision.label = pipeline_.config.classes[evidence_->label];
  for (std::size_t c = 0; c < in_hand_->size(); ++c) {
    decision.probabilities.emplace_back(pipeline_.config.classes[c], (*in_hand_)[c]);
  }
  decision.confidence = evidence_->confidence;
  decision.uncertainty = evidence_->uncertainty;
  decision.contributions = contributions_;
  decision.answered_by = answered_by_;
  decision.plan = plan_.has_value() ? pipeline_.config.plans[*plan_].name : "";
  for (const std::string& raw : pipeline_.config.raw_inputs()) {
    if (std::ranges::find(request_.inputs, raw, &RawInput::name) == request_.inputs.end()) {
      decision.degraded.push_back({raw, "absent"});
    }
  }
  for (std::size_t b = 0; b < parts_.size(); ++b) {
    const std::string& name = pipeline_.branches[b].config.name;
    const bool ran = branches_[b].variant.has_value();
    const bool is_late = std::ranges::find(late_, name) != late_.end();
    if (is_late) {
      decision.degraded.push_back({name, "deadline"});
    } else if (ran && !branches_[b].not_sent && !parts_[b].present()) {
      decision.degraded.push_back({name, parts_[b].absent->describe()});
    }
  }
  for (std::size_t b = 0; b < domain_scores_.size(); ++b) {
    if (const std::optional<double> score = domain_scores_[b]) {
      const BranchConfig& branch = pipeline_.branches[b].config;
      decision.out_of_domain.push_back({branch.name, *score, *score > branch.out_of_domain.above});
    }
  }
  decision.degraded.insert(decision.degraded.end(), lost_.begin(), lost_.end());
  decision.route = route_;
  decision.cost_core_ms = cost_core_ms_;
  decision.latency_ms = in_ms(engine_.clock.now() - started_);
  return decision;
}

void Walk::answer() {
  std::optional<Decision> made;
  {
    const Lock lock(mutex_);
    if (answered_) {
      return;
    }
    answered_ = true;
    made = decision();
  }
  finish(*std::move(made));
}

void Walk::fail(Error error) {
  {
    const Lock lock(mutex_);
    if (answered_) {
      return;
    }
    answered_ = true;
  }
  finish(std::move(error));
}

// Called once, by whoever set answered_. What still waits for this request is not run any more.
void Walk::finish(Result<Decision> result) {
  cancel_.cancel();
  if (alarm_.has_value()) {
    engine_.alarm.cancel(alarm_->first, alarm_->second);
  }
  const TimePoint now = engine_.clock.now();
  live_->meter.end(result, in_ms(now - started_));
  (result.has_value() ? live_->success : live_->fail).add(now - started_);
  live_->last.store(now, std::memory_order_relaxed);
  live_->trouble.add(result.has_value() ? 0 : 1);
  live_->leave(request_.input_bytes());
  std::move(request_.reply)(std::move(result));
}

}  // namespace braid
