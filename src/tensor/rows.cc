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
