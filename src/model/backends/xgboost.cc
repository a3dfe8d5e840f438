// Forests of trees by XGBoost: model.json or model.ubj, on one row or a batch of rows at once.
// Input: features FP32 [-1, columns], NaN where a number is missing, codes in categorical columns.
// Output: `probabilities` [-1, classes] of a classifier, `output` [-1, n] of anything else.
// A booster is read only once it is configured, and open() configures it by a first prediction; so
// any number of threads may predict, each into the library's buffer of its own.

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include "base/file.h"
#include "model/check_batch.h"
#include "model/complete_spec.h"
#include "model/model.h"
#include "model/xgboost_file.h"
#include "model/xgboost_words.h"
#include "tensor/softmax.h"

namespace braid {
namespace {

constexpr const char* kPlatform = "xgboost";

/// How the library's numbers become the answer.
enum class Answer {
  kNumbers,      // as they are
  kClasses,      // one probability a class
  kMargins,      // one margin a class: softmax
  kOneOfTwo,     // the probability of the second class
  kMarginOfTwo,  // its margin: logistic function
};

Answer answer_of(const XgboostFile& file) {
  if (file.objective == "multi:softprob") {
    return Answer::kClasses;
  }
  if (file.objective == "multi:softmax") {
    return Answer::kMargins;
  }
  if (file.objective == "binary:logistic") {
    return Answer::kOneOfTwo;
  }
  return file.objective == "binary:logitraw" ? Answer::kMarginOfTwo : Answer::kNumbers;
}

bool wants_margins(Answer answer) {
  return answer == Answer::kMargins || answer == Answer::kMarginOfTwo;
}

struct FreeBooster {
  void operator()(void* booster) const { XGBoosterFree(booster); }
};
using Booster = std::unique_ptr<void, FreeBooster>;

Error failure(Code code) { return Error{code, "XGBoost: " + xgboost_words(XGBGetLastError())}; }

// Inplace prediction fails without a cache_id, although it caches nothing.
constexpr const char* kAnswers =
    R"({"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0, )"
    R"("strict_shape": true, "missing": NaN, "cache_id": 0})";
constexpr const char* kMargins =
    R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0, )"
    R"("strict_shape": true, "missing": NaN, "cache_id": 0})";

struct Prediction {
  std::size_t width = 0;
  std::span<const float> values;  // [rows, width]; this thread's, until its next prediction
};

/// `values` is [rows, columns].
Result<Prediction> predict(const Booster& booster, bool margins, std::span<const float> values,
                           std::size_t row_count) {
  const std::string array = fmt::format(
      R"({{"data": [{}, true], "shape": [{}, {}], "typestr": "<f4", "version": 3}})",
      reinterpret_cast<std::uintptr_t>(values.data()), row_count, values.size() / row_count);
  const bst_ulong* shape = nullptr;
  bst_ulong rank = 0;
  const float* predicted = nullptr;
  if (XGBoosterPredictFromDense(booster.get(), array.c_str(), margins ? kMargins : kAnswers,
                                nullptr, &shape, &rank, &predicted) != 0) {
    return failure(Code::kInternal);
  }
  if (rank != 2 || shape[0] != row_count || shape[1] == 0) {
    return Error{Code::kUnsupported, "XGBoost: predictions of more than one axis a row"};
  }
  return Prediction{shape[1], {predicted, row_count * shape[1]}};
}

class XgboostModel final : public Model {
 public:
  XgboostModel(Booster booster, Answer answer, ModelSpec spec)
      : booster_(std::move(booster)), answer_(answer), spec_(std::move(spec)) {}

  const ModelSpec& spec() const override { return spec_; }

  Result<RowResults> run(const Batch& batch) const override {
    BRAID_TRY_DO(check_batch(spec_, batch));
    const Tensor& features = batch.inputs.front().tensor;
    BRAID_TRY(const Prediction prediction, predict(booster_, wants_margins(answer_),
                                                   features.values<float>(), features.row_count()));
    BRAID_TRY(Tensor output, to_output(prediction, features.row_count()));
    RowResults results;
    results.outputs.push_back({spec_.outputs.front().name, std::move(output)});
    return results;
  }

 private:
  Result<Tensor> to_output(const Prediction& prediction, std::size_t row_count) const {
    if (answer_ != Answer::kOneOfTwo && answer_ != Answer::kMarginOfTwo) {
      BRAID_TRY(Tensor output, Tensor::from(Shape{row_count, prediction.width}, prediction.values));
      for (std::size_t row = 0; answer_ == Answer::kMargins && row < row_count; ++row) {
        softmax(output.mutable_values<float>().subspan(row * prediction.width, prediction.width));
      }
      return output;
    }
    BRAID_TRY(Tensor output, Tensor::zeros(DType::kFp32, Shape{row_count, 2}));
    const std::span<float> pairs = output.mutable_values<float>();
    for (std::size_t row = 0; row < row_count; ++row) {
      const float said = prediction.values[row];
      const float second = answer_ == Answer::kOneOfTwo ? said : 1 / (1 + std::exp(-said));
      pairs[2 * row] = 1 - second;
      pairs[2 * row + 1] = second;
    }
    return output;
  }

