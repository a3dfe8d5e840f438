#include "learn/vote.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/lbfgs.h"

namespace braid {
namespace {

constexpr double kPull = 2e-3;  // of the penalty on (t − log ½)²; in nats
const double kStart = std::log(0.5);

/// log p_m − log prior of all members, zero where a member is absent.
std::vector<Matrix> evidence_of(std::span<const Member> members,
                                std::span<const double> log_prior) {
  std::vector<Matrix> evidence;
  for (const Member& member : members) {
    Matrix rows = member.log_probabilities;
    for (std::size_t i = 0; i < rows.row_count; ++i) {
      for (std::size_t c = 0; c < rows.width; ++c) {
        rows.at(i, c) = member.present[i] ? rows.at(i, c) - log_prior[c] : 0;
      }
    }
    evidence.push_back(std::move(rows));
  }
  return evidence;
}

}  // namespace

std::vector<double> fit_vote(std::span<const Member> members, std::span<const double> prior,
                             std::span<const std::size_t> labels, std::span<const double> weights) {
  std::vector<double> log_prior(members.front().log_probabilities.width);
  for (std::size_t c = 0; c < prior.size(); ++c) {
    log_prior[c] = std::log(prior[c]);
  }
  const std::vector<Matrix> evidence = evidence_of(members, log_prior);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> scores(log_prior.size());
  const auto loss = [&](std::span<const double> t, std::span<double> gradient) {
    double value = 0;
    for (std::size_t m = 0; m < t.size(); ++m) {
      value += kPull * (t[m] - kStart) * (t[m] - kStart);
      gradient[m] = 2 * kPull * (t[m] - kStart);
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
      for (std::size_t c = 0; c < scores.size(); ++c) {
        scores[c] = log_prior[c];
        for (std::size_t m = 0; m < t.size(); ++m) {
          scores[c] += std::exp(t[m]) * evidence[m].at(i, c);
        }
      }
      const double most = std::ranges::max(scores);
      const double of_label = scores[labels[i]] - most;
      double sum = 0;
      for (double& score : scores) {
        score = std::exp(score - most);
        sum += score;
      }
      value += weights[i] / total * (std::log(sum) - of_label);
      for (std::size_t m = 0; m < t.size(); ++m) {
        double slope = -evidence[m].at(i, labels[i]);
        for (std::size_t c = 0; c < scores.size(); ++c) {
          slope += scores[c] / sum * evidence[m].at(i, c);
        }
        gradient[m] += weights[i] / total * std::exp(t[m]) * slope;
      }
    }
    return value;
  };
  std::vector<double> fitted = minimise(loss, std::vector<double>(members.size(), kStart)).x;
  for (double& t : fitted) {
    t = std::exp(t);
  }
  return fitted;
}

}  // namespace braid
