// What model/model.h promises, tried on every registered backend: a new file in
// src/model/backends/ is tested here once tests/data/model/conformance/ has a file for it.

#include "model/model.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_folder.h"
#include "tensor/rows.h"

namespace braid {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Registry<Backend> all_backends() {
  Registry<Backend> registry("backend");
  register_model_backends(registry);
  return registry;
}

/// Each file that a backend opens, as "platform/file".
std::vector<std::string> all_samples() {
  const Registry<Backend> registry = all_backends();
  std::vector<std::string> samples;
  for (const std::string& platform : registry.names()) {
    for (const std::string& name : (*registry.make(platform, {}))->file_names()) {
      samples.push_back(platform + "/" + name);
    }
  }
  return samples;
}

class EveryModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fs::exists(file_)) << "add a small valid model: " << file_;
    model_ = *open(file_);
  }

  Result<std::unique_ptr<Model>> open(const fs::path& file) const {
    return (*registry_.make(fs::path(GetParam()).parent_path().string(), {}))->open({file, {}});
  }

  /// Opens `bytes` as if they were the file.
  Result<std::unique_ptr<Model>> open_bytes(std::string_view bytes) const {
    const TestFolder folder;
    const fs::path file = folder / file_.filename();
    EXPECT_TRUE(write_file(file, bytes).has_value());
    auto model = open(file);
    if (!model.has_value()) {
      const Error error = model.error();
      EXPECT_TRUE(error.code == Code::kInvalidArgument || error.code == Code::kUnsupported)
          << error.describe();
      EXPECT_THAT(error.describe(), HasSubstr(file.string()));
      EXPECT_EQ(error.describe().find('\n'), std::string::npos) << error.describe();
      return error;
    }
    return model;
  }

  /// Seeded numbers for every input; free axes but the batch get 3.
  Batch batch_for(const Model& model, std::size_t row_count) {
    Batch batch;
    batch.row_count = row_count;
    std::normal_distribution<float> normal;
    for (const TensorSpec& input : model.spec().inputs) {
      Shape shape;
      for (const std::int64_t extent : input.shape) {
        shape.push_back(extent < 0 ? 3 : static_cast<std::size_t>(extent));
      }
      shape.front() = input.shape.front() < 0 ? row_count : shape.front();
      Tensor tensor = *Tensor::zeros(input.dtype, shape);
      if (input.dtype == DType::kFp32) {
        std::ranges::generate(tensor.mutable_values<float>(), [&] { return normal(random_); });
      }
      batch.inputs.push_back({input.name, std::move(tensor)});
    }
    return batch;
  }

  static Batch row_of(const Batch& batch, std::size_t row) {
    Batch one;
    one.row_count = 1;
    for (const NamedTensor& input : batch.inputs) {
      one.inputs.push_back({input.name, take_rows(input.tensor, row, 1)});
    }
    return one;
  }

  static std::vector<float> numbers(const RowResults& results) {
    std::vector<float> numbers;
    for (const NamedTensor& output : results.outputs) {
      EXPECT_EQ(output.tensor.dtype(), DType::kFp32);  // choose such a sample
      std::ranges::copy(output.tensor.values<float>(), std::back_inserter(numbers));
    }
    return numbers;
  }

  /// `change` spoils a good batch; the model must say so and go on.
  void expect_refused(const char* what, const std::function<void(Batch&)>& change) {
    Batch batch = batch_for(*model_, 2);
    change(batch);
    const Result<RowResults> results = model_->run(batch);
    ASSERT_FALSE(results.has_value()) << what;
    EXPECT_EQ(results.error().code, Code::kInvalidArgument) << what;
    EXPECT_FALSE(results.error().message.empty()) << what;
    EXPECT_TRUE(model_->run(batch_for(*model_, 2)).has_value()) << what;
  }

  /// Flips one to three bits or bytes of the file, `count` times.
  void expect_survives_flips(std::size_t count) {
    const std::string good = *read_file(file_);
    for (std::size_t i = 0; i < count; ++i) {
      std::string bad = good;
      for (std::size_t flips = random_() % 3 + 1; flips > 0; --flips) {
        char& byte = bad[random_() % bad.size()];
        byte = static_cast<char>(random_() % 2 == 0 ? byte ^ (1 << random_() % 8) : random_());
      }
      if (const auto model = open_bytes(bad); model.has_value()) {
        run_if_small(**model);
      }
    }
  }

  /// What still opens may compute other numbers or fail, but it must come back.
  void run_if_small(const Model& model) {
    constexpr double kElementsMax = 1 << 20;
    for (const TensorSpec& input : model.spec().inputs) {
      double elements = 1;
      for (const std::int64_t extent : input.shape) {
        elements *= extent < 0 ? 3 : static_cast<double>(extent);
      }
      if (elements > kElementsMax) {
        return;
      }
    }
    [[maybe_unused]] const auto results = model.run(batch_for(model, 2));
  }

  const Registry<Backend> registry_ = all_backends();
  const fs::path file_ = fs::path("tests/data/model/conformance") / GetParam();
  std::mt19937 random_{7};
  std::unique_ptr<Model> model_;
};

