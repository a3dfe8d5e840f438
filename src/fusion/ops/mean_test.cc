#include <gtest/gtest.h>

#include "fusion/op_fixture.h"

namespace braid {
namespace {

// By hand: (0.8 + 0.4) / 2 = 0.6 and (0.2 + 0.6) / 2 = 0.4; the absent note is no third voice.
TEST(Mean, AveragesThePresentParts) {
  const auto mean = *make_op("mean", op_setup("{}"));
  const TestPart image("image", {0.8F, 0.2F});
  const TestPart record("record", {0.4F, 0.6F});

  const std::vector<float> actual =
      probabilities_of(*mean, {image.said(), absent("note"), record.said()});

  EXPECT_NEAR(actual[0], 0.6, 1e-6);
  EXPECT_NEAR(actual[1], 0.4, 1e-6);
}

}  // namespace
}  // namespace braid
