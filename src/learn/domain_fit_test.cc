// Goldens: tools/oracles/learn_domain.py, by scikit-learn's LedoitWolf and numpy.

#include "learn/domain_fit.h"

#include <cmath>

#include <gtest/gtest.h>

#include "learn/golden.h"

namespace braid {
namespace {

TEST(DomainFit, HasTheDistancesOfTheReference) {
  const Json golden = read_golden("domain.json");
  ASSERT_EQ(golden.find("cases")->list()->size(), 3U);
  for (const Json& item : *golden.find("cases")->list()) {
    const auto kept = static_cast<std::size_t>(item.find("kept")->number());
    SCOPED_TRACE(kept);
    const auto numbers = fit_domain(golden_matrix(*item.find("rows")), kept);
    ASSERT_TRUE(numbers.has_value());
    const Domain domain(*numbers);
    const Matrix probes = golden_matrix(*item.find("probes"));
    const std::vector<double> expected = golden_numbers(*item.find("squared"));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto row = probes.row(i);
      const std::vector<float> embedding(row.begin(), row.end());
      // Embeddings are single precision: 6e-8 of a column's size, which deviations may be far
      // below.
      EXPECT_NEAR(domain.distance(embedding), expected[i], 1e-4 * expected[i] + 1e-4) << i;
    }
  }
}

TEST(DomainFit, HasTheQuantilesOfTheReference) {
  const Json golden = read_golden("domain.json");
  const std::vector<double> table = golden_numbers(*golden.find("table"));
  const std::vector<double> quantiles = quantiles_of(golden_numbers(*golden.find("seen")));
  ASSERT_EQ(quantiles.size(), table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_NEAR(quantiles[i], table[i], 1e-12) << i;
  }
  const Domain domain({{0}, {1}, {}, quantiles});
  const std::vector<double> asked = golden_numbers(*golden.find("asked"));
  const std::vector<double> shares = golden_numbers(*golden.find("shares"));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_NEAR(domain.share_nearer(asked[i]), shares[i], 1e-9) << asked[i];
  }
}

TEST(DomainFit, SaysNothingOfColumnsThatNeverVary) {
  Matrix rows(5, 2);
  EXPECT_FALSE(fit_domain(rows, 64).has_value());
  rows.at(0, 0) = 1;
  EXPECT_TRUE(fit_domain(rows, 64).has_value());
}

// A missing cell counts as the mean: with the other column at its mean too, nothing is away.
TEST(DomainFit, TakesMissingCells) {
  Matrix rows(6, 2);
  rows.values = {1, 5, 2, NAN, 3, 7, NAN, 6, 2, 6, 2, 6};
  const auto numbers = fit_domain(rows, 64);
  ASSERT_TRUE(numbers.has_value());
  EXPECT_NEAR(Domain(*numbers).distance(std::vector<float>{2, NAN}), 0, 1e-12);
  EXPECT_GT(Domain(*numbers).distance(std::vector<float>{40, NAN}), 100);
}

}  // namespace
}  // namespace braid
