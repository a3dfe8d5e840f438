#include <gtest/gtest.h>

#include "fusion/op_fixture.h"

namespace braid {
namespace {

// Widths: image 2, note 1, record 3.
const TestPart kImage("image", {2, 2}, {1, 2, 3, 4});
const TestPart kRecord("record", {2, 3}, {5, 6, 7, 8, 9, 10});

std::vector<float> joined(const std::string& settings, const std::vector<Part>& parts) {
  const auto op = *make_op("concat", op_setup(settings));
  const Opinion opinion = *op->combine(parts);
  EXPECT_FALSE(opinion.probabilities.has_value());
  const std::span<const float> values = opinion.embedding->values<float>();
  return {values.begin(), values.end()};
}

TEST(Concat, JoinsInTheOrderOfInputsWithZerosForTheAbsent) {
  const std::vector<float> expected = {1, 2, 0, 5, 6, 7,  //
                                       3, 4, 0, 8, 9, 10};
  EXPECT_EQ(joined("{}", {kRecord.embedded(), kImage.embedded(), absent("note")}), expected);
}

TEST(Concat, TellsWhoIsPresentWhenAsked) {
  const std::vector<float> expected = {1, 2, 0, 5, 6, 7,  1, 0, 1,  //
                                       3, 4, 0, 8, 9, 10, 1, 0, 1};
  EXPECT_EQ(joined("{presence: true}", {kRecord.embedded(), kImage.embedded()}), expected);
}

TEST(Concat, RefusesAnInputWithoutAnEmbedding) {
  FusionSetup setup = op_setup("{}");
  setup.inputs = {{"image", 2}, {"record", 0}};
  EXPECT_EQ(make_op("concat", setup).error().message,
            "input 'record' gives no embedding, which concat joins; name a branch whose variants "
            "have one");
}

TEST(Concat, RefusesAnotherWidthThanItWasMadeFor) {
  const auto op = *make_op("concat", op_setup("{}"));
  const TestPart wide("note", {2, 4}, {0, 0, 0, 0, 0, 0, 0, 0});
  const std::vector<Part> parts = {kImage.embedded(), wide.embedded()};
  EXPECT_EQ(op->combine(parts).error().message,
            "part 'note' gives an embedding FP32 [2, 4]; FP32 [2, 1] belongs here");
}

}  // namespace
}  // namespace braid
