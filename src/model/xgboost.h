#pragma once
// XGBoost, training: a table and its labels in, the bytes of model.json or model.ubj out.
// Prediction is backends/xgboost.cc.
// Threads: any; a training uses thread_count of its own.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace braid {

struct XgboostTraining {
  std::size_t column_count = 0;
  std::span<const float> rows;          // row-major; NaN is missing, 0 is a number
  std::span<const float> labels;        // one a row: a class from 0, or the number to predict
  std::span<const float> weights = {};  // one a row, above 0; empty: all alike
  std::size_t class_count = 0;          // 0: regression; 2: one tree a round; more: one a class
  std::vector<std::size_t> categorical_columns = {};  // hold codes 0, 1, 2 … instead of amounts
  std::vector<std::string> column_names = {};         // kept in the file; may be empty

  // Braid's defaults are for tables of hundreds to thousands of rows: shallow and slow to learn.
  int round_count = 100;
  int depth_max = 4;
  double learning_rate = 0.1;  // eta
  double l2 = 1;               // lambda
  double row_share = 1;        // subsample, in (0, 1]
  double column_share = 1;     // colsample_bytree, in (0, 1]
  double child_weight_min = 1;
  std::uint32_t seed = 0;
  int thread_count = 1;  // the same seed and count give the same bytes
  bool binary = false;   // true: UBJSON, for model.ubj
};

/// kInvalidArgument when sizes disagree, a label is no class, a category is no code, a weight is
/// not above 0 or a number is infinite.
Result<std::string> train_xgboost(const XgboostTraining& training);

}  // namespace braid
