#include "serve/pool_rows.h"

#include <cmath>
#include <numeric>

#include "base/check.h"

namespace braid {
namespace {

float pool_column(std::span<const float> values, std::size_t column, std::size_t width, Pool pool) {
  double sum = 0;
  float most = values[column];
  for (std::size_t at = column; at < values.size(); at += width) {
    sum += static_cast<double>(values[at]);
    most = values[at] > most || std::isnan(values[at]) ? values[at] : most;
  }
  const auto row_count = static_cast<double>(values.size() / width);
  return pool == Pool::kMax ? most : static_cast<float>(sum / row_count);
}

}  // namespace

Tensor pool_rows(const Tensor& rows, Pool pool) {
  BRAID_CHECK(rows.dtype() == DType::kFp32);
  BRAID_CHECK(rows.shape().size() == 2);
  BRAID_CHECK(rows.row_count() > 0);
  if (rows.row_count() == 1) {
    return rows.clone();
  }
  const std::size_t width = rows.shape()[1];
  Tensor one = *Tensor::zeros(DType::kFp32, Shape{1, width});
  const std::span<const float> values = rows.values<float>();
  const std::span<float> pooled = one.mutable_values<float>();
  for (std::size_t column = 0; column < width; ++column) {
    pooled[column] = pool_column(values, column, width, pool);
  }
  return one;
}

Tensor pool_probabilities(const Tensor& rows, Pool pool) {
  Tensor one = pool_rows(rows, pool);
  if (pool == Pool::kMean || rows.row_count() == 1) {
    return one;
  }
  const std::span<float> values = one.mutable_values<float>();
  const float sum = std::accumulate(values.begin(), values.end(), 0.0F);
  for (float& value : values) {
    value = sum > 0 ? value / sum : value;
  }
  return one;
}

}  // namespace braid
