#pragma once
// DispatchBoard: what waits and what runs, and the rule's answers carried out on it. No thread, no
// lock, no clock: times are given, so every step is tested with literal ones.
// Threads: guarded by the dispatcher's lock.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "serve/dispatch_batch.h"
#include "serve/dispatch_queue.h"
#include "serve/dispatch_resources.h"
#include "serve/dispatch_slots.h"

namespace braid {

class DispatchBoard {
 public:
  struct Options {
    std::size_t slot_count = 2;
    std::size_t queue_rows_max = 1024;
    Duration inline_max{};
    std::size_t queues_max = 1024;  // beyond it idle queues are forgotten, with their arrival gaps
  };

  /// A slot that is taken for a run of this model, until end().
  struct Lease {
    std::size_t slot = 0;
    std::shared_ptr<DispatchModel> model;
    std::size_t core_count = 1;  // more: all slots, for a run of the model's wide twin
  };
  struct Run {
    Lease lease;
    std::vector<WaitingJob> jobs;  // at least one
  };
  using Step = std::variant<Run, AskAgain>;

  DispatchBoard(Options options, Metrics& metrics)
      : options_(options), metrics_(metrics), slots_(options.slot_count) {}

  /// The queue for jobs like this one, made if need be; learns from the arrival.
  DispatchQueue& arrive(const Job& job, TimePoint now);

  /// A slot for a run at once on the caller's thread, when one is idle, nothing waits, and the
  /// model is known to be fast enough.
  std::optional<Lease> begin_inline(const DispatchQueue& queue, std::size_t row_count,
                                    TimePoint now);

  /// Takes all jobs, which are one request, or none. kExhausted when the queue has no room for them
  /// now, kInvalidArgument when it never has.
  Result<void> admit(DispatchQueue& queue, std::span<WaitingJob> jobs);

  /// Of jobs that one thread gathered, those that may share a run.
  struct Group {
    std::optional<Lease> lease;    // set: the caller runs `jobs` now; else they are queued
    std::vector<WaitingJob> jobs;  // with a lease: at least one
    std::vector<std::pair<WaitingJob, Error>> refused;
  };
  /// Takes the first job of `left` out, and those that may run with it; `left` is not empty.
  Group admit_group(std::vector<WaitingJob>& left, TimePoint now, bool draining);

  /// What an idle worker does now. While draining nothing waits for company. Jobs that turn out to
  /// be expired or cancelled go to `dropped`.
  Step next(TimePoint now, bool draining, std::vector<WaitingJob>& dropped);

  /// Ends a run and learns from its time, if it succeeded.
  void end(const Lease& lease, const BatchReport& report, TimePoint now);

  void sweep(TimePoint now, std::vector<WaitingJob>& dropped);

  bool waits() const { return !active_.empty(); }
  std::size_t waiting_rows() const;
  /// Of the fullest queue, as a share of queue_rows_max.
  double fullest() const;
  const DispatchSlots& slots() const { return slots_; }
  std::size_t queue_count() const { return queues_.size(); }
  std::size_t model_count() const { return models_.size(); }
  /// Null for a model that never came.
  const DispatchModel* find(const LoadedModel& model) const;

 private:
  /// A wide run learns that it is not alone, the queue how often jobs come.
  void note_arrival(DispatchQueue& queue, TimePoint now);
  /// Whether the job belongs into the queue; if so it learns from the arrival, as arrive() does.
  bool joins(DispatchQueue& queue, const Job& job, TimePoint now);
  std::shared_ptr<DispatchModel> model_for(const ModelHandle& handle);
  bool may_run(const DispatchModel& model) const {
    return model.may_run() && resources_.have(model.resources);
  }
  void forget_the_dead();
  void forget_the_idle();
  Lease lease(const std::shared_ptr<DispatchModel>& model, std::size_t row_count, TimePoint now);
  Lease lease_all(const std::shared_ptr<DispatchModel>& model, std::size_t row_count,
                  TimePoint now);
  void drop_empty_from_active();

  const Options options_;
  Metrics& metrics_;
  DispatchSlots slots_;
  DispatchResources resources_;
  std::unordered_map<const LoadedModel*, std::shared_ptr<DispatchModel>> models_;
  std::unordered_multimap<std::size_t, std::unique_ptr<DispatchQueue>> queues_;  // by hash
  std::vector<DispatchQueue*> active_;    // those that are not empty
  std::shared_ptr<DispatchModel> alone_;  // runs, and began when nothing else waited or ran
  std::vector<QueueSummary> summaries_;   // of active_; kept to spare allocations
};

}  // namespace braid
