#include "net/classify.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace braid {
namespace {

template <typename T>
std::vector<std::string> highest(std::span<const T> row, std::size_t count,
                                 std::span<const std::string> labels) {
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto is_before = [&](std::size_t left, std::size_t right) {
    // NaN comes last: it is no value to name first.
    const bool right_is_nan = !(row[right] == row[right]);
    const bool left_is_nan = !(row[left] == row[left]);
    if (left_is_nan || right_is_nan || row[left] == row[right]) {
      return left_is_nan != right_is_nan ? right_is_nan : left < right;
    }
    return row[left] > row[right];
  };
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count), is_before);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = fmt::format("{:f}:{}", static_cast<double>(row[order[i]]), order[i]);
    if (order[i] < labels.size()) {
      text += ":" + labels[order[i]];
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

template <typename T>
Result<Tensor> of_type(const Tensor& values, std::size_t count,
                       std::span<const std::string> labels) {
  const std::size_t class_count = values.shape().back();
  const std::span<const T> all = values.values<T>();
  count = std::min(count, class_count);
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin < all.size(); begin += class_count) {
    for (std::string& text : highest(all.subspan(begin, class_count), count, labels)) {
      texts.push_back(std::move(text));
    }
  }
  Shape shape = values.shape();
  shape.back() = count;
  return Tensor::from_strings(shape, std::move(texts));
}

}  // namespace

Result<Tensor> classified(const Tensor& values, std::size_t count,
                          std::span<const std::string> labels) {
  switch (values.dtype()) {
    case DType::kUint8:
      return of_type<std::uint8_t>(values, count, labels);
    case DType::kUint16:
      return of_type<std::uint16_t>(values, count, labels);
    case DType::kUint32:
      return of_type<std::uint32_t>(values, count, labels);
    case DType::kUint64:
      return of_type<std::uint64_t>(values, count, labels);
    case DType::kInt8:
      return of_type<std::int8_t>(values, count, labels);
    case DType::kInt16:
      return of_type<std::int16_t>(values, count, labels);
    case DType::kInt32:
      return of_type<std::int32_t>(values, count, labels);
    case DType::kInt64:
      return of_type<std::int64_t>(values, count, labels);
    case DType::kFp32:
      return of_type<float>(values, count, labels);
    case DType::kFp64:
      return of_type<double>(values, count, labels);
    default:
      return Error{
          Code::kInvalidArgument,
          fmt::format("{} has no order, so it cannot be classified", to_string(values.dtype()))};
  }
}

}  // namespace braid
