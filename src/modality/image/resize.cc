#include "modality/image/resize.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "modality/image/kernels.h"

namespace braid {
namespace {

/// The latest rows that the first pass has made, each padded to whole blocks of the second.
class RowRing {
 public:
  RowRing(std::size_t row_count, std::size_t width)
      : row_count_(row_count),
        stride_((width * kPixelBytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes),
        bytes_(row_count * stride_) {}

  std::uint8_t* row(std::size_t y) { return bytes_.data() + y % row_count_ * stride_; }
  std::size_t stride() const { return stride_; }

 private:
  std::size_t row_count_;
  std::size_t stride_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

void resize(const Picture& from, const Framed& frame, const Resampling& resampling,
            const RowSink& sink) {
  const Extent size = frame.window.extent;
  const AxisWeights across({from.width(), frame.resized.width, frame.window.left, size.width},
                           resampling);
  const AxisWeights down({from.height(), frame.resized.height, frame.window.top, size.height},
                         resampling);
  const PairedWeights paired(across);
  RowRing ring(down.weights_max(), size.width);
  std::vector<std::uint8_t> out(ring.stride());
  std::vector<const std::uint8_t*> rows;

  std::size_t next = 0;  // the first source row that is not in the ring
  for (std::size_t y = 0; y < size.height; ++y) {
    const std::span<const std::int32_t> weights = down.weights(y);
    next = std::max(next, down.first(y));
    for (; next < down.first(y) + weights.size(); ++next) {
      along_row(paired, from.row(next), ring.row(next));
    }
    rows.clear();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      rows.push_back(ring.row(down.first(y) + i));
    }
    along_columns(weights, rows, out);
    sink(y, out.data());
  }
}

}  // namespace braid