class EveryModelSlow : public EveryModel {};

TEST_P(EveryModel, TellsWhatItTakesAndGives) {
  const ModelSpec& spec = model_->spec();
  EXPECT_EQ(spec.platform, fs::path(GetParam()).parent_path());
  ASSERT_FALSE(spec.inputs.empty());
  ASSERT_FALSE(spec.outputs.empty());
  for (const std::vector<TensorSpec>& tensors : {spec.inputs, spec.outputs}) {
    for (const TensorSpec& tensor : tensors) {
      EXPECT_FALSE(tensor.shape.empty()) << tensor.name;
      EXPECT_EQ(std::ranges::count(tensors, tensor.name, &TensorSpec::name), 1) << tensor.name;
    }
  }
}

// Otherwise an answer would depend on who else asked in the same moment.
TEST_P(EveryModel, GivesEachRowOfABatchWhatItGivesItAlone) {
  const Batch batch = batch_for(*model_, 7);
  const RowResults together = *model_->run(batch);
  for (std::size_t row = 0; row < batch.row_count; ++row) {
    RowResults own;
    for (const NamedTensor& output : together.outputs) {
      own.outputs.push_back({output.name, take_rows(output.tensor, row, 1)});
    }
    const std::vector<float> alone = numbers(*model_->run(row_of(batch, row)));
    EXPECT_THAT(numbers(own), testing::Pointwise(testing::FloatNear(1e-5F), alone)) << row;
  }
}

TEST_P(EveryModel, GivesTheOutputsOfItsSpec) {
  const RowResults results = *model_->run(batch_for(*model_, 3));
  EXPECT_TRUE(results.failures.empty());
  ASSERT_EQ(results.outputs.size(), model_->spec().outputs.size());
  for (std::size_t i = 0; i < results.outputs.size(); ++i) {
    EXPECT_EQ(results.outputs[i].name, model_->spec().outputs[i].name);
    EXPECT_EQ(results.outputs[i].tensor.row_count(), 3U);
    EXPECT_TRUE(
        check_fits(model_->spec().outputs[i], results.outputs[i].tensor.view()).has_value());
  }
}

TEST_P(EveryModel, GivesTheSameAnswerTwice) {
  const Batch batch = batch_for(*model_, 5);
  EXPECT_EQ(numbers(*model_->run(batch)), numbers(*model_->run(batch)));
}

TEST_P(EveryModel, RunsFromManyThreadsAtOnce) {
  const Batch batch = batch_for(*model_, 4);
  const std::vector<float> expected = numbers(*model_->run(batch));
  std::vector<int> wrong(4);
  {
    std::vector<std::jthread> threads;
    for (int& count : wrong) {
      threads.emplace_back([&] {
        for (int run = 0; run < 50; ++run) {
          count += numbers(*model_->run(batch)) == expected ? 0 : 1;
        }
      });
    }
  }
  EXPECT_EQ(wrong, std::vector<int>(4));
}

std::ptrdiff_t thread_count() {
  return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
}

// A model with threads of its own would fight the dispatcher for the cores.
TEST_P(EveryModel, StartsNoThread) {
  const std::ptrdiff_t before = thread_count();
  const std::unique_ptr<Model> another = *open(file_);
  ASSERT_TRUE(another->run(batch_for(*another, 32)).has_value());
  EXPECT_EQ(thread_count(), before);
}

