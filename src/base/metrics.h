#pragma once
// Metrics: counters, gauges and histograms by name and labels. Whoever counts keeps a reference and
// touches only atomics; making one takes a lock, once. net/ writes them in Prometheus' text format.
// Threads: every function from any.   Life: an instrument lives as long as its Metrics.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace braid {

class Counter {
 public:
  void add(std::uint64_t count = 1) { value_.fetch_add(count, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

class Gauge {
 public:
  void set(double value) { value_.store(value, std::memory_order_relaxed); }
  void add(double step) { value_.fetch_add(step, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

/// Counts of values up to each bound, and one more for those beyond the last.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds)
      : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

  void observe(double value);
  const std::vector<double>& bounds() const { return bounds_; }
  /// Not cumulative; one more than there are bounds.
  std::vector<std::uint64_t> counts() const;
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  const std::vector<double> bounds_;  // ascending
  std::vector<std::atomic<std::uint64_t>> counts_;
  std::atomic<double> sum_ = 0;
};

using Labels = std::vector<std::pair<std::string, std::string>>;

class Metrics {
 public:
  enum class Kind { kCounter, kGauge, kHistogram };

  struct Instrument {
    Labels labels;
    std::unique_ptr<Counter> counter;  // one of the three, as the family's kind says
    std::unique_ptr<Gauge> gauge;
    std::unique_ptr<Histogram> histogram;
  };
  struct Family {
    std::string name;
    std::string help;
    Kind kind = Kind::kCounter;
    std::vector<const Instrument*> instruments;
  };

  /// The same name and labels give the same instrument; a name has one kind, ours to keep.
  Counter& counter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge& gauge(const std::string& name, const std::string& help, const Labels& labels = {});
  Histogram& histogram(const std::string& name, const std::string& help, std::vector<double> bounds,
                       const Labels& labels = {});

  /// In alphabetical order of names.
  std::vector<Family> families() const;

 private:
  struct Entry {
    std::string help;
    Kind kind;
    std::map<Labels, Instrument> instruments;
  };
  Instrument& find(const std::string& name, const std::string& help, Kind kind,
                   const Labels& labels) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Entry> entries_ GUARDED_BY(mutex_);
};

/// Bounds in milliseconds for latencies from 50 µs to 30 s.
std::vector<double> latency_bounds_ms();

}  // namespace braid
