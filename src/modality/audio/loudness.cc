#include "modality/audio/loudness.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace braid {
namespace {

using Whole [[gnu::vector_size(32)]] = std::int32_t;

/// factor · ln(x). x = 2^e · m with m in √½ … √2; ln m = 2 artanh(t), t = (m - 1) ÷ (m + 1), of
/// whose series five terms are as good as a float is.
[[gnu::always_inline]] inline void take_log(float factor, Lanes& value) {
  constexpr std::int32_t kHalfRoot = 0x3F3504F3;  // √½ as a float
  constexpr float kLn2 = 0.693147180559945309F;
  const Whole bits = reinterpret_cast<Whole>(value.v);
  const Whole exponent = (bits - kHalfRoot) >> 23;
  const Whole mantissa_bits = bits - (exponent << 23);
  const Lanes::Vector m = reinterpret_cast<Lanes::Vector>(mantissa_bits);
  const Lanes::Vector t = (m - 1.0F) / (m + 1.0F);
  const Lanes::Vector t2 = t * t;
  const Lanes::Vector series =
      2 * t * (1 + t2 * (1.0F / 3 + t2 * (1.0F / 5 + t2 * (1.0F / 7 + t2 * (1.0F / 9)))));
  value.v = factor * (series + __builtin_convertvector(exponent, Lanes::Vector) * kLn2);
}

[[gnu::always_inline]] inline void run(const LogOptions& options, float factor,
                                       std::span<Lanes> values) {
  for (Lanes& value : values) {
    if (options.add_floor) {
      value.v += options.floor;
    } else {
      value.v = value.v > options.floor ? value.v : Lanes::Vector{} + options.floor;
    }
    take_log(factor, value);
  }
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void run_avx2(const LogOptions& options, float factor,
                                      std::span<Lanes> values) {
  run(options, factor, values);
}
#endif

float factor_of(const LogOptions& options) {
  switch (options.unit) {
    case LogUnit::kDecibel:
      return static_cast<float>((options.of_amplitudes ? 20 : 10) / std::log(10.0));
    case LogUnit::kTen:
      return static_cast<float>(1 / std::log(10.0));
    case LogUnit::kNatural:
    case LogUnit::kNone:
      break;
  }
  return 1;
}

}  // namespace

Loudness::Loudness(const LogOptions& options) : options_(options), factor_(factor_of(options)) {}

void Loudness::apply(std::span<Lanes> values) const {
  if (options_.unit == LogUnit::kNone) {
    return;
  }
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") != 0) {
    run_avx2(options_, factor_, values);
    return;
  }
#endif
  run(options_, factor_, values);
}

void Loudness::finish(Grid& grid) const {
  if (options_.unit == LogUnit::kNone || grid.values.empty()) {
    return;
  }
  float largest = *std::ranges::max_element(grid.values);
  if (options_.relative) {
    for (float& value : grid.values) {
      value -= largest;
    }
    largest = 0;
  }
  if (options_.range > 0) {
    const float least = largest - options_.range;
    for (float& value : grid.values) {
      value = std::max(value, least);
    }
  }
}

}  // namespace braid
