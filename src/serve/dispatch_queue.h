#pragma once
// DispatchQueue: the waiting jobs of one model version and one shape bucket.
// Threads: guarded by the dispatcher's lock.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "serve/dispatch_bucket.h"
#include "serve/dispatch_job.h"
#include "serve/dispatch_model.h"
#include "serve/dispatch_rule.h"

namespace braid {

class DispatchQueue {
 public:
  DispatchQueue(std::shared_ptr<DispatchModel> model, const NamedTensors& inputs,
                const Padding& padding = {})
      : model_(std::move(model)), bucket_(inputs, padding) {}

  bool serves(const LoadedModel& model, const NamedTensors& inputs) const {
    return model_->is_for(model) && bucket_.holds(inputs, model.padding);
  }
  const std::shared_ptr<DispatchModel>& model() const { return model_; }
  bool empty() const { return jobs_.empty(); }
  /// Its model was unloaded and nothing waits: nobody will come again.
  bool dead() const { return empty() && model_->model.expired(); }
  std::size_t row_count() const { return row_count_; }

  /// Learns how often jobs come, also those that never wait here.
  void note_arrival(TimePoint now);
  void push(WaitingJob job);
  QueueSummary summary(TimePoint now) const;

  /// Jobs for one run of about `row_count` rows, at least one: those that have waited very long,
  /// then level by level those whose deadline is nearest, at last those that will hardly make
  /// theirs. Expired and cancelled ones that it meets go to `dropped`, so the answer may be empty.
  std::vector<WaitingJob> take(std::size_t row_count, TimePoint now,
                               std::vector<WaitingJob>& dropped);
  /// Moves all expired and cancelled jobs to `dropped`, and those whose time is up behind others.
  void sweep(TimePoint now, std::vector<WaitingJob>& dropped);

 private:
  using Sequence = std::uint64_t;  // grows with arrival
  using Jobs = std::map<Sequence, WaitingJob>;
  struct Place {
    std::size_t level;
    TimePoint deadline;
    Sequence sequence;
    auto operator<=>(const Place&) const = default;
  };

  void enter(WaitingJob job);
  WaitingJob leave(Jobs::iterator at);
  WaitingJob remove(Jobs::iterator at);
  /// The place that runs next; there is one.
  const Place& next_place(TimePoint now) const;
  TimePoint nearest_deadline(TimePoint now) const;
  void drop(Jobs::iterator at, TimePoint now, std::vector<WaitingJob>& dropped);
  /// The earliest deadline that a run of one row, begun now, would meet even if it is a very slow
  /// one, about one in a hundred: under overload all run on this edge, and by the mean half of them
  /// came too late.
  TimePoint reachable(TimePoint now) const {
    return now + model_->run_time.mean(1) + 2 * model_->run_time.tail();
  }

  std::shared_ptr<DispatchModel> model_;
  DispatchBucket bucket_;
  Jobs jobs_;
  std::set<Place> places_;
  Sequence next_ = 0;
  std::size_t row_count_ = 0;

  TimePoint last_arrival_{};
  Duration gap_ = Duration::max();  // average time between two arrivals
  std::size_t arrival_count_ = 0;
};

}  // namespace braid
