#include "modality/volume/resample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "modality/volume/byte_order.h"

namespace braid {
namespace {

constexpr double kLargest = std::numeric_limits<float>::max();

template <typename T>
bool usable(T value) {
  return std::abs(value) <= static_cast<T>(kLargest);  // false for NaN
}

/// One axis of the walk: the file's steps and the tensor's.
struct Walk {
  std::size_t stride = 0;  // of the file, in voxels
  std::size_t extent = 0;  // of the file
  std::span<const Sample> samples;
  std::size_t out_stride = 0;  // in values
};

/// The axes from the one whose neighbours are farthest apart in the file to the nearest.
struct Walks {
  Walk slow;
  Walk mid;
  Walk fast;
};

Walks walks_of(const Grid& grid) {
  PerAxis<Walk> walks;
  std::size_t out_stride = 1;
  for (std::size_t i = 3; i > 0; --i) {
    const GridAxis& axis = grid.axes[i - 1];
    walks[i - 1] = {axis.source.stride, axis.source.extent, axis.samples, out_stride};
    out_stride *= axis.samples.size();
  }
  std::ranges::stable_sort(walks, std::greater<>(), &Walk::stride);
  return {walks[0], walks[1], walks[2]};
}

/// Stored numbers of type T, big-endian if `swapped`, computed with in type A.
template <typename T, bool swapped, typename A>
class Resampler {
 public:
  Resampler(const char* voxels, const Grid& grid, double slope, double intercept, double fill)
      : voxels_(voxels),
        walks_(walks_of(grid)),
        slope_(slope),
        intercept_(intercept),
        fill_(static_cast<float>(fill)),
        stored_fill_(static_cast<A>(std::clamp((fill - intercept) / slope, -kLargest, kLargest))) {
    plane_.resize(walks_.mid.extent * walks_.fast.extent);
    line_.resize(walks_.fast.extent);
  }

  void fill(std::span<float> out) {
    for (std::size_t s = 0; s < walks_.slow.samples.size(); ++s) {
      const std::span<float> plane = out.subspan(s * walks_.slow.out_stride);
      rows_made_.assign(walks_.mid.extent, false);
      for (std::size_t m = 0; m < walks_.mid.samples.size(); ++m) {
        fill_row(walks_.slow.samples[s], walks_.mid.samples[m],
                 plane.subspan(m * walks_.mid.out_stride));
      }
    }
  }

 private:
  void fill_row(const Sample& slow, const Sample& mid, std::span<float> out) {
    const std::span<const Sample> samples = walks_.fast.samples;
    const std::size_t step = walks_.fast.out_stride;
    if (slow.first == Sample::kOutside || mid.first == Sample::kOutside) {
      for (std::size_t f = 0; f < samples.size(); ++f) {
        out[f * step] = fill_;
      }
      return;
    }
    const A* line = line_of(slow, mid);
    for (std::size_t f = 0; f < samples.size(); ++f) {
      const Sample& sample = samples[f];
      if (sample.first == Sample::kOutside) {
        out[f * step] = fill_;
        continue;
      }
      const A first = line[sample.first];
      const A value = first + static_cast<A>(sample.weight) * (line[sample.second] - first);
      const double scaled = static_cast<double>(value) * slope_ + intercept_;
      out[f * step] = static_cast<float>(std::clamp(scaled, -kLargest, kLargest));
    }
  }

  /// The mean of the four rows around.
  const A* line_of(const Sample& slow, const Sample& mid) {
    const A* first = row_of(slow, mid.first);
    if (mid.weight == 0) {
      return first;
    }
    mix(first, row_of(slow, mid.second), static_cast<A>(mid.weight), line_.data());
    return line_.data();
  }

  /// Of the plane between two of the file; each row is made once a plane, if it is needed.
  const A* row_of(const Sample& slow, std::size_t row_index) {
    const std::size_t extent = walks_.fast.extent;
    A* row = plane_.data() + row_index * extent;
    if (rows_made_[row_index]) {
      return row;
    }
    rows_made_[row_index] = true;
    load(slow.first, row_index, row);
    if (slow.weight != 0) {
      other_.resize(extent);
      load(slow.second, row_index, other_.data());
      mix(row, other_.data(), static_cast<A>(slow.weight), row);
    }
    return row;
  }

