#include "base/metrics.h"

#include <algorithm>

#include "base/check.h"

namespace braid {

void Histogram::observe(double value) {
  const auto bound = std::ranges::lower_bound(bounds_, value);
  counts_[static_cast<std::size_t>(bound - bounds_.begin())].fetch_add(1,
                                                                       std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

std::vector<std::uint64_t> Histogram::counts() const {
  std::vector<std::uint64_t> counts;
  for (const auto& count : counts_) {
    counts.push_back(count.load(std::memory_order_relaxed));
  }
  return counts;
}

Metrics::Instrument& Metrics::find(const std::string& name, const std::string& help, Kind kind,
                                   const Labels& labels) {
  Entry& entry = entries_.try_emplace(name, Entry{help, kind, {}}).first->second;
  BRAID_CHECK(entry.kind == kind);
  Instrument& instrument = entry.instruments[labels];
  instrument.labels = labels;
  return instrument;
}

Counter& Metrics::counter(const std::string& name, const std::string& help, const Labels& labels) {
  const Lock lock(mutex_);
  Instrument& found = find(name, help, Kind::kCounter, labels);
  if (found.counter == nullptr) {
    found.counter = std::make_unique<Counter>();
  }
  return *found.counter;
}

Gauge& Metrics::gauge(const std::string& name, const std::string& help, const Labels& labels) {
  const Lock lock(mutex_);
  Instrument& found = find(name, help, Kind::kGauge, labels);
  if (found.gauge == nullptr) {
    found.gauge = std::make_unique<Gauge>();
  }
  return *found.gauge;
}

Histogram& Metrics::histogram(const std::string& name, const std::string& help,
                              std::vector<double> bounds, const Labels& labels) {
  const Lock lock(mutex_);
  Instrument& found = find(name, help, Kind::kHistogram, labels);
  if (found.histogram == nullptr) {
    found.histogram = std::make_unique<Histogram>(std::move(bounds));
  }
  return *found.histogram;
}

std::vector<Metrics::Family> Metrics::families() const {
  const Lock lock(mutex_);
  std::vector<Family> families;
  for (const auto& [name, entry] : entries_) {
    Family family{name, entry.help, entry.kind, {}};
    for (const auto& [labels, instrument] : entry.instruments) {
      family.instruments.push_back(&instrument);
    }
    families.push_back(std::move(family));
  }
  return families;
}

std::vector<double> latency_bounds_ms() {
  return {0.05, 0.1, 0.25, 0.5, 1,    2.5,  5,    10,    25,
          50,   100, 250,  500, 1000, 2500, 5000, 10000, 30000};
}

}  // namespace braid