  const Booster booster_;
  const Answer answer_;
  const ModelSpec spec_;
};

std::array<std::int64_t, 3> library_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  XGBoostVersion(&major, &minor, &patch);
  return {major, minor, patch};
}

/// XGBoost 1.7 reads a base_score of 3.1 as 0 and says nothing: newer files are never tried.
Result<void> check_version(const XgboostFile& file) {
  const auto& theirs = file.version;
  const auto ours = library_version();
  if (theirs > ours) {
    return Error{
        Code::kUnsupported,
        fmt::format("written by XGBoost {}.{}.{}, this build has {}.{}.{}; train or save it "
                    "with that one or an older one",
                    theirs[0], theirs[1], theirs[2], ours[0], ours[1], ours[2])};
  }
  return {};
}

Result<Booster> open_booster(std::string_view bytes) {
  void* created = nullptr;
  if (XGBoosterCreate(nullptr, 0, &created) != 0) {
    return failure(Code::kInternal);
  }
  Booster booster(created);
  if (XGBoosterLoadModelFromBuffer(created, bytes.data(), bytes.size()) != 0) {
    return failure(Code::kInvalidArgument);
  }
  for (const auto& [name, value] : {std::pair("nthread", "1"), {"verbosity", "0"}}) {
    if (XGBoosterSetParam(created, name, value) != 0) {
      return failure(Code::kInternal);
    }
  }
  return booster;
}

/// Attributes of the booster, such as those that `braid fit` sets.
Result<std::map<std::string, std::string>> attributes_of(const Booster& booster) {
  bst_ulong count = 0;
  const char** names = nullptr;
  if (XGBoosterGetAttrNames(booster.get(), &count, &names) != 0) {
    return failure(Code::kInternal);
  }
  const std::vector<std::string> keys(names, names + count);  // the next call takes them away
  std::map<std::string, std::string> attributes;
  for (const std::string& key : keys) {
    const char* value = nullptr;
    int found = 0;
    if (XGBoosterGetAttr(booster.get(), key.c_str(), &value, &found) == 0 && found != 0) {
      attributes[key] = value;
    }
  }
  return attributes;
}

Result<std::unique_ptr<Model>> open_model(std::string_view bytes, const ModelConfig& config) {
  BRAID_TRY(const XgboostFile file, read_xgboost_file(bytes));
  BRAID_TRY_DO(check_version(file));
  BRAID_TRY(Booster booster, open_booster(bytes));
  Answer answer = answer_of(file);
  const std::vector<float> missing(file.column_count, std::nanf(""));
  const Result<Prediction> first = predict(booster, wants_margins(answer), missing, 1);
  if (!first.has_value()) {  // the file's fault: nobody has asked for anything yet
    return Error{Code::kInvalidArgument, first.error().message};
  }
  const bool of_classes = answer == Answer::kClasses || answer == Answer::kMargins;
  if (of_classes && first->width != file.class_count) {
    return Error{Code::kInvalidArgument, fmt::format("not a valid XGBoost model: {} outputs for {} "
                                                     "classes",
                                                     first->width, file.class_count)};
  }
  if (!of_classes && first->width != 1) {
    answer = Answer::kNumbers;  // several yes-or-no questions at once are no classes
  }
  ModelSpec spec;
  spec.platform = kPlatform;
  spec.rows_max = kRowsDefault;
  spec.inputs = {{"features", DType::kFp32, {-1, static_cast<std::int64_t>(file.column_count)}}};
  const bool of_two = answer == Answer::kOneOfTwo || answer == Answer::kMarginOfTwo;
  spec.outputs = {{answer == Answer::kNumbers ? "output" : "probabilities",
                   DType::kFp32,
                   {-1, of_two ? 2 : static_cast<std::int64_t>(first->width)}}};
  BRAID_TRY(spec.metadata, attributes_of(booster));
  spec.metadata.emplace("objective", file.objective);
  BRAID_TRY(spec, complete_spec(std::move(spec), config));
  return std::unique_ptr<Model>(
      std::make_unique<XgboostModel>(std::move(booster), answer, std::move(spec)));
}

class Xgboost final : public Backend {
 public:
  std::vector<std::string> file_names() const override { return {"model.json", "model.ubj"}; }

  Result<std::unique_ptr<Model>> open(const ModelSource& source) const override {
    BRAID_TRY(const std::string bytes, read_file(source.file));
    return open_model(bytes, source.config).within(source.file.string());
  }
};

}  // namespace

void register_xgboost(Registry<Backend>& registry) {
  registry.add(kPlatform, [](const NoSetup&) -> Result<std::unique_ptr<Backend>> {
    return std::unique_ptr<Backend>(std::make_unique<Xgboost>());
  });
}

}  // namespace braid
