#include "learn/embed.h"

#include <atomic>
#include <charconv>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_folder.h"
#include "model/model.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// "2.5" becomes x = [[2.5 · factor]]; "bad" is refused. Counts how often it is asked.
class Number final : public Preprocessor {
 public:
  Number(std::atomic<int>& asked, const std::atomic<float>& factor)
      : asked_(asked), factor_(factor) {}

  Result<Encoded> encode(Bytes raw) const override {
    ++asked_;
    float value = 0;
    if (std::from_chars(raw.data(), raw.data() + raw.size(), value).ec != std::errc()) {
      return Error{Code::kInvalidArgument, "not a number"};
    }
    Encoded encoded;
    encoded.tensors.push_back(
        {"x", *Tensor::from(Shape{1, 1}, std::vector<float>{value * factor_})});
    return encoded;
  }
  std::vector<TensorSpec> outputs() const override { return {{"x", DType::kFp32, {1, 1}}}; }

 private:
  std::atomic<int>& asked_;
  const std::atomic<float>& factor_;
};

class EmbedTest : public testing::Test {
 protected:
  EmbedTest() {
    register_model_backends(backends_);
    preprocessors_.add("number", [this](const Settings&) -> Result<std::unique_ptr<Preprocessor>> {
      return std::unique_ptr<Preprocessor>(std::make_unique<Number>(asked_, factor_));
    });
    write("encoders/enc/1/model.reference.yaml",
          "kind: linear\noutput: embedding\nweights: [[2, -1]]\nbias: [0, 1]\n");
    write("FIT.yaml",
          "name: test\nmanifest: manifest.csv\nmodels: encoders\n"
          "inputs: {n: {modality: number}}\n"
          "branches: {b: {inputs: [n], variants: [enc]}}\n"
          "fit: {folds: 2}\n");
    set_rows({"1", "2", "", "4"});
  }

  void write(const std::string& file, const std::string& text) const {
    BRAID_CHECK(write_file(folder_ / file, text).has_value());
  }

  /// Rows r0, r1 … of two classes in turn.
  void set_rows(const std::vector<std::string>& cells) const {
    std::string text = "id,split,group,label,n\n";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string id = "r" + std::to_string(i);
      text += id + ",train," + id + (i % 2 == 0 ? ",no," : ",yes,") + cells[i] + "\n";
    }
    write("manifest.csv", text);
  }

  Result<VariantRows> run(bool skip_bad = false) {
    BRAID_TRY(FitConfig config, read_fit_config(folder_ / "FIT.yaml"));
    BRAID_TRY(const Manifest manifest, read_manifest(config.manifest));
    BRAID_TRY(const FitData data, select_rows(manifest, config));
    ModelStore store({config.models}, backends_);
    BRAID_TRY(
        const FitSetup setup,
        open_fit(config, data.classes, {preprocessors_, fusion_ops_, policies_, store}, store));
    const FitContext context{.clock = clock_,
                             .cache_folder = folder_ / "cache",
                             .thread_count = 2,
                             .skip_bad = skip_bad,
                             .warn = [this](const std::string& text) { warned_ = text; }};
    asked_ = 0;
    BRAID_TRY(EmbeddedRows rows, embed(setup, data, manifest, context));
    return std::move(rows[0][0]);
  }

  const TestFolder folder_;
  const ManualClock clock_;
  std::atomic<int> asked_ = 0;
  std::atomic<float> factor_ = 1;
  std::string warned_;
  Registry<Preprocessor> preprocessors_{"modality"};
  Registry<Backend> backends_{"model runtime"};
  Registry<FusionOp> fusion_ops_{"fusion operator"};
  Registry<Policy> policies_{"policy"};
};

// By hand: 4 becomes [2 · 4, 1 − 4].
TEST_F(EmbedTest, SendsEveryRowThroughTheEncoder) {
  const auto rows = run();

  ASSERT_TRUE(rows.has_value()) << rows.error().describe();
  EXPECT_THAT(rows->present, ElementsAre(true, true, false, true));
  EXPECT_THAT(std::vector<double>(rows->embedding.row(3).begin(), rows->embedding.row(3).end()),
              ElementsAre(8, -3));
}

// Only one row is encoded again: the one that proves that what is kept is still true.
TEST_F(EmbedTest, EncodesNothingTwice) {
  ASSERT_TRUE(run().has_value());
  EXPECT_EQ(asked_, 3);

  const auto again = run();

  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(again->embedding.at(3, 0), 8);
}

TEST_F(EmbedTest, EncodesWhatIsNew) {
  ASSERT_TRUE(run().has_value());
  set_rows({"1", "2", "", "4", "5", "1"});  // r5 has the bytes of r0

  const auto rows = run();

  EXPECT_EQ(asked_, 2);
  EXPECT_EQ(rows->embedding.at(4, 0), 10);
  EXPECT_EQ(rows->embedding.at(5, 0), 2);
}

// A preprocessor that was mended gives other numbers under the same name.
TEST_F(EmbedTest, ForgetsWhatTheCodeNoLongerComputes) {
  ASSERT_TRUE(run().has_value());
  factor_ = 3;

  const auto rows = run();

  EXPECT_EQ(rows->embedding.at(0, 0), 6);
  EXPECT_EQ(rows->embedding.at(3, 0), 24);
}

TEST_F(EmbedTest, AnotherEncoderHasAnotherCache) {
  ASSERT_TRUE(run().has_value());
  write("encoders/enc/1/model.reference.yaml",
        "kind: linear\noutput: embedding\nweights: [[5, 0]]\nbias: [0, 0]\n");

  const auto rows = run();

  EXPECT_EQ(rows->embedding.at(3, 0), 20);
}

TEST_F(EmbedTest, NamesTheRowThatCannotBeRead) {
  set_rows({"1", "2", "bad", "4"});

  const auto rows = run();

  ASSERT_FALSE(rows.has_value());
  EXPECT_THAT(rows.error().describe(), HasSubstr("manifest.csv:4: row 'r2'"));
  EXPECT_THAT(rows.error().describe(), HasSubstr("not a number"));
}

TEST_F(EmbedTest, TakesBadInputsAsAbsentWhenAsked) {
  set_rows({"1", "2", "bad", "4"});

  const auto rows = run(true);

  ASSERT_TRUE(rows.has_value()) << rows.error().describe();
  EXPECT_THAT(rows->present, ElementsAre(true, true, false, true));
  EXPECT_THAT(warned_, HasSubstr("row 'r2'"));
}

}  // namespace
}  // namespace braid
