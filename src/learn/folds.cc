#include "learn/folds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "base/check.h"

namespace braid {
namespace {

double deviation(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return std::sqrt(squares / n);
}

struct Group {
  std::vector<std::size_t> rows;
  std::vector<double> of_class;  // rows of each class
  double unevenness = 0;
};

std::vector<Group> groups_of(std::span<const std::size_t> labels,
                             std::span<const std::string> names, std::size_t class_count) {
  std::map<std::string, std::size_t> index_of;
  std::vector<Group> groups;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto [known, added] = index_of.try_emplace(names[i], groups.size());
    if (added) {
      groups.push_back({{}, std::vector<double>(class_count), 0});
    }
    groups[known->second].rows.push_back(i);
    groups[known->second].of_class[labels[i]] += 1;
  }
  for (Group& group : groups) {
    group.unevenness = deviation(group.of_class);
  }
  return groups;
}

/// Fisher and Yates. std::shuffle would give another order with another standard library.
void shuffle(std::vector<Group>& groups, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = groups.size(); i > 1; --i) {
    std::swap(groups[i - 1], groups[random() % i]);
  }
}

/// The folds as they fill up, and how evenly.
class Filling {
 public:
  Filling(std::vector<double> class_sizes, std::size_t fold_count)
      : class_sizes_(std::move(class_sizes)),
        filled_(fold_count, std::vector<double>(class_sizes_.size())),
        row_counts_(fold_count),
        shares_(fold_count) {}

  /// Puts the group where classes stay most even; of equals, into the fold with the fewest rows.
  std::size_t place(const Group& group) {
    std::size_t best = 0;
    double best_spread = 0;
    for (std::size_t fold = 0; fold < filled_.size(); ++fold) {
      const double spread = spread_with(group, fold);
      const bool even = fold > 0 && std::abs(spread - best_spread) < 1e-12;
      if (fold == 0 || (even ? row_counts_[fold] < row_counts_[best] : spread < best_spread)) {
        best = fold;
        best_spread = spread;
      }
    }
    for (std::size_t c = 0; c < class_sizes_.size(); ++c) {
      filled_[best][c] += group.of_class[c];
    }
    row_counts_[best] += group.rows.size();
    return best;
  }

 private:
  /// The mean over classes of the deviation of the class's shares over the folds.
  double spread_with(const Group& group, std::size_t candidate) {
    double sum = 0;
    for (std::size_t c = 0; c < class_sizes_.size(); ++c) {
      for (std::size_t fold = 0; fold < filled_.size(); ++fold) {
        const double rows = filled_[fold][c] + (fold == candidate ? group.of_class[c] : 0);
        shares_[fold] = class_sizes_[c] > 0 ? rows / class_sizes_[c] : 0;
      }
      sum += deviation(shares_);
    }
    return sum / static_cast<double>(class_sizes_.size());
  }

  std::vector<double> class_sizes_;
  std::vector<std::vector<double>> filled_;  // rows of each class in each fold
  std::vector<std::size_t> row_counts_;
  std::vector<double> shares_;  // scratch
};

}  // namespace

std::vector<std::size_t> stratified_group_folds(std::span<const std::size_t> labels,
                                                std::span<const std::string> groups,
                                                std::size_t fold_count, std::uint64_t seed) {
  BRAID_CHECK(labels.size() == groups.size());
  BRAID_CHECK(fold_count > 0);
  std::vector<double> class_sizes;
  for (const std::size_t label : labels) {
    class_sizes.resize(std::max(class_sizes.size(), label + 1));
    class_sizes[label] += 1;
  }
  std::vector<Group> ordered = groups_of(labels, groups, class_sizes.size());
  shuffle(ordered, seed);
  std::ranges::stable_sort(ordered, std::ranges::greater(), &Group::unevenness);
  Filling filling(class_sizes, fold_count);
  std::vector<std::size_t> folds(labels.size());
  for (const Group& group : ordered) {
    const std::size_t fold = filling.place(group);
    for (const std::size_t row : group.rows) {
      folds[row] = fold;
    }
  }
  return folds;
}

}  // namespace braid
