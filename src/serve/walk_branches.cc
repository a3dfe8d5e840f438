#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "serve/variant_batch.h"
#include "serve/walk.h"

namespace braid {
namespace {

std::set<std::size_t> input_indexes(const Variant& variant) {
  std::set<std::size_t> indexes;
  for (const Variant::Feed& feed : variant.feeds) {
    indexes.insert(feed.input_index);
  }
  return indexes;
}

}  // namespace

const Variant& Walk::variant(std::size_t branch_index) const {
  return pipeline_.branches[branch_index].variants[*branches_[branch_index].variant];
}

/// The first raw input that the variant needs and the request lacks; null when all are there.
const std::string* Walk::input_not_sent(std::size_t branch_index, std::size_t variant_index) const {
  const Variant& wanted = pipeline_.branches[branch_index].variants[variant_index];
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const InputConfig& config = pipeline_.config.inputs[i];
    const bool needed =
        std::ranges::find(wanted.config.inputs, config.name) != wanted.config.inputs.end();
    if (needed && inputs_[i].raw == nullptr) {
      return &config.from;
    }
  }
  return nullptr;
}

// The step itself counts as pending until everything is started, so that a branch that runs inline
// does not end it.
void Walk::run_plan(std::size_t plan_index) {
  live_->meter.chose(plan_index);
  const PlanConfig& plan = pipeline_.config.plans[plan_index];
  std::vector<std::size_t> to_encode;
  std::vector<std::size_t> to_dispatch;
  std::size_t step = 0;
  {
    const Lock lock(mutex_);
    step = ++step_;
    pending_ = 1;
    for (std::size_t b = 0; b < branches_.size(); ++b) {
      const std::optional<std::size_t> wanted = variant_of(pipeline_, plan, b);
      if (!wanted.has_value() || wanted == branches_[b].variant) {
        continue;
      }
      if (const std::string* missing = input_not_sent(b, *wanted)) {
        if (!parts_[b].present()) {
          branches_[b] = {.variant = wanted, .not_sent = true};
          parts_[b].absent =
              Error{Code::kInvalidArgument, fmt::format("input '{}' was not sent", *missing)};
        }
        continue;
      }
      branches_[b] = {.variant = wanted, .pending = true};
      ++pending_;
      for (const std::size_t i : input_indexes(variant(b))) {
        Input& input = inputs_[i];
        branches_[b].inputs_missing += input.state == InputState::kDone ? 0 : 1;
        if (input.state == InputState::kIdle) {
          input.state = InputState::kRunning;
          to_encode.push_back(i);
        }
      }
      if (branches_[b].inputs_missing == 0) {
        to_dispatch.push_back(b);
      }
    }
  }
  for (const std::size_t i : to_encode) {
    encode(i, step);
  }
  for (const std::size_t b : to_dispatch) {
    dispatch(b, step);
  }
  release(step);
}

// Here when it is quick, else in the pool: the caller may be a network thread.
void Walk::encode(std::size_t input_index, std::size_t step) {
  const RawInput* raw = nullptr;
  {
    const Lock lock(mutex_);
    raw = inputs_[input_index].raw;
  }
  Task work = [self = shared_from_this(), raw, input_index, step] {
    const TimePoint begin = self->engine_.clock.now();
    Result<Encoded> encoded = self->pipeline_.preprocessors[input_index]->encode(raw->bytes);
    const double encode_ms = in_ms(self->engine_.clock.now() - begin);
    self->live_->encode_ms[input_index].add(encode_ms);
    self->on_encoded(input_index, step, std::move(encoded), encode_ms);
  };
  const double predicted_ms = live_->encode_ms[input_index].mean();
  // Unknown yet: small inputs are quick.
  const bool is_quick = predicted_ms > 0 ? predicted_ms <= in_ms(engine_.options.inline_encode_max)
                                         : raw->bytes.size() < 1024;
  if (is_quick) {
    work();
    return;
  }
  Result<void> added = engine_.pool.add(std::move(work));
  if (!added.has_value()) {
    on_encoded(input_index, step, std::move(added).error(), 0);
  }
}

void Walk::on_encoded(std::size_t input_index, std::size_t step, Result<Encoded> encoded,
                      double encode_ms) {
  std::vector<std::size_t> ready;
  {
    const Lock lock(mutex_);
    Input& input = inputs_[input_index];
    input.state = InputState::kDone;
    input.encode_ms = encode_ms;
    cost_core_ms_ += encode_ms;
    if (encoded.has_value()) {
      input.encoded = *std::move(encoded);
    } else {
      input.failure = std::move(encoded).error().within(
          fmt::format("input '{}'", pipeline_.config.inputs[input_index].name));
    }
    if (step != step_) {
      return;
    }
    for (std::size_t b = 0; b < branches_.size(); ++b) {
      if (branches_[b].pending && branches_[b].inputs_missing > 0 &&
          input_indexes(variant(b)).contains(input_index) && --branches_[b].inputs_missing == 0) {
        ready.push_back(b);
      }
    }
  }
  for (const std::size_t b : ready) {
    dispatch(b, step);
  }
}

