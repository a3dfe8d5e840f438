#include "tensor/tensor.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace braid {
namespace {

struct TypeFact {
  DType dtype;
  const char* name;
  std::size_t size;
};

constexpr TypeFact kTypes[] = {
    {DType::kBool, "BOOL", 1},     {DType::kUint8, "UINT8", 1},   {DType::kUint16, "UINT16", 2},
    {DType::kUint32, "UINT32", 4}, {DType::kUint64, "UINT64", 8}, {DType::kInt8, "INT8", 1},
    {DType::kInt16, "INT16", 2},   {DType::kInt32, "INT32", 4},   {DType::kInt64, "INT64", 8},
    {DType::kFp16, "FP16", 2},     {DType::kBf16, "BF16", 2},     {DType::kFp32, "FP32", 4},
    {DType::kFp64, "FP64", 8},     {DType::kBytes, "BYTES", 0},
};

constexpr std::size_t kElementsMax = std::size_t{1} << 40;

const TypeFact& fact(DType dtype) { return kTypes[static_cast<std::size_t>(dtype)]; }

}  // namespace

const char* to_string(DType dtype) { return fact(dtype).name; }
std::size_t element_size(DType dtype) { return fact(dtype).size; }

Result<DType> dtype_from(std::string_view name) {
  std::vector<std::string_view> names;
  for (const TypeFact& type : kTypes) {
    if (type.name == name) {
      return type.dtype;
    }
    names.emplace_back(type.name);
  }
  return Error{Code::kInvalidArgument,
               fmt::format("datatype '{}' is none of {}", name, fmt::join(names, ", "))};
}

std::string to_string(std::span<const std::size_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// Divides instead of multiplying: a hostile shape could overflow a product.
Result<std::size_t> element_count(std::span<const std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) {
    if (extent == 0 || count > kElementsMax / extent) {
      return Error{Code::kInvalidArgument,
                   fmt::format("shape {} has {}", to_string(shape),
                               extent == 0 ? "an axis of 0" : "too many elements")};
    }
    count *= extent;
  }
  if (shape.empty()) {
    return Error{Code::kInvalidArgument, "shape [] has no axis; a single value is [1]"};
  }
  return count;
}

Result<Tensor> Tensor::from_bytes(DType dtype, std::span<const std::size_t> shape,
                                  std::span<const std::byte> bytes) {
  BRAID_CHECK(dtype != DType::kBytes);
  BRAID_TRY(const std::size_t count, element_count(shape));
  if (count * element_size(dtype) != bytes.size()) {
    return Error{Code::kInvalidArgument,
                 fmt::format("shape {} of {} is {} bytes, but {} came", to_string(shape),
                             to_string(dtype), count * element_size(dtype), bytes.size())};
  }
  Tensor tensor(dtype, Shape(shape.begin(), shape.end()));
  tensor.bytes_.assign(bytes.begin(), bytes.end());
  return tensor;
}

Result<Tensor> Tensor::from_strings(std::span<const std::size_t> shape,
                                    std::vector<std::string> strings) {
  BRAID_TRY(const std::size_t count, element_count(shape));
  if (count != strings.size()) {
    return Error{Code::kInvalidArgument, fmt::format("shape {} is {} elements, but {} came",
                                                     to_string(shape), count, strings.size())};
  }
  Tensor tensor(DType::kBytes, Shape(shape.begin(), shape.end()));
  tensor.strings_ = std::move(strings);
  return tensor;
}

Result<Tensor> Tensor::zeros(DType dtype, std::span<const std::size_t> shape) {
  BRAID_TRY(const std::size_t count, element_count(shape));
  Tensor tensor(dtype, Shape(shape.begin(), shape.end()));
  if (dtype == DType::kBytes) {
    tensor.strings_.resize(count);
  } else {
    tensor.bytes_.resize(count * element_size(dtype));
  }
  return tensor;
}

Tensor copy_of(const TensorView& view) {
  Tensor copy(view.dtype, Shape(view.shape.begin(), view.shape.end()));
  copy.bytes_.assign(view.bytes.begin(), view.bytes.end());
  copy.strings_.assign(view.strings.begin(), view.strings.end());
  return copy;
}

Tensor Tensor::clone() const { return copy_of(view()); }

std::size_t Tensor::size_bytes() const {
  std::size_t size = bytes_.size();
  for (const std::string& string : strings_) {
    size += string.size();
  }
  return size;
}

const Tensor* find_tensor(const NamedTensors& tensors, std::string_view name) {
  for (const NamedTensor& each : tensors) {
    if (each.name == name) {
      return &each.tensor;
    }
  }
  return nullptr;
}

}  // namespace braid
