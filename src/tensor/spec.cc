#include "tensor/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace braid {

std::string to_string(const TensorSpec& spec) {
  return fmt::format("{} {} [{}]", spec.name, to_string(spec.dtype), fmt::join(spec.shape, ", "));
}

Result<void> check_fits(const TensorSpec& spec, const TensorView& view) {
  bool fits = spec.dtype == view.dtype && spec.shape.size() == view.shape.size();
  for (std::size_t axis = 0; fits && axis < spec.shape.size(); ++axis) {
    fits = spec.shape[axis] < 0 || static_cast<std::uint64_t>(spec.shape[axis]) == view.shape[axis];
  }
  if (!fits) {
    return Error{Code::kInvalidArgument,
                 fmt::format("{} {} came, but {} is wanted", to_string(view.dtype),
                             to_string(view.shape), to_string(spec))};
  }
  return {};
}

bool compatible(const TensorSpec& left, const TensorSpec& right) {
  if (left.dtype != right.dtype || left.shape.size() != right.shape.size()) {
    return false;
  }
  for (std::size_t axis = 0; axis < left.shape.size(); ++axis) {
    const std::int64_t a = left.shape[axis];
    const std::int64_t b = right.shape[axis];
    if (a >= 0 && b >= 0 && a != b) {
      return false;
    }
  }
  return true;
}

}  // namespace braid
