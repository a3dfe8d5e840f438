#pragma once
// LoadTally: what came of the requests of a load that count, those of its window.
// Threads: one at a time; each thread of a load has its own, merged at the end.

#include <cstdint>
#include <map>
#include <string>

#include "net/load/latency_histogram.h"

namespace braid {

struct LoadTally {
  struct Failures {
    std::uint64_t count = 0;
    std::string text;  // of the first
  };

  std::uint64_t good = 0;
  std::uint64_t in_deadline = 0;  // good and not later than the deadline; all good ones without one
  LatencyHistogram latency;       // of good answers, from when the request was meant to be sent
  LatencyHistogram lag;           // of all requests: how much later than meant they were sent
  std::map<int, Failures> failures;  // by the protocol's status or LoadAnswer's codes

  std::uint64_t failed() const {
    std::uint64_t sum = 0;
    for (const auto& [code, each] : failures) {
      sum += each.count;
    }
    return sum;
  }
  std::uint64_t answered() const { return good + failed(); }

  void merge(const LoadTally& other) {
    good += other.good;
    in_deadline += other.in_deadline;
    latency.merge(other.latency);
    lag.merge(other.lag);
    for (const auto& [code, each] : other.failures) {
      Failures& mine = failures[code];
      mine.text = mine.count == 0 ? each.text : mine.text;
      mine.count += each.count;
    }
  }
};

}  // namespace braid
