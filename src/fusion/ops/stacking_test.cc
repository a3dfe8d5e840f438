#include <cmath>

#include <gtest/gtest.h>

#include "fusion/op_fixture.h"

namespace braid {
namespace {

FusionSetup two_inputs(const std::string& fitted) {
  FusionSetup setup = op_setup("{}", fitted);
  setup.inputs = {{"image", 0}, {"note", 0}};
  return setup;
}

// Columns: image yes, image no, note yes, note no, image present, note present.
constexpr const char* kFitted = R"({"weight": [[2, 0, 1, 0, 0, 0.5],
                                               [0, 1, 0, 0, 0.25, 0]],
                                    "bias": [0.1, 0]})";

double yes(double score_yes, double score_no) { return 1 / (1 + std::exp(score_no - score_yes)); }

// By hand: yes = 2 log 0.8 + log 0.25 + 0.5 + 0.1, no = log 0.2 + 0.25.
TEST(Stacking, WeighsLogProbabilitiesAndPresence) {
  const auto op = *make_op("stacking", two_inputs(kFitted));
  const TestPart image("image", {0.8F, 0.2F});
  const TestPart note("note", {0.25F, 0.75F});

  const double expected = yes(2 * std::log(0.8) + std::log(0.25) + 0.6, std::log(0.2) + 0.25);

  EXPECT_NEAR(probabilities_of(*op, {image.said(), note.said()})[0], expected, 1e-6);
  EXPECT_NEAR(probabilities_of(*op, {note.said(), image.said()})[0], expected, 1e-6);
}

// Without the note: yes = 2 log 0.8 + 0.1, no = log 0.2 + 0.25.
TEST(Stacking, CountsAnAbsentPartAsZero) {
  const auto op = *make_op("stacking", two_inputs(kFitted));
  const TestPart image("image", {0.8F, 0.2F});
  EXPECT_NEAR(probabilities_of(*op, {image.said(), absent("note")})[0],
              yes(2 * std::log(0.8) + 0.1, std::log(0.2) + 0.25), 1e-6);
}

// With -0.7 in its place the note adds 1 · -0.7 to yes.
TEST(Stacking, MayStandInAnotherNumberForAnAbsentPart) {
  const std::string fitted = R"({"weight": [[2, 0, 1, 0, 0, 0.5], [0, 1, 0, 0, 0.25, 0]],
                                 "bias": [0.1, 0], "absent": -0.7})";
  const auto op = *make_op("stacking", two_inputs(fitted));
  const TestPart image("image", {0.8F, 0.2F});
  EXPECT_NEAR(probabilities_of(*op, {image.said()})[0],
              yes(2 * std::log(0.8) + 0.1 - 0.7, std::log(0.2) + 0.25), 1e-6);
}

TEST(Stacking, SaysWhatIsMissingAndTheCure) {
  const auto refusal = [](const std::string& fitted) {
    return make_op("stacking", two_inputs(fitted)).error().message;
  };
  EXPECT_NE(refusal("null").find("needs 'weight'"), std::string::npos);
  EXPECT_NE(refusal("null").find("braid fit"), std::string::npos);
  EXPECT_NE(refusal(R"({"weight": [[1, 2], [3, 4]], "bias": [0, 0]})").find("where 6 belong"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"weight": [[1, 2, 3, 4, 5, 6]], "bias": [0, 0]})").find("2 rows"),
            std::string::npos);
}

}  // namespace
}  // namespace braid
