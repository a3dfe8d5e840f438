#pragma once
// Comparison: two servers under the same load, taking turns A B B A in each round, so that what
// else the machine does falls on both alike; and the ratio of their figures with its spread.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "net/load/load.h"

namespace braid {

/// Minimum, median and maximum over the rounds.
struct Spread {
  double low = 0;
  double median = 0;
  double high = 0;
};
/// The median of an even number is the mean of the middle two. At least one value.
Spread spread_of(std::vector<double> values);

struct Comparison {
  struct Round {
    LoadResult a;  // both turns of the round in one
    LoadResult b;
  };
  std::vector<Round> rounds;

  LoadResult all_of_a() const;
  LoadResult all_of_b() const;
};

struct Ratio {
  std::string
      name;       // "requests_per_s", "latency_p50", "latency_p99", "goodput_per_s", "server_cpu"
  Spread spread;  // of b ÷ a
};

/// `run_a` and `run_b` run one turn each. An error ends it.
Result<Comparison> compare_loads(std::size_t round_count,
                                 const std::function<Result<LoadResult>()>& run_a,
                                 const std::function<Result<LoadResult>()>& run_b);

/// Those figures that every round has on both sides and that are not 0 there.
std::vector<Ratio> ratios_of(const Comparison& comparison);

}  // namespace braid
