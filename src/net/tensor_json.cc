#include "net/tensor_json.h"

#include <cmath>
#include <concepts>
#include <limits>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "base/json.h"

namespace braid {
namespace {

namespace ondemand = simdjson::ondemand;

// Halfway from the largest FP32 to what would be the next one: numbers below it round to an FP32,
// among them "3.4028235e+38", which is how many write the largest.
constexpr double kFp32End = 3.4028235677973366e38;

Error wrong(std::string message) { return Error{Code::kInvalidArgument, std::move(message)}; }

Error wrong(simdjson::error_code code) {
  return wrong(fmt::format("not valid JSON: {}", simdjson::error_message(code)));
}

simdjson::error_code read(ondemand::value value, bool& into) { return value.get_bool().get(into); }

simdjson::error_code read(ondemand::value value, double& into) {
  return value.get_double().get(into);
}

simdjson::error_code read(ondemand::value value, float& into) {
  double wide = 0;
  const auto code = value.get_double().get(wide);
  if (code == simdjson::SUCCESS && std::abs(wide) >= kFp32End) {
    return simdjson::NUMBER_OUT_OF_RANGE;
  }
  into = static_cast<float>(wide);
  return code;
}

template <std::integral T>
simdjson::error_code read(ondemand::value value, T& into) {
  using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  Wide wide = 0;
  const auto code = value.get<Wide>().get(wide);
  if (code == simdjson::SUCCESS &&
      (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max())) {
    return simdjson::NUMBER_OUT_OF_RANGE;
  }
  into = static_cast<T>(wide);
  return code;
}

simdjson::error_code read(ondemand::value value, std::string& into) {
  std::string_view text;
  const auto code = value.get_string().get(text);
  if (code == simdjson::SUCCESS && !simdjson::validate_utf8(text.data(), text.size())) {
    return simdjson::UTF8_ERROR;  // half of a surrogate pair
  }
  into = text;
  return code;
}

/// Reads one list into `out`, which has room for all elements.
template <typename T>
class ListReader {
 public:
  ListReader(DType dtype, std::span<const std::size_t> shape, std::span<T> out)
      : dtype_(dtype), shape_(shape), out_(out) {}

  Result<void> read_list(ondemand::array list, std::size_t axis) {
    const bool last = axis + 1 == shape_.size();
    bool nested = false;
    std::size_t wanted = last ? shape_[axis] : out_.size();
    std::size_t seen = 0;
    for (auto element : list) {
      ondemand::value value;
      if (const auto code = element.get(value); code != simdjson::SUCCESS) {
        return wrong(code);
      }
      if (seen == 0 && !last) {
        nested = is_list(value);
        wanted = nested ? shape_[axis] : wanted;
        if (!nested && axis > 0) {
          return wrong(
              fmt::format("the list is nested {} deep, its shape {}", axis + 1, shape_.size()));
        }
      }
      if (seen++ == wanted) {
        return wrong(fmt::format("more than {} elements in a list of axis {}", wanted, axis));
      }
      BRAID_TRY_DO(nested ? read_inner(value, axis) : take(value));
    }
    if (seen != wanted) {
      return wrong(
          fmt::format("{} elements in a list of axis {}, but {} are wanted", seen, axis, wanted));
    }
    return {};
  }

 private:
  static bool is_list(ondemand::value value) {
    ondemand::json_type type{};
    return value.type().get(type) == simdjson::SUCCESS && type == ondemand::json_type::array;
  }

  Result<void> read_inner(ondemand::value value, std::size_t axis) {
    ondemand::array inner;
    if (value.get_array().get(inner) != simdjson::SUCCESS) {
      return wrong(fmt::format("lists and values are mixed on axis {}", axis));
    }
    return read_list(inner, axis + 1);
  }

  Result<void> take(ondemand::value value) {
    const auto code = read(value, out_[next_]);
    if (code != simdjson::SUCCESS) {
      const std::string_view token = value.raw_json_token();
      return wrong(fmt::format("element {}: {} is no {}", next_,
                               token.substr(0, std::min<std::size_t>(token.size(), 40)),
                               to_string(dtype_)));
    }
    ++next_;
    return {};
  }

