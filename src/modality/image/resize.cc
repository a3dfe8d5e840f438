#include "modality/image/resize.h"

#include <algorithm>
#include <span>
#include <vector>

#include "modality/image/kernels.h"

namespace braid {
namespace {

/// Pillow's passes.
struct RoundedPasses {
  using Value = std::uint8_t;
  PairedWeights across;

  explicit RoundedPasses(const AxisWeights& weights) : across(weights) {}
  void along_row(const std::uint8_t* from, std::uint8_t* to) const {
    braid::along_row(across, from, to);
  }
  static void along_columns(std::span<const std::int32_t> weights,
                            std::span<const std::uint8_t* const> rows, std::span<std::uint8_t> to) {
    braid::along_columns(weights, rows, to);
  }
};

/// Few taps, so plain loops do.
struct ExactPasses {
  using Value = float;
  const AxisWeights& across;

  explicit ExactPasses(const AxisWeights& weights) : across(weights) {}
  void along_row(const std::uint8_t* from, float* to) const {
    for (std::size_t x = 0; x < across.count(); ++x) {
      const std::span<const std::int32_t> weights = across.weights(x);
      const std::uint8_t* pixel = from + across.first(x) * kPixelBytes;
      float* sums = to + x * kPixelBytes;
      std::fill_n(sums, kPixelBytes, 0.0F);
      for (std::size_t i = 0; i < weights.size(); ++i, pixel += kPixelBytes) {
        for (std::size_t c = 0; c < kPixelBytes; ++c) {
          sums[c] += weight_of(weights[i]) * static_cast<float>(pixel[c]);
        }
      }
    }
  }
  static void along_columns(std::span<const std::int32_t> weights,
                            std::span<const float* const> rows, std::span<std::uint8_t> to) {
    for (std::size_t x = 0; x < to.size(); ++x) {
      float sum = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        sum += weight_of(weights[i]) * rows[i][x];
      }
      to[x] = static_cast<std::uint8_t>(std::clamp(sum + 0.5F, 0.0F, 255.0F));
    }
  }
  static float weight_of(std::int32_t weight) {
    return static_cast<float>(weight) / static_cast<float>(1 << AxisWeights::kFractionBits);
  }
};

/// The first pass runs once a source row; as many of its rows are kept as the second one spans.
template <typename Passes>
void run(const Passes& passes, const Picture& from, const AxisWeights& down, std::size_t width,
         const RowSink& sink) {
  using Value = typename Passes::Value;
  const std::size_t stride = (width * kPixelBytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  const std::size_t ring_rows = down.weights_max();
  std::vector<Value> ring(ring_rows * stride);
  std::vector<const Value*> rows;
  std::vector<std::uint8_t> out(stride);
  const auto ring_row = [&](std::size_t y) { return ring.data() + y % ring_rows * stride; };

  std::size_t next = 0;  // the first source row that is not in the ring
  for (std::size_t y = 0; y < down.count(); ++y) {
    const std::span<const std::int32_t> weights = down.weights(y);
    next = std::max(next, down.first(y));
    for (; next < down.first(y) + weights.size(); ++next) {
      passes.along_row(from.row(next), ring_row(next));
    }
    rows.clear();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      rows.push_back(ring_row(down.first(y) + i));
    }
    passes.along_columns(weights, rows, out);
    sink(y, out.data());
  }
}

}  // namespace

void resize(const Picture& from, const Framed& frame, const Resampling& resampling,
            const RowSink& sink) {
  const auto& [left, top, size] = frame.window;
  const AxisWeights across({from.width(), frame.resized.width, left, size.width}, resampling);
  const AxisWeights down({from.height(), frame.resized.height, top, size.height}, resampling);
  if (resampling.antialias) {
    run(RoundedPasses(across), from, down, size.width, sink);
    return;
  }
  run(ExactPasses(across), from, down, size.width, sink);
}

}  // namespace braid
