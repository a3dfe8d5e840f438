#include "measure/scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace braid {
namespace {

constexpr double kProbabilityMin = 0x1p-23;

template <typename Score>
std::vector<double> per_case(Answers answers, const Score& score) {
  std::vector<double> scores;
  scores.reserve(answers.size());
  for (const Answer& answer : answers) {
    scores.push_back(score(answer));
  }
  return scores;
}

}  // namespace

std::size_t Answer::label() const {
  return static_cast<std::size_t>(std::ranges::max_element(probabilities) - probabilities.begin());
}

std::vector<double> correct_per_case(Answers answers) {
  return per_case(answers, [](const Answer& answer) { return answer.correct() ? 1.0 : 0.0; });
}

std::vector<double> nll_per_case(Answers answers) {
  return per_case(answers, [](const Answer& answer) {
    return -std::log(std::max(answer.probabilities[answer.truth], kProbabilityMin));
  });
}

std::vector<double> brier_per_case(Answers answers) {
  return per_case(answers, [](const Answer& answer) {
    double sum = 0;
    for (std::size_t c = 0; c < answer.probabilities.size(); ++c) {
      const double miss = answer.probabilities[c] - (c == answer.truth ? 1 : 0);
      sum += miss * miss;
    }
    return sum;
  });
}

double accuracy(Answers answers) { return mean(correct_per_case(answers)); }

double macro_f1(Answers answers) {
  struct Counts {
    double hits = 0;
    double misses = 0;  // false positives and false negatives
  };
  std::vector<Counts> classes(answers.front().probabilities.size());
  for (const Answer& answer : answers) {
    if (answer.correct()) {
      classes[answer.truth].hits += 1;
    } else {
      classes[answer.truth].misses += 1;
      classes[answer.label()].misses += answer.answered ? 1 : 0;
    }
  }
  double sum = 0;
  double seen = 0;
  for (const Counts& each : classes) {
    if (each.hits + each.misses > 0) {
      sum += 2 * each.hits / (2 * each.hits + each.misses);
      seen += 1;
    }
  }
  return sum / seen;
}

// Sum of the ranks of the right answers, equals sharing the mean of their ranks.
double confidence_auroc(Answers answers) {
  std::vector<std::pair<double, bool>> sorted;
  for (const Answer& answer : answers) {
    sorted.emplace_back(answer.confidence(), answer.correct());
  }
  std::ranges::sort(sorted);
  double right_count = 0;
  double rank_sum = 0;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    double right_here = 0;
    for (; end < sorted.size() && sorted[end].first == sorted[begin].first; ++end) {
      right_here += sorted[end].second ? 1 : 0;
    }
    rank_sum += right_here * static_cast<double>(begin + 1 + end) / 2;
    right_count += right_here;
  }
  const double wrong_count = static_cast<double>(sorted.size()) - right_count;
  if (right_count == 0 || wrong_count == 0) {
    return 0.5;
  }
  return (rank_sum - right_count * (right_count + 1) / 2) / (right_count * wrong_count);
}

double mean(std::span<const double> values) {
  BRAID_CHECK(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile(std::vector<double> values, double share) {
  BRAID_CHECK(!values.empty());
  std::ranges::sort(values);
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace braid
