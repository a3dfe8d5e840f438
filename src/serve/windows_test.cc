// Inputs of several rows through the engine: "0.9 0.8 0.4" is a note of three windows, of which the
// model says probabilities [x, 1 - x] each.

#include <charconv>
#include <cmath>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/fake_world.h"

namespace braid {
namespace {

class Windows final : public Preprocessor {
 public:
  Result<Encoded> encode(Bytes raw) const override {
    std::vector<float> values;
    for (const char* at = raw.data(); at < raw.data() + raw.size(); ++at) {
      at = std::from_chars(at, raw.data() + raw.size(), values.emplace_back()).ptr;
    }
    Encoded encoded;
    encoded.tensors.push_back({"x", *Tensor::from(Shape{values.size(), 1}, values)});
    return encoded;
  }
  std::vector<TensorSpec> outputs() const override { return {{"x", DType::kFp32, {-1, 1}}}; }
};

std::string yaml(const std::string& variant) {
  return "name: test\ndecision: {classes: [yes, no]}\ninputs: {note: {modality: windows}}\n"
         "branches: {a: {inputs: [note], variants: [" +
         variant + "]}}\nlimits: {in_flight: 1000}\n";
}

class WindowsTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.preprocessors.add("windows", [](const Settings&) -> std::unique_ptr<Preprocessor> {
      return std::make_unique<Windows>();
    });
    world_.add_model("binary", "binary");
    // A model with a configuration takes all that waits into one run.
    world_.write("hang/config.pbtxt", "max_batch_size: 32\ndynamic_batching { }\n");
    world_.add_model("hang", "hang");
  }

  void publish(const std::string& variant) {
    const Result<void> published = world_.publish(yaml(variant));
    ASSERT_TRUE(published.has_value()) << published.error().describe();
  }

  Decision decide(const std::string& note) {
    const auto decision = world_.engine->decide(request_of({{"note", note}}));
    EXPECT_TRUE(decision.has_value()) << decision.error().describe();
    return decision.has_value() ? *decision : Decision{};
  }

  ManualClock clock_;
  FakeWorld world_{clock_};
};

// (0.9 + 0.8 + 0.4) / 3 = 0.7; maxima 0.9 and 0.6, so 0.6 and 0.4.
TEST_F(WindowsTest, TheirMeanOrMaximumIsTheBranchsValue) {
  publish("binary");
  const Decision mean = decide("0.9 0.8 0.4");
  EXPECT_NEAR(mean.probabilities[0].second, 0.7, 1e-6);
  EXPECT_EQ(mean.route.front().own_rows, 3U);
  EXPECT_THAT(to_json(mean).dump(), testing::HasSubstr("\"own_rows\":3"));
  EXPECT_NEAR(decide("0.9").confidence, 0.9, 1e-6);

  publish("{model: binary, pool: max}");
  EXPECT_NEAR(decide("0.9 0.8 0.4").probabilities[0].second, 0.6, 1e-6);
}

// The model takes 32 rows a run. 39 windows of 0.25 and one of 0.75: 10.5 / 40.
TEST_F(WindowsTest, MoreThanOneRunHolds) {
  publish("binary");
  std::string note = "0.75";
  for (int i = 0; i < 39; ++i) {
    note += " 0.25";
  }
  EXPECT_NEAR(decide(note).probabilities[0].second, 10.5 / 40, 1e-6);
}

// Two runs hold both slots; what comes meanwhile shares runs when they end.
TEST_F(WindowsTest, ShareRunsWithOtherRequests) {
  publish("hang");
  const std::vector<std::pair<std::string, double>> notes = {{"0.9", 0.9},         {"0.1", 0.1},
                                                             {"0.9 0.8 0.4", 0.7}, {"0.3", 0.3},
                                                             {"0.2 0.4", 0.3},     {"0.8", 0.8}};
  std::vector<std::optional<Result<Decision>>> answers(notes.size());
  for (std::size_t i = 0; i < notes.size(); ++i) {
    Request request = request_of({{"note", notes[i].first}});
    request.explain = false;
    request.reply = Reply([&, i](Result<Decision> answer) { answers[i] = std::move(answer); });
    world_.engine->submit(std::move(request));
  }
  world_.release();
  world_.engine->drain();
  std::size_t shared = 0;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    ASSERT_TRUE(answers[i].has_value() && answers[i]->has_value());
    const Decision& decision = **answers[i];
    EXPECT_NEAR(decision.probabilities[0].second, notes[i].second, 1e-6) << notes[i].first;
    shared += decision.route.front().rows > decision.route.front().own_rows ? 1 : 0;
  }
  EXPECT_GE(shared, 2U);
}

}  // namespace
}  // namespace braid
