#include "learn/vote.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/golden.h"

namespace braid {
namespace {

Member member_of(const Json& golden, std::size_t index) {
  Member member{golden_matrix((*golden.find("probabilities")->list())[index]), {}};
  for (double& value : member.log_probabilities.values) {
    value = std::log(value);
  }
  for (const double present : golden_numbers((*golden.find("present")->list())[index])) {
    member.present.push_back(present != 0);
  }
  return member;
}

// SciPy's minimum of the same objective, from the same start, found from values alone.
TEST(Vote, FindsTheWeightsOfAnIndependentMinimiser) {
  const Json golden = read_golden("vote.json");
  const auto labels = golden_labels(*golden.find("labels"));
  const std::vector<Member> members = {member_of(golden, 0), member_of(golden, 1),
                                       member_of(golden, 2)};
  const std::vector<double> weights(labels.size(), 1);
  const auto prior = golden_numbers(*golden.find("prior"));

  const std::vector<double> plain = fit_vote(members, {}, labels, weights);
  const std::vector<double> corrected = fit_vote(members, prior, labels, weights);

  for (std::size_t m = 0; m < 3; ++m) {
    EXPECT_NEAR(plain[m], golden_numbers(*golden.find("weights"))[m], 2e-3);
    EXPECT_NEAR(corrected[m], golden_numbers(*golden.find("weights_with_prior"))[m], 2e-3);
  }
}

TEST(Vote, ANoisyMemberWeighsLess) {
  const Json golden = read_golden("vote.json");
  const auto labels = golden_labels(*golden.find("labels"));
  Member noise = member_of(golden, 0);  // its rows belong to other cases
  std::rotate(noise.log_probabilities.values.begin(),
              noise.log_probabilities.values.begin() + 3 * 7, noise.log_probabilities.values.end());
  const std::vector<Member> members = {member_of(golden, 0), noise};

  const std::vector<double> fitted =
      fit_vote(members, {}, labels, std::vector<double>(labels.size(), 1));

  EXPECT_GT(fitted[0], 3 * fitted[1]);
}

}  // namespace
}  // namespace braid
