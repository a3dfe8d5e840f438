#pragma once
// RequestMeters: what came of clients' inference requests, for each model or pipeline and version:
// how many by outcome, how long they took, how many have no answer yet. Looking one up takes no
// lock: a table of pointers that only ever fills. It outlives reloads, so counts never fall.
// Threads: every function from any.

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"

namespace braid {

class RequestMeter {
 public:
  RequestMeter(std::string name, std::string version, Metrics& metrics);

  void begin() { in_flight_.add(1); }
  /// `error` unset: answered.
  void end(std::optional<Code> error, Duration took);
  /// Refused before it began.
  void refuse(Code code) { outcomes_[index(code)]->add(); }

  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  std::uint64_t answered() const { return outcomes_[0]->value(); }
  std::uint64_t failed(Code code) const { return outcomes_[index(code)]->value(); }
  double in_flight() const { return in_flight_.value(); }

 private:
  static std::size_t index(Code code) { return 1 + static_cast<std::size_t>(code); }

  const std::string name_;
  const std::string version_;
  Gauge& in_flight_;
  Histogram& took_ms_;
  std::array<Counter*, 9> outcomes_{};  // answered, then the codes
};

class RequestMeters {
 public:
  explicit RequestMeters(Metrics& metrics) : metrics_(metrics) {}

  /// Beyond kMetersMax names and versions all further ones share "(others)".
  RequestMeter& of(std::string_view name, std::string_view version);
  /// Null when nobody asked for it yet.
  const RequestMeter* find(std::string_view name, std::string_view version) const;

  static constexpr std::size_t kMetersMax = 2048;

 private:
  static constexpr std::size_t kSlots = 2 * kMetersMax;  // never full, so a search ends

  RequestMeter& add(std::string_view name, std::string_view version);
  /// The slot that holds it, or the empty one where it belongs.
  std::size_t slot_of(std::string_view name, std::string_view version) const;

  Metrics& metrics_;
  std::array<std::atomic<RequestMeter*>, kSlots> slots_{};
  Mutex mutex_;  // of whoever adds
  std::vector<std::unique_ptr<RequestMeter>> owned_ GUARDED_BY(mutex_);
};

}  // namespace braid
