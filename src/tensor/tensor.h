#pragma once
// Tensor owns numbers (or byte strings) and their shape; TensorView borrows both.
//
// Shapes, for the whole house: row-major, the last axis is contiguous; axis 0 is the batch, also
// when it is 1; no axis is 0. Probabilities and logits are [rows, classes], embeddings
// [rows, width], tokens [rows, tokens, width], images [rows, channels, height, width], volumes
// [rows, channels, depth, height, width].
// Threads: a value like any other.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/result.h"

namespace braid {

/// The Open Inference Protocol's types. FP16 and BF16 are carried, not computed with.
enum class DType {
  kBool,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFp16,
  kBf16,
  kFp32,
  kFp64,
  kBytes,
};

/// "FP32".
const char* to_string(DType dtype);
/// kInvalidArgument lists the known names.
Result<DType> dtype_from(std::string_view name);
/// In bytes; 0 for kBytes, whose elements differ.
std::size_t element_size(DType dtype);

template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::kBool;
};
template <>
struct DTypeOf<std::uint8_t> {
  static constexpr DType value = DType::kUint8;
};
template <>
struct DTypeOf<std::uint16_t> {
  static constexpr DType value = DType::kUint16;
};
template <>
struct DTypeOf<std::uint32_t> {
  static constexpr DType value = DType::kUint32;
};
template <>
struct DTypeOf<std::uint64_t> {
  static constexpr DType value = DType::kUint64;
};
template <>
struct DTypeOf<std::int8_t> {
  static constexpr DType value = DType::kInt8;
};
template <>
struct DTypeOf<std::int16_t> {
  static constexpr DType value = DType::kInt16;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType value = DType::kInt32;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType value = DType::kInt64;
};
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::kFp32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::kFp64;
};

using Shape = std::vector<std::size_t>;

/// "[2, 10]", for messages.
std::string to_string(std::span<const std::size_t> shape);
/// kInvalidArgument when the shape is empty, has a 0 or describes more than 2^40 elements.
Result<std::size_t> element_count(std::span<const std::size_t> shape);

/// Valid until its Tensor is moved or destroyed.
struct TensorView {
  DType dtype = DType::kFp32;
  std::span<const std::size_t> shape;
  std::span<const std::byte> bytes;           // of fixed-size types
  std::span<const std::string> strings = {};  // of kBytes

  std::size_t row_count() const { return shape.front(); }
  /// T must match the dtype.
  template <typename T>
  std::span<const T> values() const {
    BRAID_CHECK(dtype == DTypeOf<T>::value);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

class Tensor {
 public:
  /// kInvalidArgument when `shape` does not describe `values`.
  template <typename T>
  static Result<Tensor> from(std::span<const std::size_t> shape, std::span<const T> values) {
    return from_bytes(DTypeOf<T>::value, shape, std::as_bytes(values));
  }
  static Result<Tensor> from(std::span<const std::size_t> shape, const std::vector<float>& values) {
    return from<float>(shape, std::span<const float>(values));
  }
  static Result<Tensor> from(std::span<const std::size_t> shape,
                             const std::vector<std::int64_t>& values) {
    return from<std::int64_t>(shape, std::span<const std::int64_t>(values));
  }
  /// Copies packed little-endian numbers, row-major. Not for kBytes.
  static Result<Tensor> from_bytes(DType dtype, std::span<const std::size_t> shape,
                                   std::span<const std::byte> bytes);
  /// A kBytes tensor.
  static Result<Tensor> from_strings(std::span<const std::size_t> shape,
                                     std::vector<std::string> strings);
  /// Of zeros (or empty strings), to be filled through mutable_values.
  static Result<Tensor> zeros(DType dtype, std::span<const std::size_t> shape);

  Tensor(Tensor&&) = default;
  Tensor& operator=(Tensor&&) = default;
  Tensor clone() const;  // a copy that is asked for

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::size_t row_count() const { return shape_.front(); }
  std::size_t size_bytes() const;

  TensorView view() const& { return {dtype_, shape_, bytes_, strings_}; }
  TensorView view() const&& = delete;  // it would outlive the numbers

  template <typename T>
  std::span<const T> values() const& {
    return view().values<T>();
  }
  template <typename T>
  std::span<T> mutable_values() & {
    BRAID_CHECK(dtype_ == DTypeOf<T>::value);
    return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }
  std::span<std::byte> mutable_bytes() & { return bytes_; }
  std::span<const std::string> strings() const& { return strings_; }
  std::span<std::string> mutable_strings() & { return strings_; }

 private:
  Tensor(DType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)) {}
  friend Tensor copy_of(const TensorView& view);

  DType dtype_;
  Shape shape_;
  std::vector<std::byte> bytes_;  // aligned for every type, as operator new does
  std::vector<std::string> strings_;
};

Tensor copy_of(const TensorView& view);

struct NamedTensor {
  std::string name;
  Tensor tensor;
};
using NamedTensors = std::vector<NamedTensor>;

/// Null when there is none of that name.
const Tensor* find_tensor(const NamedTensors& tensors, std::string_view name);

}  // namespace braid
