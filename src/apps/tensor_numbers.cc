#include "apps/tensor_numbers.h"

#include <algorithm>
#include <cmath>

namespace braid {
namespace {

template <typename T>
std::vector<double> converted(const TensorView& view) {
  std::vector<double> numbers;
  numbers.reserve(view.bytes.size() / sizeof(T));
  for (const T value : view.values<T>()) {
    numbers.push_back(static_cast<double>(value));
  }
  return numbers;
}

}  // namespace

std::optional<std::vector<double>> numbers_of(const TensorView& view) {
  switch (view.dtype) {
    case DType::kBool:
      return converted<bool>(view);
    case DType::kUint8:
      return converted<std::uint8_t>(view);
    case DType::kUint16:
      return converted<std::uint16_t>(view);
    case DType::kUint32:
      return converted<std::uint32_t>(view);
    case DType::kUint64:
      return converted<std::uint64_t>(view);
    case DType::kInt8:
      return converted<std::int8_t>(view);
    case DType::kInt16:
      return converted<std::int16_t>(view);
    case DType::kInt32:
      return converted<std::int32_t>(view);
    case DType::kInt64:
      return converted<std::int64_t>(view);
    case DType::kFp32:
      return converted<float>(view);
    case DType::kFp64:
      return converted<double>(view);
    case DType::kFp16:
    case DType::kBf16:
    case DType::kBytes:
      return std::nullopt;
  }
  return std::nullopt;
}

NumberFacts facts_of(const std::vector<double>& numbers) {
  std::vector<double> known;
  std::ranges::copy_if(numbers, std::back_inserter(known),
                       [](double number) { return !std::isnan(number); });
  NumberFacts facts;
  facts.nan_share = 1 - static_cast<double>(known.size()) / static_cast<double>(numbers.size());
  if (known.empty()) {
    return facts;
  }
  const auto count = static_cast<double>(known.size());
  const auto [min, max] = std::ranges::minmax(known);
  facts.min = min;
  facts.max = max;
  for (const double number : known) {
    facts.mean += number / count;
  }
  for (const double number : known) {
    facts.std += (number - facts.mean) * (number - facts.mean) / count;
  }
  facts.std = std::sqrt(facts.std);
  return facts;
}

}  // namespace braid
