#include "tensor/rows.h"

#include <algorithm>

namespace braid {

Tensor join_rows(std::span<const Tensor* const> tensors) {
  Shape shape = tensors.front()->shape();
  shape.front() = 0;
  for (const Tensor* each : tensors) {
    BRAID_CHECK(each->dtype() == tensors.front()->dtype());
    BRAID_CHECK(
        std::equal(shape.begin() + 1, shape.end(), each->shape().begin() + 1, each->shape().end()));
    shape.front() += each->row_count();
  }
  Tensor joined = *Tensor::zeros(tensors.front()->dtype(), shape);
  auto byte = joined.mutable_bytes().begin();
  auto string = joined.mutable_strings().begin();
  for (const Tensor* each : tensors) {
    byte = std::ranges::copy(each->view().bytes, byte).out;
    string = std::ranges::copy(each->strings(), string).out;
  }
  return joined;
}

namespace {

/// Copies each row's leading bytes from rows of one width into rows of another.
void copy_rows(std::span<const std::byte> from, std::size_t from_width, std::span<std::byte> into,
               std::size_t into_width) {
  const std::size_t width = std::min(from_width, into_width);
  for (std::size_t row = 0; row < from.size() / from_width; ++row) {
    std::ranges::copy(from.subspan(row * from_width, width),
                      into.begin() + static_cast<std::ptrdiff_t>(row * into_width));
  }
}

std::size_t row_bytes(const TensorView& view) { return view.bytes.size() / view.row_count(); }

}  // namespace

Tensor join_rows_padded(std::span<const Tensor* const> tensors, std::size_t extent) {
  Shape shape = tensors.front()->shape();
  shape[0] = 0;
  for (const Tensor* each : tensors) {
    BRAID_CHECK(each->shape()[1] <= extent);
    shape[0] += each->row_count();
  }
  shape[1] = extent;
  Tensor joined = *Tensor::zeros(tensors.front()->dtype(), shape);
  const std::size_t width = row_bytes(joined.view());
  std::span<std::byte> into = joined.mutable_bytes();
  for (const Tensor* each : tensors) {
    copy_rows(each->view().bytes, row_bytes(each->view()), into, width);
    into = into.subspan(each->row_count() * width);
  }
  return joined;
}

Tensor crop_rows(const TensorView& view, std::size_t extent) {
  BRAID_CHECK(extent <= view.shape[1]);
  Shape shape(view.shape.begin(), view.shape.end());
  shape[1] = extent;
  Tensor cropped = *Tensor::zeros(view.dtype, shape);
  copy_rows(view.bytes, row_bytes(view), cropped.mutable_bytes(), row_bytes(cropped.view()));
  return cropped;
}

Tensor take_rows(const TensorView& view, std::size_t begin, std::size_t count) {
  BRAID_CHECK(count > 0);
  BRAID_CHECK(begin + count <= view.row_count());
  Shape shape(view.shape.begin(), view.shape.end());
  shape.front() = count;
  TensorView part = view;
  part.shape = shape;
  const std::size_t row_bytes = view.bytes.size() / view.row_count();
  const std::size_t row_strings = view.strings.size() / view.row_count();
  part.bytes = view.bytes.subspan(begin * row_bytes, count * row_bytes);
  part.strings = view.strings.subspan(begin * row_strings, count * row_strings);
  return copy_of(part);
}

}  // namespace braid