TEST_P(EveryModel, RefusesWhatItDoesNotTake) {
  ASSERT_GT(model_->spec().rows_max, 0U);  // choose such a sample
  expect_refused("no input", [](Batch& batch) { batch.inputs.clear(); });
  expect_refused("an unknown input", [](Batch& batch) {
    batch.inputs.push_back({"nobody", batch.inputs.front().tensor.clone()});
  });
  expect_refused("an input twice", [](Batch& batch) {
    batch.inputs.push_back({batch.inputs.front().name, batch.inputs.front().tensor.clone()});
  });
  expect_refused("another type", [](Batch& batch) {
    Tensor& tensor = batch.inputs.front().tensor;
    tensor = *Tensor::zeros(tensor.dtype() == DType::kInt8 ? DType::kFp32 : DType::kInt8,
                            Shape(tensor.shape()));
  });
  expect_refused("one axis more", [](Batch& batch) {
    Shape shape = batch.inputs.front().tensor.shape();
    shape.push_back(1);
    batch.inputs.front().tensor = *Tensor::zeros(batch.inputs.front().tensor.dtype(), shape);
  });
  expect_refused("a longer row", [](Batch& batch) {
    Shape shape = batch.inputs.front().tensor.shape();
    ++shape.back();
    batch.inputs.front().tensor = *Tensor::zeros(batch.inputs.front().tensor.dtype(), shape);
  });
  expect_refused("other rows than it says", [](Batch& batch) { batch.row_count = 3; });
  expect_refused("more rows than it takes",
                 [&](Batch& batch) { batch = batch_for(*model_, model_->spec().rows_max + 1); });
}

// Runtimes have crashed on an axis of 0; there is no such tensor to hand to one.
TEST_P(EveryModel, NeverSeesATensorOfNoElements) {
  const TensorSpec& input = model_->spec().inputs.front();
  for (std::size_t axis = 0; axis < input.shape.size(); ++axis) {
    Shape shape(input.shape.size(), 1);
    shape[axis] = 0;
    EXPECT_EQ(Tensor::zeros(input.dtype, shape).error().code, Code::kInvalidArgument);
  }
}

TEST_P(EveryModel, NamesAFileThatIsNotThere) {
  const Error error = open(file_.parent_path() / "nowhere" / file_.filename()).error();
  EXPECT_EQ(error.code, Code::kNotFound) << error.describe();
  EXPECT_THAT(error.describe(), HasSubstr("nowhere"));
}

TEST_P(EveryModel, RefusesAFileThatIsCutOff) {
  const std::string good = *read_file(file_);
  const std::size_t step = std::max<std::size_t>(good.size() / 60, 1);
  for (std::size_t size = 0; size < good.size(); size += step) {
    if (const auto model = open_bytes(good.substr(0, size)); model.has_value()) {
      EXPECT_GT(size, 0U);  // an empty file is no model
      run_if_small(**model);
    }
  }
}

TEST_P(EveryModel, RefusesNoise) {
  for (const std::size_t size : {1U, 16U, 1000U, 100000U}) {
    std::string noise(size, '\0');
    std::ranges::generate(noise, [&] { return static_cast<char>(random_()); });
    EXPECT_FALSE(open_bytes(noise).has_value());
  }
}

TEST_P(EveryModel, SurvivesFlippedBits) { expect_survives_flips(150); }

// XGBoost 3.4.1 itself reads out of bounds on some damaged UBJSON (seen in RegTree::LoadModel),
// which no look at the file short of a parser of our own would tell. A model is the operator's own
// file.
TEST_P(EveryModelSlow, SurvivesManyFlippedBits) {
  if (GetParam().ends_with(".ubj")) {
    GTEST_SKIP() << "XGBoost may crash on damaged UBJSON";
  }
  expect_survives_flips(5000);
}

std::string test_name(const testing::TestParamInfo<std::string>& each) {
  std::string name = each.param;
  std::ranges::replace_if(name, [](char letter) { return letter == '/' || letter == '.'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryModel, testing::ValuesIn(all_samples()), test_name);
INSTANTIATE_TEST_SUITE_P(Registered, EveryModelSlow, testing::ValuesIn(all_samples()), test_name);

}  // namespace
}  // namespace braid
