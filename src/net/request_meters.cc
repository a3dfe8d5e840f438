#include "net/request_meters.h"

#include <functional>
#include <utility>

#include "serve/pipeline_meter.h"

namespace braid {
namespace {

constexpr std::string_view kOthers = "(others)";

Labels labels_of(const std::string& name, const std::string& version) {
  return {{"model", name}, {"version", version}};
}

}  // namespace

RequestMeter::RequestMeter(std::string name, std::string version, Metrics& metrics)
    : name_(std::move(name)),
      version_(std::move(version)),
      in_flight_(metrics.gauge("braid_inference_in_flight",
                               "Inference requests of clients that have no answer yet.",
                               labels_of(name_, version_))),
      took_ms_(metrics.histogram("braid_inference_request_ms",
                                 "From the parsed request to its answer, in milliseconds.",
                                 latency_bounds_ms(), labels_of(name_, version_))) {
  for (std::size_t outcome = 0; outcome < outcomes_.size(); ++outcome) {
    Labels labels = labels_of(name_, version_);
    labels.emplace_back("outcome",
                        outcome == 0 ? "answered" : to_label(static_cast<Code>(outcome - 1)));
    outcomes_[outcome] = &metrics.counter("braid_inference_requests_total",
                                          "Inference requests of clients by outcome.", labels);
  }
}

void RequestMeter::end(std::optional<Code> error, Duration took) {
  in_flight_.add(-1);
  outcomes_[error.has_value() ? index(*error) : 0]->add();
  took_ms_.observe(std::chrono::duration<double, std::milli>(took).count());
}

std::size_t RequestMeters::slot_of(std::string_view name, std::string_view version) const {
  const std::hash<std::string_view> hash;
  std::size_t slot = (hash(name) + 31 * hash(version)) % kSlots;
  while (true) {
    const RequestMeter* here = slots_[slot].load(std::memory_order_acquire);
    if (here == nullptr || (here->name() == name && here->version() == version)) {
      return slot;
    }
    slot = (slot + 1) % kSlots;
  }
}

const RequestMeter* RequestMeters::find(std::string_view name, std::string_view version) const {
  return slots_[slot_of(name, version)].load(std::memory_order_acquire);
}

RequestMeter& RequestMeters::of(std::string_view name, std::string_view version) {
  RequestMeter* here = slots_[slot_of(name, version)].load(std::memory_order_acquire);
  return here != nullptr ? *here : add(name, version);
}

RequestMeter& RequestMeters::add(std::string_view name, std::string_view version) {
  const Lock lock(mutex_);
  if (owned_.size() + 1 >= kMetersMax) {
    name = version = kOthers;
  }
  std::atomic<RequestMeter*>& slot = slots_[slot_of(name, version)];  // again: who was first?
  RequestMeter* here = slot.load(std::memory_order_acquire);
  if (here == nullptr) {
    owned_.push_back(
        std::make_unique<RequestMeter>(std::string(name), std::string(version), metrics_));
    here = owned_.back().get();
    slot.store(here, std::memory_order_release);
  }
  return *here;
}

}  // namespace braid
