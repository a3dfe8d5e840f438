#include "modality/image/kernels.h"

#include <algorithm>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "modality/image/picture.h"

namespace braid {
namespace {

constexpr std::size_t kLanes = 8;
constexpr int kShift = AxisWeights::kFractionBits;
constexpr std::int32_t kHalf = 1 << (kShift - 1);

std::uint8_t clipped(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kShift, 0, 255));
}

/// Inlined into functions for both kinds of CPU, where the compiler makes vectors of it.
[[gnu::always_inline]] inline void luma_loop(const std::uint8_t* pixels,
                                             std::span<std::int32_t> lumas) {
  for (std::size_t x = 0; x < lumas.size(); ++x) {
    std::uint32_t pixel;  // red is its lowest byte
    std::memcpy(&pixel, pixels + x * kPixelBytes, sizeof pixel);
    const std::uint32_t sum =
        (pixel & 0xFF) * 19595 + (pixel >> 8 & 0xFF) * 38470 + (pixel >> 16 & 0xFF) * 7471 + 0x8000;
    lumas[x] = static_cast<std::int32_t>(sum >> 16);
  }
}

[[gnu::always_inline]] inline void laplacian_loop(std::span<const std::int32_t> above,
                                                  std::span<const std::int32_t> row,
                                                  std::span<const std::int32_t> below,
                                                  LaplacianSums& total) {
  constexpr std::size_t kChunk = 1024;  // |value| ≤ 1020, so the squares of a chunk fit 32 bits
  const std::size_t end = row.size() - 1;
  for (std::size_t begin = 1; begin < end; begin += kChunk) {
    std::int32_t values = 0;
    std::int32_t squares = 0;
    for (std::size_t x = begin; x < std::min(begin + kChunk, end); ++x) {
      const std::int32_t value = above[x] + below[x] + row[x - 1] + row[x + 1] - 4 * row[x];
      values += value;
      squares += value * value;
    }
    total.values += values;
    total.squares += squares;
  }
}

#ifdef __x86_64__
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }

/// Two pixels as eight integers. The compiler's own conversion of a vector (g++ 12) goes byte by
/// byte: the resize took three times as long.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i load(const std::uint8_t* from) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
}

/// Sixteen sums to bytes; the packing clips.
[[gnu::target("avx2"), gnu::always_inline]] inline __m128i packed(__m128i a, __m128i b, __m128i c,
                                                                  __m128i d) {
  const __m128i left = _mm_packs_epi32(_mm_srai_epi32(a, kShift), _mm_srai_epi32(b, kShift));
  const __m128i right = _mm_packs_epi32(_mm_srai_epi32(c, kShift), _mm_srai_epi32(d, kShift));
  return _mm_packus_epi16(left, right);
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m128i pixel_sum(
    const PairedWeights::Pixel& pixel, const std::uint8_t* from, const std::int32_t* lanes) {
  from += pixel.source_byte;
  lanes += pixel.begin;
  __m256i sums = _mm256_setzero_si256();
  for (std::size_t pair = 0; pair < pixel.pairs; ++pair) {
    const auto* factors = reinterpret_cast<const __m256i*>(lanes + pair * kLanes);
    sums = _mm256_add_epi32(
        sums, _mm256_mullo_epi32(load(from + pair * kLanes), _mm256_loadu_si256(factors)));
  }
  const __m128i both =
      _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  return _mm_add_epi32(both, _mm_set1_epi32(kHalf));
}

[[gnu::target("avx2")]] void row_avx2(const PairedWeights& weights, const std::uint8_t* from,
                                      std::uint8_t* to) {
  const auto pixels = weights.pixels();
  for (std::size_t x = 0; x < pixels.size(); x += 4) {
    __m128i sums[4];
    for (std::size_t i = 0; i < 4; ++i) {  // behind the last pixel it is made again
      sums[i] = pixel_sum(pixels[std::min(x + i, pixels.size() - 1)], from, weights.lanes());
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + x * kPixelBytes),
                     packed(sums[0], sums[1], sums[2], sums[3]));
  }
}

