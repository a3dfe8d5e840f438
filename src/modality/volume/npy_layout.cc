#include "modality/volume/npy_layout.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "modality/volume/byte_order.h"

namespace braid {
namespace {

Error wrong(std::string_view why) {
  return Error{Code::kInvalidArgument, fmt::format("the NumPy array {}", why)};
}

struct Dictionary {
  std::string_view text;  // as Python writes it
  std::size_t data_begin = 0;
};

Result<Dictionary> find_dictionary(Bytes start) {
  constexpr std::size_t kFixed = 12;
  if (start.size() < kFixed) {
    return wrong("ends within its header");
  }
  const bool is_long = start[6] != 1;
  const std::size_t begin = is_long ? kFixed : kFixed - 2;
  const std::size_t length = is_long ? load_value<std::uint32_t, false>(start.data() + 8)
                                     : load_value<std::uint16_t, false>(start.data() + 8);
  if (length > start.size() - begin) {
    return wrong(
        fmt::format("claims a header of {} bytes; its type may be a structure, or it "
                    "ends there",
                    length));
  }
  return Dictionary{start.substr(begin, length), begin + length};
}

/// What stands between `before` and the next `after`; empty when either is not there.
std::string_view between(std::string_view text, std::string_view before, char after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(begin + before.size());
  const std::size_t end = text.find(after);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

Result<void> read_type(std::string_view text, VoxelLayout& layout) {
  struct Known {
    std::string_view name;
    DType dtype;
  };
  static constexpr Known kKnown[] = {
      {"u1", DType::kUint8}, {"i1", DType::kInt8},   {"b1", DType::kUint8}, {"u2", DType::kUint16},
      {"i2", DType::kInt16}, {"u4", DType::kUint32}, {"i4", DType::kInt32}, {"u8", DType::kUint64},
      {"i8", DType::kInt64}, {"f4", DType::kFp32},   {"f8", DType::kFp64}};
  const std::string_view type = between(text, "'descr': '", '\'').substr(0, 20);
  for (const Known& known : kKnown) {
    if (type.size() == 3 && type.substr(1) == known.name) {
      layout.dtype = known.dtype;
      layout.swapped = type[0] == '>';
      return {};
    }
  }
  return Error{Code::kUnsupported,
               fmt::format("a NumPy array of type '{}'; save it with astype('<f4')", type)};
}

Result<std::vector<std::int64_t>> read_shape(std::string_view text) {
  std::vector<std::int64_t> shape;
  while (!text.empty()) {
    std::int64_t extent = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (failure != std::errc() || extent < 1) {
      return wrong("has a shape that is no list of numbers from 1 up");
    }
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
  }
  if (shape.size() != 3 && shape.size() != 4) {
    return wrong(fmt::format("has {} axes; [depth, height, width] is wanted, or channels first",
                             shape.size()));
  }
  return shape;
}

}  // namespace

Result<VoxelLayout> parse_npy(Bytes start, const VolumeLimits& limits) {
  BRAID_TRY(const Dictionary dictionary, find_dictionary(start));
  VoxelLayout layout;
  layout.data_begin = dictionary.data_begin;
  BRAID_TRY_DO(read_type(dictionary.text, layout));
  BRAID_TRY(const std::vector<std::int64_t> shape,
            read_shape(between(dictionary.text, "'shape': (", ')')));
  BRAID_TRY(const std::size_t count, count_voxels(shape, limits));
  const bool column_major = between(dictionary.text, "'fortran_order': ", ',') == "True";
  std::vector<std::size_t> strides(shape.size());
  std::size_t stride = column_major ? 1 : count;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto extent = static_cast<std::size_t>(shape[i]);
    strides[i] = column_major ? stride : stride / extent;
    stride = column_major ? stride * extent : strides[i];
  }
  const std::size_t first = shape.size() - 3;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    layout.axes[axis] = {static_cast<std::size_t>(shape[first + axis]), strides[first + axis]};
  }
  if (first == 1) {
    layout.channel_count = static_cast<std::size_t>(shape[0]);
    layout.channel_stride = strides[0];
  }
  return layout;
}

}  // namespace braid
