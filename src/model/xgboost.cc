#include "model/xgboost.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include "model/xgboost_words.h"

namespace braid {
namespace {

Error refuse(std::string message) { return Error{Code::kInvalidArgument, std::move(message)}; }

Result<void> done(int code) {
  if (code != 0) {
    return Error{Code::kInternal, "XGBoost: " + xgboost_words(XGBGetLastError())};
  }
  return {};
}

/// A handle of the library, freed by `Free`.
template <int (*Free)(void*)>
struct Handle {
  void* pointer = nullptr;
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (pointer != nullptr) {
      Free(pointer);
    }
  }
};
using Table = Handle<XGDMatrixFree>;
using Forest = Handle<XGBoosterFree>;

Result<void> check_labels(const XgboostTraining& training) {
  for (std::size_t row = 0; row < training.labels.size(); ++row) {
    const float label = training.labels[row];
    const bool is_class = label >= 0 && label < static_cast<float>(training.class_count) &&
                          label == std::floor(label);
    if (!std::isfinite(label) || (training.class_count > 0 && !is_class)) {
      return refuse(fmt::format("label {} of row {} is {}", label, row,
                                training.class_count > 0
                                    ? fmt::format("no class of 0 … {}", training.class_count - 1)
                                    : "no number"));
    }
  }
  for (std::size_t row = 0; row < training.weights.size(); ++row) {
    if (!std::isfinite(training.weights[row]) || training.weights[row] <= 0) {
      return refuse(fmt::format("weight {} of row {} is not above 0", training.weights[row], row));
    }
  }
  return {};
}

/// The library would end in undefined behaviour on codes that are negative or beyond 2^24, where
/// floats stop counting.
Result<void> check_columns(const XgboostTraining& training) {
  for (const float value : training.rows) {
    if (std::isinf(value)) {
      return refuse("a row has an infinite number; leave it out or make it NaN");
    }
  }
  for (const std::size_t column : training.categorical_columns) {
    if (column >= training.column_count) {
      return refuse(
          fmt::format("categorical column {} of {} columns", column, training.column_count));
    }
    for (std::size_t at = column; at < training.rows.size(); at += training.column_count) {
      const float code = training.rows[at];
      if (!std::isnan(code) && (code < 0 || code >= 1 << 24 || code != std::floor(code))) {
        return refuse(
            fmt::format("column {} is categorical, but {} is no code 0, 1, 2 …", column, code));
      }
    }
  }
  return {};
}

Result<void> check_sizes(const XgboostTraining& training) {
  const std::size_t row_count = training.labels.size();
  if (training.column_count == 0 || row_count == 0 || training.class_count == 1 ||
      training.rows.size() != row_count * training.column_count) {
    return refuse(fmt::format("{} numbers, {} labels, {} columns and {} classes make no table",
                              training.rows.size(), row_count, training.column_count,
                              training.class_count));
  }
  if (!training.weights.empty() && training.weights.size() != row_count) {
    return refuse(fmt::format("{} weights for {} rows", training.weights.size(), row_count));
  }
  if (!training.column_names.empty() && training.column_names.size() != training.column_count) {
    return refuse(fmt::format("{} names for {} columns", training.column_names.size(),
                              training.column_count));
  }
  BRAID_TRY_DO(check_labels(training));
  return check_columns(training);
}

Result<void> set_column_info(const Table& table, const char* field,
                             const std::vector<std::string>& values) {
  std::vector<const char*> pointers;
  for (const std::string& value : values) {
    pointers.push_back(value.c_str());
  }
  return done(XGDMatrixSetStrFeatureInfo(table.pointer, field, pointers.data(), pointers.size()));
}

Result<void> fill(Table& table, const XgboostTraining& training) {
  const std::size_t row_count = training.labels.size();
  BRAID_TRY_DO(
      done(XGDMatrixCreateFromMat_omp(training.rows.data(), row_count, training.column_count,
                                      std::nanf(""), &table.pointer, training.thread_count)));
  BRAID_TRY_DO(
      done(XGDMatrixSetFloatInfo(table.pointer, "label", training.labels.data(), row_count)));
  if (!training.weights.empty()) {
    BRAID_TRY_DO(
        done(XGDMatrixSetFloatInfo(table.pointer, "weight", training.weights.data(), row_count)));
  }
  std::vector<std::string> types(training.column_count, "float");
  for (const std::size_t column : training.categorical_columns) {
    types[column].assign(1, 'c');  // "c": g++ 12 sees an overlap in the assignment of a literal
  }
  BRAID_TRY_DO(set_column_info(table, "feature_type", types));
  if (training.column_names.empty()) {
    return {};
  }
  return set_column_info(table, "feature_name", training.column_names);
}

Result<void> set_parameters(const Forest& forest, const XgboostTraining& training) {
  const char* objective = training.class_count == 0   ? "reg:squarederror"
                          : training.class_count == 2 ? "binary:logistic"
                                                      : "multi:softprob";
  std::vector<std::pair<const char*, std::string>> parameters = {
      {"verbosity", "0"},
      {"objective", objective},
      {"tree_method", "hist"},
      {"max_depth", std::to_string(training.depth_max)},
      {"eta", fmt::format("{}", training.learning_rate)},
      {"lambda", fmt::format("{}", training.l2)},
      {"subsample", fmt::format("{}", training.row_share)},
      {"colsample_bytree", fmt::format("{}", training.column_share)},
      {"min_child_weight", fmt::format("{}", training.child_weight_min)},
      {"seed", std::to_string(training.seed)},
      {"nthread", std::to_string(training.thread_count)},
  };
  if (training.class_count > 2) {
    parameters.emplace_back("num_class", std::to_string(training.class_count));
  }
  for (const auto& [name, value] : parameters) {
    BRAID_TRY_DO(done(XGBoosterSetParam(forest.pointer, name, value.c_str())));
  }
  return {};
}

}  // namespace

Result<std::string> train_xgboost(const XgboostTraining& training) {
  BRAID_TRY_DO(check_sizes(training));
  Table table;
  BRAID_TRY_DO(fill(table, training));
  Forest forest;
  BRAID_TRY_DO(done(XGBoosterCreate(&table.pointer, 1, &forest.pointer)));
  BRAID_TRY_DO(set_parameters(forest, training));
  for (int round = 0; round < training.round_count; ++round) {
    BRAID_TRY_DO(done(XGBoosterUpdateOneIter(forest.pointer, round, table.pointer)));
  }
  bst_ulong size = 0;
  const char* bytes = nullptr;
  BRAID_TRY_DO(done(XGBoosterSaveModelToBuffer(
      forest.pointer, training.binary ? R"({"format": "ubj"})" : R"({"format": "json"})", &size,
      &bytes)));
  return std::string(bytes, size);
}

}  // namespace braid
