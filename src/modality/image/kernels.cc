#include "modality/image/kernels.h"

#include <cstring>

#include "modality/image/picture.h"

namespace braid {
namespace {

// Vectors of the compiler, which g++ and clang lower to whatever the target has. They are passed by
// reference and the kernels inlined, so that AVX2 does not leak into code for every CPU.
constexpr std::size_t kLanes = 8;
using Ints = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));
using Chars = std::uint8_t __attribute__((vector_size(kLanes)));

constexpr std::int32_t kHalf = 1 << (AxisWeights::kFractionBits - 1);

[[gnu::always_inline]] inline void load(const std::uint8_t* from, Ints& into) {
  Chars bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  into = __builtin_convertvector(bytes, Ints);
}

[[gnu::always_inline]] inline void store(const Ints& sums, std::uint8_t* to,
                                         std::size_t byte_count) {
  Ints values = sums >> AxisWeights::kFractionBits;
  values = values < 0 ? Ints{} : values;
  values = values > 255 ? Ints{} + 255 : values;
  const Chars bytes = __builtin_convertvector(values, Chars);
  std::memcpy(to, &bytes, byte_count);
}

[[gnu::always_inline]] inline void row_kernel(const PairedWeights& weights,
                                              const std::uint8_t* from, std::uint8_t* to) {
  for (const PairedWeights::Pixel& pixel : weights.pixels()) {
    const std::uint8_t* source = from + pixel.source_byte;
    const std::int32_t* lanes = weights.lanes() + pixel.begin;
    Ints sums = {};
    for (std::size_t pair = 0; pair < pixel.pairs; ++pair) {
      Ints values;
      Ints factors;
      load(source + pair * kLanes, values);
      std::memcpy(&factors, lanes + pair * kLanes, sizeof factors);
      sums += values * factors;
    }
    for (std::size_t c = 0; c < kPixelBytes; ++c) {
      sums[c] += sums[c + kPixelBytes] + kHalf;
    }
    store(sums, to, kPixelBytes);
    to += kPixelBytes;
  }
}

[[gnu::always_inline]] inline void column_kernel(std::span<const std::int32_t> weights,
                                                 std::span<const std::uint8_t* const> rows,
                                                 std::span<std::uint8_t> to) {
  constexpr std::size_t kVectors = kBlockBytes / kLanes;
  for (std::size_t block = 0; block < to.size(); block += kBlockBytes) {
    Ints sums[kVectors];
    for (Ints& sum : sums) {
      sum = Ints{} + kHalf;
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        Ints values;
        load(rows[i] + block + v * kLanes, values);
        sums[v] += values * weights[i];
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      store(sums[v], to.data() + block + v * kLanes, kLanes);
    }
  }
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void row_avx2(const PairedWeights& weights, const std::uint8_t* from,
                                      std::uint8_t* to) {
  row_kernel(weights, from, to);
}

[[gnu::target("avx2")]] void column_avx2(std::span<const std::int32_t> weights,
                                         std::span<const std::uint8_t* const> rows,
                                         std::span<std::uint8_t> to) {
  column_kernel(weights, rows, to);
}

bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
#endif

}  // namespace

PairedWeights::PairedWeights(const AxisWeights& axis) {
  pixels_.reserve(axis.count());
  for (std::size_t x = 0; x < axis.count(); ++x) {
    const std::span<const std::int32_t> weights = axis.weights(x);
    pixels_.push_back({axis.first(x) * kPixelBytes, lanes_.size(), (weights.size() + 1) / 2});
    for (const std::int32_t weight : weights) {
      lanes_.insert(lanes_.end(), kPixelBytes, weight);
    }
    if (weights.size() % 2 == 1) {
      lanes_.insert(lanes_.end(), kPixelBytes, 0);
    }
  }
}

void along_row(const PairedWeights& weights, const std::uint8_t* from, std::uint8_t* to) {
#ifdef __x86_64__
  if (has_avx2()) {
    row_avx2(weights, from, to);
    return;
  }
#endif
  row_kernel(weights, from, to);
}

void along_columns(std::span<const std::int32_t> weights, std::span<const std::uint8_t* const> rows,
                   std::span<std::uint8_t> to) {
#ifdef __x86_64__
  if (has_avx2()) {
    column_avx2(weights, rows, to);
    return;
  }
#endif
  column_kernel(weights, rows, to);
}

}  // namespace braid