  void mix(const A* first, const A* second, A weight, A* into) const {
    for (std::size_t i = 0; i < walks_.fast.extent; ++i) {
      into[i] = first[i] + weight * (second[i] - first[i]);
    }
  }

  void load(std::size_t slow_index, std::size_t mid_index, A* into) const {
    const std::size_t begin = slow_index * walks_.slow.stride + mid_index * walks_.mid.stride;
    const char* from = voxels_ + begin * sizeof(T);
    if (walks_.fast.stride == 1) {
      load_steps(from, sizeof(T), into);
    } else {
      load_steps(from, walks_.fast.stride * sizeof(T), into);
    }
  }

  // Inlined with a constant step, so that the compiler makes vectors of the usual case.
  [[gnu::always_inline]] void load_steps(const char* from, std::size_t step_bytes, A* into) const {
    for (std::size_t i = 0; i < walks_.fast.extent; ++i) {
      const T value = load_value<T, swapped>(from + i * step_bytes);
      if constexpr (std::is_floating_point_v<T>) {
        into[i] = usable(value) ? static_cast<A>(value) : stored_fill_;
      } else {
        into[i] = static_cast<A>(value);
      }
    }
  }

  const char* voxels_;
  Walks walks_;
  double slope_;
  double intercept_;
  float fill_;
  A stored_fill_;  // what becomes `fill` when it is scaled
  std::vector<A> plane_;
  std::vector<A> line_;
  std::vector<A> other_;
  std::vector<bool> rows_made_;
};

/// Calls `work` with a null pointer of the stored type.
template <typename Work>
void with_type(DType dtype, Work work) {
  switch (dtype) {
    case DType::kUint8:
      return work(static_cast<const std::uint8_t*>(nullptr));
    case DType::kInt8:
      return work(static_cast<const std::int8_t*>(nullptr));
    case DType::kUint16:
      return work(static_cast<const std::uint16_t*>(nullptr));
    case DType::kInt16:
      return work(static_cast<const std::int16_t*>(nullptr));
    case DType::kUint32:
      return work(static_cast<const std::uint32_t*>(nullptr));
    case DType::kInt32:
      return work(static_cast<const std::int32_t*>(nullptr));
    case DType::kUint64:
      return work(static_cast<const std::uint64_t*>(nullptr));
    case DType::kInt64:
      return work(static_cast<const std::int64_t*>(nullptr));
    case DType::kFp32:
      return work(static_cast<const float*>(nullptr));
    case DType::kFp64:
      return work(static_cast<const double*>(nullptr));
    default:
      BRAID_CHECK(false);  // the readers announce no other
  }
}

template <typename T>
using Computed = std::conditional_t<sizeof(T) <= 2 || std::is_same_v<T, float>, float, double>;

template <typename T, bool swapped>
std::size_t not_finite(Bytes bytes) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    count += usable(load_value<T, swapped>(bytes.data() + i)) ? 0 : 1;
  }
  return count;
}

}  // namespace

void resample(const Voxels& voxels, std::size_t channel_index, const Grid& grid, double fill,
              std::span<float> out) {
  const VoxelLayout& layout = voxels.layout;
  const char* begin =
      voxels.bytes.data() + channel_index * layout.channel_stride * element_size(layout.dtype);
  with_type(layout.dtype, [&]<typename T>(const T*) {
    if (layout.swapped && sizeof(T) > 1) {
      Resampler<T, true, Computed<T>>(begin, grid, layout.slope, layout.intercept, fill).fill(out);
    } else {
      Resampler<T, false, Computed<T>>(begin, grid, layout.slope, layout.intercept, fill).fill(out);
    }
  });
}

std::size_t count_not_finite(const Voxels& voxels) {
  std::size_t count = 0;
  with_type(voxels.layout.dtype, [&]<typename T>(const T*) {
    if constexpr (std::is_floating_point_v<T>) {
      count = voxels.layout.swapped ? not_finite<T, true>(voxels.bytes)
                                    : not_finite<T, false>(voxels.bytes);
    }
  });
  return count;
}

}  // namespace braid
