#pragma once
// Statistics of a stretch of one channel, by name. docs/series.md defines each. Threads: pure
// functions.

#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace braid {

class Stretch;

struct NamedStatistic {
  const char* name;
  double (*basic)(std::span<const double> present);  // of what is there; or null
  double (*dynamic)(Stretch& stretch);               // of a stretch without gaps; or null
};

/// `names` are statistics; `basic` and `dynamics` stand for all of a kind. kInvalidArgument for a
/// word that is none, or one that comes twice.
Result<std::vector<NamedStatistic>> chosen_statistics(const std::vector<std::string>& names);

/// Of every statistic its value; NaN where it is not defined: too few values, all of them equal,
/// or for a dynamic one a gap.
std::vector<double> measured(std::span<const double> values,
                             std::span<const NamedStatistic> statistics);

}  // namespace braid
