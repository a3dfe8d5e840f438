// Windows of long texts, real text and ONNX Runtime: fitting and serving see the same mean. A
// window's logits are (Σ ids · mask ÷ 10000, 0), so that all can be said by hand.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_folder.h"
#include "learn/run_variant.h"
#include "model/onnx_writer.h"
#include "serve/engine.h"

namespace braid {
namespace {

constexpr const char* kVocabulary = "tests/data/modality/text/vocab.txt";

Result<std::string> sum_of_ids() {
  OnnxGraph graph("sum");
  const std::string ids = graph.input({"input_ids", DType::kInt64, {-1, -1}});
  const std::string mask = graph.input({"attention_mask", DType::kInt64, {-1, -1}});
  const std::string kept = graph.node("Mul", {ids, mask});
  const std::string axes = graph.constant({1}, std::vector<std::int64_t>{1});
  const std::string sum =
      graph.node("Cast", {graph.node("ReduceSum", {kept, axes})}, {{"to", std::int64_t{1}}});
  const std::string scale = graph.constant({1, 2}, std::vector<float>{0.0001F, 0});
  graph.output({"logits", DType::kFp32, {-1, 2}}, graph.node("MatMul", {sum, scale}));
  return graph.serialise();
}

class WindowsFit : public testing::Test {
 protected:
  WindowsFit() {
    register_modality_preprocessors(preprocessors_);
    register_model_backends(backends_);
    register_fusion_ops(fusion_ops_);
    register_policy_policies(policies_);
    BRAID_CHECK(write_file(folder_ / "sum/1/model.onnx", *sum_of_ids()).has_value());
    BRAID_CHECK(write_file(folder_ / "test/vocab.txt", *read_file(kVocabulary)).has_value());
    BRAID_CHECK(
        write_file(folder_ / "test/pipeline.yaml",
                   "name: test\ndecision: {classes: [yes, no]}\n"
                   "inputs: {note: {modality: text, vocab: vocab.txt, tokens_max: 6, windows: 8, "
                   "stride: 1}}\nbranches: {words: {inputs: [note], variants: [sum]}}\n")
            .has_value());
    BRAID_CHECK(store_.load("sum").has_value());
    auto loaded =
        Pipeline::load(folder_ / "test", {preprocessors_, fusion_ops_, policies_, store_});
    BRAID_CHECK(loaded.has_value());
    pipeline_ = *std::move(loaded);
    engine_.publish(pipeline_);
  }

  /// The line of a token in the vocabulary.
  double id(const std::string& token) const {
    const std::string text = "\n" + *read_file(kVocabulary);
    const std::size_t at = text.find("\n" + token + "\n");
    BRAID_CHECK(at != std::string::npos);
    return static_cast<double>(
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }

  /// The mean over windows of four tokens, each three after the one before, by hand:
  /// "! ?" is one window; "! ? ! ? ! ? ! ?" is (! ? ! ?), (? ! ? !) and (! ?).
  double one() const { return (frame() + id("!") + id("?")) / 10000; }
  double three() const { return (frame() + 5.0 / 3 * (id("!") + id("?"))) / 10000; }
  double frame() const { return id("[CLS]") + id("[SEP]"); }

  const TestFolder own_;
  const std::filesystem::path& folder_ = own_.path();
  Registry<Preprocessor> preprocessors_{"modality"};
  Registry<Backend> backends_{"model runtime"};
  Registry<FusionOp> fusion_ops_{"fusion operator"};
  Registry<Policy> policies_{"policy"};
  SystemClock clock_;
  Metrics metrics_;
  ModelStore store_{{{folder_}}, backends_};
  std::shared_ptr<const Pipeline> pipeline_;
  Dispatcher dispatcher_{{}, clock_, metrics_};
  Engine engine_{{}, clock_, dispatcher_, metrics_};
};

constexpr const char* kOne = "! ?";
constexpr const char* kThree = "! ? ! ? ! ? ! ?";

TEST_F(WindowsFit, FittingSeesTheMeanOfThreeWindows) {
  const Variant& variant = pipeline_->branches[0].variants[0];
  const auto three = run_variant(variant, *pipeline_, {kThree});
  ASSERT_TRUE(three.has_value()) << three.error().describe();
  ASSERT_EQ(three->scores.size(), 2U);
  EXPECT_NEAR(three->scores[0], this->three(), 1e-5 * this->three());
  EXPECT_NEAR(run_variant(variant, *pipeline_, {kOne})->scores[0], one(), 1e-5 * one());
}

TEST_F(WindowsFit, ServingSeesTheSameAlsoInSharedRuns) {
  std::vector<std::optional<Result<Decision>>> answers(60);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Request request;
    request.pipeline = "test";
    request.inputs = {{"note", i % 3 == 0 ? kThree : kOne}};
    request.explain = false;
    request.reply =
        Reply([&answers, i](Result<Decision> answer) { answers[i] = std::move(answer); });
    engine_.submit(std::move(request));
  }
  engine_.drain();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_TRUE(answers[i].has_value() && answers[i]->has_value());
    const Decision& decision = **answers[i];
    const double logit = i % 3 == 0 ? three() : one();
    EXPECT_NEAR(decision.probabilities[0].second, 1 / (1 + std::exp(-logit)), 1e-5) << i;
    EXPECT_EQ(decision.route.front().own_rows, i % 3 == 0 ? 3U : 1U);
  }
}

}  // namespace
}  // namespace braid