void Walk::dispatch(std::size_t branch_index, std::size_t step) {
  std::optional<Error> failure;
  Batch batch;
  RouteStep route{.step = static_cast<int>(step),
                  .branch = pipeline_.branches[branch_index].config.name,
                  .variant = {}};
  const Variant* chosen = nullptr;
  {
    const Lock lock(mutex_);
    chosen = &variant(branch_index);
    for (const std::size_t i : input_indexes(*chosen)) {
      route.encode_ms += inputs_[i].encode_ms;
      failure = inputs_[i].failure.has_value() && !failure ? inputs_[i].failure : failure;
    }
    if (!failure.has_value()) {
      // Copies: another variant may need the same encoded input in a later step.
      std::vector<const Encoded*> encoded;
      for (const Input& input : inputs_) {
        encoded.push_back(input.encoded.has_value() ? &*input.encoded : nullptr);
      }
      Result<Batch> gathered = variant_batch(*chosen, encoded);
      if (gathered.has_value()) {
        batch = *std::move(gathered);
      } else {
        failure = std::move(gathered).error();
      }
    }
  }
  route.variant = chosen->config.name;
  if (failure.has_value()) {
    on_branch(branch_index, step, *std::move(failure), std::move(route));
    return;
  }
  const std::size_t class_count = pipeline_.config.classes.size();
  if (chosen->model == nullptr) {
    on_branch(branch_index, step, part_of(*chosen, batch.inputs, class_count), std::move(route));
    return;
  }
  route.own_rows = batch.row_count;
  Job job{.model = chosen->model,
          .inputs = std::move(batch.inputs),
          .row_count = batch.row_count,
          .deadline = deadline_,
          .cancel = cancel_,
          .priority = request_.priority,
          .done = nullptr};
  job.done = [self = shared_from_this(), branch_index, step, chosen, class_count,
              route](JobOutcome outcome) mutable {
    route.queue_ms = in_ms(outcome.queued);
    route.run_ms = in_ms(outcome.ran);
    route.cores = outcome.core_count;
    route.rows = std::max(outcome.batch_rows, route.own_rows);
    Result<BranchPart> part = outcome.outputs.has_value()
                                  ? part_of(*chosen, *outcome.outputs, class_count)
                                  : Result<BranchPart>(std::move(outcome.outputs).error());
    self->on_branch(branch_index, step, std::move(part), std::move(route));
  };
  Result<void> added = engine_.dispatcher.add(std::move(job));
  if (!added.has_value()) {
    on_branch(branch_index, step, std::move(added).error(), std::move(route));
  }
}

void Walk::on_branch(std::size_t branch_index, std::size_t step, Result<BranchPart> part,
                     RouteStep route) {
  {
    const Lock lock(mutex_);
    cost_core_ms_ += route.run_ms * static_cast<double>(route.cores * route.own_rows) /
                     static_cast<double>(route.rows);
    const bool is_late = step != step_ || answered_;
    if (part.has_value() && !is_late) {
      part = look_at_domain(branch_index, *std::move(part));
    }
    live_->meter.edge(branch_index, route.variant,
                      part.has_value() ? std::optional<Code>() : part.error().code, is_late,
                      route.encode_ms + route.queue_ms + route.run_ms);
    if (is_late) {
      return;
    }
    branches_[branch_index].pending = false;
    if (part.has_value()) {
      parts_[branch_index] = *std::move(part);
    } else if (!parts_[branch_index].present()) {
      parts_[branch_index].absent = std::move(part).error();
    } else {
      // A larger variant that failed leaves what the smaller one said.
      lost_.push_back({route.branch, std::move(part).error().within(route.variant).describe()});
    }
    route_.push_back(std::move(route));
  }
  release(step);
}

/// Beyond the branch's limit the part is counted and, where the pipeline says so, absent.
Result<BranchPart> Walk::look_at_domain(std::size_t branch_index, BranchPart part) {
  if (!part.out_of_domain.has_value()) {
    return part;
  }
  const DomainConfig& limit = pipeline_.branches[branch_index].config.out_of_domain;
  domain_scores_[branch_index] = part.out_of_domain;
  if (*part.out_of_domain <= limit.above) {
    return part;
  }
  live_->meter.out_of_domain(branch_index);
  if (!limit.makes_absent) {
    return part;
  }
  return Error{
      Code::kInvalidArgument,
      fmt::format("out of domain: {:.2f} % of the rows that it was fitted on are nearer to "
                  "their middle; {:.2f} % is the limit",
                  100 * *part.out_of_domain, 100 * limit.above)};
}

void Walk::release(std::size_t step) {
  bool is_last = false;
  {
    const Lock lock(mutex_);
    is_last = step == step_ && pending_ > 0 && --pending_ == 0;
  }
  if (is_last) {
    fuse();
  }
}

}  // namespace braid
