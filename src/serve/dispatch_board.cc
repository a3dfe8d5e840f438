#include "serve/dispatch_board.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

namespace braid {

std::shared_ptr<DispatchModel> DispatchBoard::model_for(const ModelHandle& handle) {
  std::shared_ptr<DispatchModel>& found = models_[handle.get()];
  if (found == nullptr || !found->is_for(*handle)) {
    found =
        std::make_shared<DispatchModel>(handle, metrics_);  // a new version may reuse an address
    resources_.provide(found->resources);
  }
  return found;
}

void DispatchBoard::note_arrival(DispatchQueue& queue, TimePoint now) {
  if (alone_ != nullptr) {
    alone_->solitude.note_arrival();
  }
  queue.note_arrival(now);
}

DispatchQueue& DispatchBoard::arrive(const Job& job, TimePoint now) {
  const std::size_t hash = DispatchBucket::hash(job.inputs, job.model->padding) ^
                           std::hash<const LoadedModel*>()(job.model.get());
  const auto [begin, end] = queues_.equal_range(hash);
  for (auto each = begin; each != end; ++each) {
    if (each->second->serves(*job.model, job.inputs)) {
      note_arrival(*each->second, now);
      return *each->second;
    }
  }
  forget_the_dead();
  if (queues_.size() >= options_.queues_max) {
    forget_the_idle();
  }
  auto queue =
      std::make_unique<DispatchQueue>(model_for(job.model), job.inputs, job.model->padding);
  note_arrival(*queue, now);
  return *queues_.emplace(hash, std::move(queue))->second;
}

bool DispatchBoard::joins(DispatchQueue& queue, const Job& job, TimePoint now) {
  if (!queue.serves(*job.model, job.inputs)) {
    return false;
  }
  note_arrival(queue, now);
  return true;
}

void DispatchBoard::forget_the_dead() {
  std::erase_if(queues_, [](const auto& each) { return each.second->dead(); });
  std::erase_if(models_, [](const auto& each) { return each.second->model.expired(); });
}

void DispatchBoard::forget_the_idle() {
  std::erase_if(queues_, [](const auto& each) { return each.second->empty(); });
}

DispatchBoard::Lease DispatchBoard::lease(const std::shared_ptr<DispatchModel>& model,
                                          std::size_t row_count, TimePoint now) {
  ++model->running;
  resources_.take(model->resources);
  return {slots_.take(now + model->run_time.mean(row_count)), model};
}

/// For a run that is alone: nothing else waits or runs.
DispatchBoard::Lease DispatchBoard::lease_all(const std::shared_ptr<DispatchModel>& model,
                                              std::size_t row_count, TimePoint now) {
  const ModelHandle loaded = model->model.lock();
  if (loaded == nullptr || loaded->wide.model == nullptr || slots_.count() < 2) {
    return lease(model, row_count, now);
  }
  alone_ = model;
  model->solitude.begin();
  if (!model->solitude.usual()) {
    return lease(model, row_count, now);
  }
  ++model->running;
  resources_.take(model->resources);
  slots_.take_all(now + loaded->wide.one_row * static_cast<Duration::rep>(row_count));
  return {0, model, slots_.count()};
}

std::optional<DispatchBoard::Lease> DispatchBoard::begin_inline(const DispatchQueue& queue,
                                                                std::size_t row_count,
                                                                TimePoint now) {
  const DispatchModel& model = *queue.model();
  const bool is_fast =
      model.run_time.known() && model.run_time.mean(row_count) <= options_.inline_max;
  if (!is_fast || !active_.empty() || !slots_.has_idle() || !may_run(model)) {
    return std::nullopt;
  }
  return lease(queue.model(), row_count, now);
}

Result<void> DispatchBoard::admit(DispatchQueue& queue, std::span<WaitingJob> jobs) {
  std::size_t row_count = 0;
  for (const WaitingJob& each : jobs) {
    row_count += each.job.row_count;
  }
  for (WaitingJob& each : jobs) {
    queue.model()->place(each);
    each.opens = &each == &jobs.front();
  }
  const std::string& model = jobs.front().job.model->name;
  if (row_count > options_.queue_rows_max) {
    return Error{Code::kInvalidArgument,
                 fmt::format("{} rows at once are more than the {} that wait for model '{}' at "
                             "most; send fewer",
                             row_count, options_.queue_rows_max, model)};
  }
  if (queue.row_count() + row_count > options_.queue_rows_max) {
    return Error{Code::kExhausted,
                 fmt::format("{} rows wait for model '{}', and its queue holds {}",
                             queue.row_count(), model, options_.queue_rows_max)};
  }
  BRAID_TRY_DO(queue.model()->has_room(jobs.front()));
  if (queue.empty()) {
    active_.push_back(&queue);
  }
  for (WaitingJob& each : jobs) {
    queue.push(std::move(each));
  }
  return {};
}

DispatchBoard::Group DispatchBoard::admit_group(std::vector<WaitingJob>& left, TimePoint now,
                                                bool draining) {
  Group group;
  std::vector<WaitingJob> others;
  std::size_t row_count = 0;
  DispatchQueue& queue = arrive(left.front().job, now);
  const auto refuse = [&](WaitingJob& each, Error error) {
    queue.model()->meter.refused.add();
    group.refused.emplace_back(std::move(each), std::move(error));
  };
  for (WaitingJob& each : left) {
    const bool is_other = &each != &left.front() &&
                          (row_count + each.job.row_count > queue.model()->limits.rows_max ||
                           !joins(queue, each.job, now));
    if (is_other) {
      others.push_back(std::move(each));
    } else if (draining) {
      refuse(each, shutting_down_error());
    } else if (each.cancelled() || each.expired(now)) {
      refuse(each, dropped_error(each, now));
    } else {
      row_count += each.job.row_count;
      group.jobs.push_back(std::move(each));
    }
  }
  left = std::move(others);
  if (group.jobs.empty()) {
    return group;
  }
  group.lease = begin_inline(queue, row_count, now);
  if (!group.lease) {
    for (WaitingJob& each : group.jobs) {
      if (Result<void> admitted = admit(queue, {&each, 1}); !admitted.has_value()) {
        refuse(each, std::move(admitted).error());
      }
    }
    group.jobs.clear();
  }
  return group;
}

DispatchBoard::Step DispatchBoard::next(TimePoint now, bool draining,
                                        std::vector<WaitingJob>& dropped) {
  while (true) {
    summaries_.clear();
    for (const DispatchQueue* each : active_) {
      // A model with as many runs as it may have is left out: an empty summary is passed over.
      summaries_.push_back(may_run(*each->model()) ? each->summary(now) : QueueSummary{});
      if (draining) {
        summaries_.back().limits.wait_max = Duration::zero();
      }
    }
    const DispatchStep step = next_step(summaries_, slots_.summary(), now);
    if (const AskAgain* ask = std::get_if<AskAgain>(&step)) {
      return *ask;
    }
    const RunBatch& batch = std::get<RunBatch>(step);
    DispatchQueue& queue = *active_[batch.queue_index];
    const std::shared_ptr<DispatchModel> model = queue.model();
    std::vector<WaitingJob> jobs = queue.take(batch.row_count, now, dropped);
    drop_empty_from_active();
    if (!jobs.empty()) {
      std::size_t row_count = 0;
      for (const WaitingJob& each : jobs) {
        row_count += each.job.row_count;
      }
      const bool is_alone = slots_.all_idle() && active_.empty();
      return Run{is_alone ? lease_all(model, row_count, now) : lease(model, row_count, now),
                 std::move(jobs)};
    }
  }
}

void DispatchBoard::end(const Lease& lease, const BatchReport& report, TimePoint now) {
  if (lease.model == alone_) {
    alone_->solitude.end();
    alone_ = nullptr;
  }
  const bool is_wide = lease.core_count > 1;
  is_wide ? slots_.free_all() : slots_.free(lease.slot);
  lease.model->statistics.add(report, now);
  --lease.model->running;
  resources_.give_back(lease.model->resources);
  if (report.succeeded && !is_wide) {
    lease.model->run_time.observe(report.row_count, report.ran);
  }
}

void DispatchBoard::sweep(TimePoint now, std::vector<WaitingJob>& dropped) {
  for (DispatchQueue* each : active_) {
    each->sweep(now, dropped);
  }
  drop_empty_from_active();
}

void DispatchBoard::drop_empty_from_active() {
  std::erase_if(active_, [](const DispatchQueue* each) { return each->empty(); });
}

std::size_t DispatchBoard::waiting_rows() const {
  std::size_t row_count = 0;
  for (const DispatchQueue* each : active_) {
    row_count += each->row_count();
  }
  return row_count;
}

double DispatchBoard::fullest() const {
  std::size_t row_count = 0;
  for (const DispatchQueue* each : active_) {
    row_count = std::max(row_count, each->row_count());
  }
  return static_cast<double>(row_count) / static_cast<double>(options_.queue_rows_max);
}

const DispatchModel* DispatchBoard::find(const LoadedModel& model) const {
  const auto found = models_.find(&model);
  return found == models_.end() || !found->second->is_for(model) ? nullptr : found->second.get();
}

}  // namespace braid