[[gnu::target("avx2")]] void columns_avx2(std::span<const std::int32_t> weights,
                                          std::span<const std::uint8_t* const> rows,
                                          std::span<std::uint8_t> to) {
  for (std::size_t block = 0; block < to.size(); block += kBlockBytes) {
    __m256i sums[4];
    for (__m256i& sum : sums) {
      sum = _mm256_set1_epi32(kHalf);
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const __m256i factor = _mm256_set1_epi32(weights[i]);
      for (std::size_t v = 0; v < 4; ++v) {
        const __m256i values = load(rows[i] + block + v * kLanes);
        sums[v] = _mm256_add_epi32(sums[v], _mm256_mullo_epi32(values, factor));
      }
    }
    for (std::size_t v = 0; v < 4; v += 2) {
      _mm_storeu_si128(
          reinterpret_cast<__m128i*>(to.data() + block + v * kLanes),
          packed(_mm256_castsi256_si128(sums[v]), _mm256_extracti128_si256(sums[v], 1),
                 _mm256_castsi256_si128(sums[v + 1]), _mm256_extracti128_si256(sums[v + 1], 1)));
    }
  }
}

[[gnu::target("avx2")]] void lumas_avx2(const std::uint8_t* pixels, std::span<std::int32_t> lumas) {
  luma_loop(pixels, lumas);
}

[[gnu::target("avx2")]] void laplacian_avx2(std::span<const std::int32_t> above,
                                            std::span<const std::int32_t> row,
                                            std::span<const std::int32_t> below,
                                            LaplacianSums& total) {
  laplacian_loop(above, row, below, total);
}
#else
// Never called: has_avx2() is false.
bool has_avx2() { return false; }
constexpr auto row_avx2 = portable::along_row;
constexpr auto columns_avx2 = portable::along_columns;
constexpr auto lumas_avx2 = luma_loop;
constexpr auto laplacian_avx2 = laplacian_loop;
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

void portable::along_row(const PairedWeights& weights, const std::uint8_t* from, std::uint8_t* to) {
  for (const PairedWeights::Pixel& pixel : weights.pixels()) {
    const std::uint8_t* source = from + pixel.source_byte;
    const std::int32_t* factors = weights.lanes() + pixel.begin;
    std::int32_t sums[kLanes] = {};
    for (std::size_t i = 0; i < pixel.pairs * kLanes; ++i) {
      sums[i % kLanes] += source[i] * factors[i];
    }
    for (std::size_t c = 0; c < kPixelBytes; ++c) {
      *to++ = clipped(sums[c] + sums[c + kPixelBytes] + kHalf);
    }
  }
}

void portable::along_columns(std::span<const std::int32_t> weights,
                             std::span<const std::uint8_t* const> rows,
                             std::span<std::uint8_t> to) {
  for (std::size_t block = 0; block < to.size(); block += kBlockBytes) {
    std::int32_t sums[kBlockBytes];
    std::fill_n(sums, kBlockBytes, kHalf);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t x = 0; x < kBlockBytes; ++x) {
        sums[x] += rows[i][block + x] * weights[i];
      }
    }
    for (std::size_t x = 0; x < kBlockBytes; ++x) {
      to[block + x] = clipped(sums[x]);
    }
  }
}

void along_row(const PairedWeights& weights, const std::uint8_t* from, std::uint8_t* to) {
  return has_avx2() ? row_avx2(weights, from, to) : portable::along_row(weights, from, to);
}

void along_columns(std::span<const std::int32_t> weights, std::span<const std::uint8_t* const> rows,
                   std::span<std::uint8_t> to) {
  return has_avx2() ? columns_avx2(weights, rows, to) : portable::along_columns(weights, rows, to);
}

void lumas_of(const std::uint8_t* pixels, std::span<std::int32_t> lumas) {
  return has_avx2() ? lumas_avx2(pixels, lumas) : luma_loop(pixels, lumas);
}

LaplacianSums laplacian_sums(std::span<const std::int32_t> above, std::span<const std::int32_t> row,
                             std::span<const std::int32_t> below) {
  LaplacianSums total;
  has_avx2() ? laplacian_avx2(above, row, below, total) : laplacian_loop(above, row, below, total);
  return total;
}

}  // namespace braid
