#include "measure/bootstrap.h"

#include <map>

#include "base/check.h"
#include "measure/chance.h"
#include "measure/scores.h"

namespace braid {

Bootstrap::Bootstrap(std::span<const std::string> group_of_case, BootstrapOptions options)
    : options_(options) {
  BRAID_CHECK(!group_of_case.empty());
  BRAID_CHECK(options.draw_count > 0);
  std::map<std::string, std::size_t> index_of_group;
  for (std::size_t i = 0; i < group_of_case.size(); ++i) {
    const auto [found, is_new] = index_of_group.emplace(group_of_case[i], groups_.size());
    if (is_new) {
      groups_.emplace_back();
    }
    groups_[found->second].push_back(i);
  }
}

/// Draws the groups again and again; `per_draw` is given their indexes.
template <typename PerDraw>
Interval Bootstrap::percentiles(double value, const PerDraw& per_draw) const {
  Chance chance(options_.seed);
  std::vector<double> draws;
  std::vector<std::size_t> drawn(groups_.size());
  for (std::size_t draw = 0; draw < options_.draw_count; ++draw) {
    for (std::size_t& group : drawn) {
      group = chance.below(groups_.size());
    }
    draws.push_back(per_draw(drawn));
  }
  const double tail = (1 - options_.coverage) / 2;
  return {value, quantile(draws, tail), quantile(draws, 1 - tail)};
}

std::vector<double> Bootstrap::group_sums(std::span<const double> values) const {
  std::vector<double> sums;
  for (const auto& cases : groups_) {
    double sum = 0;
    for (const std::size_t i : cases) {
      sum += values[i];
    }
    sums.push_back(sum);
  }
  return sums;
}

Interval Bootstrap::mean(std::span<const double> values) const {
  const std::vector<double> sums = group_sums(values);
  return percentiles(braid::mean(values), [&](std::span<const std::size_t> drawn) {
    double sum = 0;
    double count = 0;
    for (const std::size_t group : drawn) {
      sum += sums[group];
      count += static_cast<double>(groups_[group].size());
    }
    return sum / count;
  });
}

Interval Bootstrap::difference(std::span<const double> first,
                               std::span<const double> second) const {
  BRAID_CHECK(first.size() == second.size());
  std::vector<double> differences;
  for (std::size_t i = 0; i < first.size(); ++i) {
    differences.push_back(first[i] - second[i]);
  }
  return mean(differences);
}

Interval Bootstrap::saving(std::span<const double> part, std::span<const double> whole) const {
  BRAID_CHECK(part.size() == whole.size());
  const std::vector<double> part_sums = group_sums(part);
  const std::vector<double> whole_sums = group_sums(whole);
  const double value = 1 - braid::mean(part) / braid::mean(whole);
  return percentiles(value, [&](std::span<const std::size_t> drawn) {
    double part_sum = 0;
    double whole_sum = 0;
    for (const std::size_t group : drawn) {
      part_sum += part_sums[group];
      whole_sum += whole_sums[group];
    }
    return 1 - part_sum / whole_sum;
  });
}

}  // namespace braid