  const DType dtype_;
  const std::span<const std::size_t> shape_;
  const std::span<T> out_;
  std::size_t next_ = 0;
};

template <typename T>
Result<void> fill(ondemand::array list, Tensor& tensor) {
  if constexpr (std::is_same_v<T, std::string>) {
    return ListReader<T>(tensor.dtype(), tensor.shape(), tensor.mutable_strings())
        .read_list(list, 0);
  } else {
    return ListReader<T>(tensor.dtype(), tensor.shape(), tensor.mutable_values<T>())
        .read_list(list, 0);
  }
}

Result<void> fill_any(ondemand::array list, Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kBool:
      return fill<bool>(list, tensor);
    case DType::kUint8:
      return fill<std::uint8_t>(list, tensor);
    case DType::kUint16:
      return fill<std::uint16_t>(list, tensor);
    case DType::kUint32:
      return fill<std::uint32_t>(list, tensor);
    case DType::kUint64:
      return fill<std::uint64_t>(list, tensor);
    case DType::kInt8:
      return fill<std::int8_t>(list, tensor);
    case DType::kInt16:
      return fill<std::int16_t>(list, tensor);
    case DType::kInt32:
      return fill<std::int32_t>(list, tensor);
    case DType::kInt64:
      return fill<std::int64_t>(list, tensor);
    case DType::kFp32:
      return fill<float>(list, tensor);
    case DType::kFp64:
      return fill<double>(list, tensor);
    case DType::kBytes:
      return fill<std::string>(list, tensor);
    case DType::kFp16:
    case DType::kBf16:
      break;
  }
  return wrong(
      fmt::format("{} has no form in JSON; send it as binary data", to_string(tensor.dtype())));
}

template <typename T>
Result<void> append_numbers(const TensorView& view, std::string& out) {
  fmt::memory_buffer buffer;
  for (const T value : view.values<T>()) {
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) {
        return wrong("a value is NaN or infinite, which JSON cannot say; ask for binary output");
      }
    }
    fmt::format_to(fmt::appender(buffer), FMT_COMPILE("{},"), value);
  }
  out.append(buffer.data(), buffer.size() - 1);
  return {};
}

Result<void> append_strings(const TensorView& view, std::string& out) {
  for (const std::string& text : view.strings) {
    if (!simdjson::validate_utf8(text)) {
      return wrong("an element is not UTF-8, which JSON cannot say; ask for binary output");
    }
    out += json_quoted(text);
    out += ',';
  }
  out.pop_back();
  return {};
}

Result<void> append_elements(const TensorView& view, std::string& out) {
  switch (view.dtype) {
    case DType::kBool:
      return append_numbers<bool>(view, out);
    case DType::kUint8:
      return append_numbers<std::uint8_t>(view, out);
    case DType::kUint16:
      return append_numbers<std::uint16_t>(view, out);
    case DType::kUint32:
      return append_numbers<std::uint32_t>(view, out);
    case DType::kUint64:
      return append_numbers<std::uint64_t>(view, out);
    case DType::kInt8:
      return append_numbers<std::int8_t>(view, out);
    case DType::kInt16:
      return append_numbers<std::int16_t>(view, out);
    case DType::kInt32:
      return append_numbers<std::int32_t>(view, out);
    case DType::kInt64:
      return append_numbers<std::int64_t>(view, out);
    case DType::kFp32:
      return append_numbers<float>(view, out);
    case DType::kFp64:
      return append_numbers<double>(view, out);
    case DType::kBytes:
      return append_strings(view, out);
    case DType::kFp16:
    case DType::kBf16:
      break;
  }
  return wrong(fmt::format("{} has no form in JSON; ask for binary output", to_string(view.dtype)));
}

}  // namespace

Result<Tensor> tensor_from_json(PaddedText list, DType dtype, std::span<const std::size_t> shape) {
  BRAID_TRY(const std::size_t count, element_count(shape));
  // An element is a character and a comma at least, so a short list never asks for much memory.
  if (count > list.text().size() / 2) {
    return wrong(fmt::format("shape {} is {} elements, but fewer came", to_string(shape), count));
  }
  if (dtype == DType::kBytes && count > kBytesElementsMax) {
    return wrong(
        fmt::format("{} BYTES elements are more than the limit of {}", count, kBytesElementsMax));
  }
  BRAID_TRY(Tensor tensor, Tensor::zeros(dtype, shape));
  ondemand::parser parser;
  const std::string_view text = list.text();
  ondemand::document document;
  if (const auto code =
          parser.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING)
              .get(document);
      code != simdjson::SUCCESS) {
    return wrong(code);
  }
  ondemand::array array;
  if (document.get_array().get(array) != simdjson::SUCCESS) {
    return wrong("data must be a list");
  }
  BRAID_TRY_DO(fill_any(array, tensor));
  return tensor;
}

Result<void> append_json(const TensorView& view, std::string& out) {
  out += '[';
  Result<void> appended = append_elements(view, out);
  out += ']';
  return appended;
}

}  // namespace braid
