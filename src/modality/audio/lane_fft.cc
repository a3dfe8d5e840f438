#include "modality/audio/lane_fft.h"

#include <array>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace braid {
namespace {

constexpr std::size_t kSizeMax = std::size_t{1} << 16;

/// Two neighbouring Lanes: the even samples are the real part, the odd ones the imaginary part.
struct Complex {
  Lanes re;
  Lanes im;
};

[[gnu::always_inline]] inline void butterfly(std::array<Complex, 2>& a) {
  const Complex x = a[0];
  a[0].re.v = x.re.v + a[1].re.v;
  a[0].im.v = x.im.v + a[1].im.v;
  a[1].re.v = x.re.v - a[1].re.v;
  a[1].im.v = x.im.v - a[1].im.v;
}

/// to = base ∓ i · turned, which is where the radices 3, 4 and 5 end.
[[gnu::always_inline]] inline void split(const Complex& base, const Complex& turned, Complex& first,
                                         Complex& second) {
  first.re.v = base.re.v + turned.im.v;
  first.im.v = base.im.v - turned.re.v;
  second.re.v = base.re.v - turned.im.v;
  second.im.v = base.im.v + turned.re.v;
}

[[gnu::always_inline]] inline void sum_and_difference(const Complex& a, const Complex& b,
                                                      Complex& sum, Complex& difference) {
  sum.re.v = a.re.v + b.re.v;
  sum.im.v = a.im.v + b.im.v;
  difference.re.v = a.re.v - b.re.v;
  difference.im.v = a.im.v - b.im.v;
}

/// p · a + q · b
[[gnu::always_inline]] inline void weigh(float p, const Complex& a, float q, const Complex& b,
                                         Complex& to) {
  to.re.v = p * a.re.v + q * b.re.v;
  to.im.v = p * a.im.v + q * b.im.v;
}

[[gnu::always_inline]] inline void butterfly(std::array<Complex, 3>& a) {
  constexpr float kSine = 0.866025403784438647F;
  Complex sum;
  Complex difference;
  sum_and_difference(a[1], a[2], sum, difference);
  Complex base;
  weigh(1, a[0], -0.5F, sum, base);
  a[0].re.v += sum.re.v;
  a[0].im.v += sum.im.v;
  difference.re.v *= kSine;
  difference.im.v *= kSine;
  split(base, difference, a[1], a[2]);
}

[[gnu::always_inline]] inline void butterfly(std::array<Complex, 4>& a) {
  Complex sums[2];
  Complex differences[2];
  sum_and_difference(a[0], a[2], sums[0], differences[0]);
  sum_and_difference(a[1], a[3], sums[1], differences[1]);
  sum_and_difference(sums[0], sums[1], a[0], a[2]);
  split(differences[0], differences[1], a[1], a[3]);
}

[[gnu::always_inline]] inline void butterfly(std::array<Complex, 5>& a) {
  constexpr float kCosine1 = 0.309016994374947424F;   // of 72°
  constexpr float kCosine2 = -0.809016994374947424F;  // of 144°
  constexpr float kSine1 = 0.951056516295153572F;
  constexpr float kSine2 = 0.587785252292473129F;
  Complex sums[2];
  Complex differences[2];
  sum_and_difference(a[1], a[4], sums[0], differences[0]);
  sum_and_difference(a[2], a[3], sums[1], differences[1]);
  Complex base;
  Complex turned;
  Complex ends[4];
  weigh(kCosine1, sums[0], kCosine2, sums[1], base);
  weigh(1, base, 1, a[0], base);
  weigh(kSine1, differences[0], kSine2, differences[1], turned);
  split(base, turned, ends[0], ends[3]);
  weigh(kCosine2, sums[0], kCosine1, sums[1], base);
  weigh(1, base, 1, a[0], base);
  weigh(kSine2, differences[0], -kSine1, differences[1], turned);
  split(base, turned, ends[1], ends[2]);
  a[0].re.v += sums[0].re.v + sums[1].re.v;
  a[0].im.v += sums[0].im.v + sums[1].im.v;
  for (std::size_t k = 0; k < 4; ++k) {
    a[k + 1] = ends[k];
  }
}

#ifdef __x86_64__
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
#endif

}  // namespace

/// The passes, inlined once for each kind of CPU. Stockham's order: no bits are reversed.
struct LaneFftRunner {
  template <std::size_t kRadix>
  [[gnu::always_inline]] static void pass(const LaneFft& fft, const LaneFft::Pass& pass,
                                          const Complex* from, Complex* to) {
    const LaneFft::Twiddle* twiddles = fft.twiddles_.data() + pass.twiddles_begin;
    for (std::size_t p = 0; p < pass.rest; ++p, twiddles += kRadix - 1) {
      for (std::size_t q = 0; q < pass.stride; ++q) {
        std::array<Complex, kRadix> a;
        for (std::size_t j = 0; j < kRadix; ++j) {
          a[j] = from[q + pass.stride * (p + pass.rest * j)];
        }
        butterfly(a);
        Complex* out = to + q + pass.stride * kRadix * p;
        out[0] = a[0];
        for (std::size_t k = 1; k < kRadix; ++k) {
          const LaneFft::Twiddle turn = twiddles[k - 1];
          Complex& end = out[pass.stride * k];
          end.re.v = a[k].re.v * turn.re - a[k].im.v * turn.im;
          end.im.v = a[k].re.v * turn.im + a[k].im.v * turn.re;
        }
      }
    }
  }

  /// Z of half the size to |X|²: X[k] and X[half - k] come from the same two numbers.
  [[gnu::always_inline]] static void unpack(const LaneFft& fft, const Complex* z, Lanes* powers) {
    const std::size_t half = fft.size_ / 2;
    const Lanes first = {z[0].re.v + z[0].im.v};
    const Lanes last = {z[0].re.v - z[0].im.v};
    powers[0].v = first.v * first.v;
    powers[half].v = last.v * last.v;
    for (std::size_t k = 1; k <= half / 2; ++k) {
      const Complex& low = z[k];
      const Complex& high = z[half - k];
      const LaneFft::Twiddle turn = fft.unpacking_[k];
      Complex even;
      even.re.v = 0.5F * (low.re.v + high.re.v);
      even.im.v = 0.5F * (low.im.v - high.im.v);
      Complex odd;
      odd.re.v = 0.5F * (low.im.v + high.im.v);
      odd.im.v = 0.5F * (high.re.v - low.re.v);
      Complex turned;
      turned.re.v = odd.re.v * turn.re - odd.im.v * turn.im;
      turned.im.v = odd.re.v * turn.im + odd.im.v * turn.re;
      Complex sum;
      Complex difference;
      sum_and_difference(even, turned, sum, difference);
      powers[k].v = sum.re.v * sum.re.v + sum.im.v * sum.im.v;
      powers[half - k].v = difference.re.v * difference.re.v + difference.im.v * difference.im.v;
    }
  }

  [[gnu::always_inline]] static void run(const LaneFft& fft, Complex* frames, Complex* scratch,
                                         Lanes* powers) {
    for (const LaneFft::Pass& each : fft.passes_) {
      switch (each.radix) {
        case 2:
          pass<2>(fft, each, frames, scratch);
          break;
        case 3:
          pass<3>(fft, each, frames, scratch);
          break;
        case 4:
          pass<4>(fft, each, frames, scratch);
          break;
        default:
          pass<5>(fft, each, frames, scratch);
      }
      std::swap(frames, scratch);
    }
    unpack(fft, frames, powers);
  }

#ifdef __x86_64__
  [[gnu::target("avx2")]] static void run_avx2(const LaneFft& fft, Complex* frames,
                                               Complex* scratch, Lanes* powers) {
    run(fft, frames, scratch, powers);
  }
#endif
  static void run_portable(const LaneFft& fft, Complex* frames, Complex* scratch, Lanes* powers) {
    run(fft, frames, scratch, powers);
  }
};

bool LaneFft::can_do(std::size_t size) {
  if (size < 4 || size > kSizeMax || size % 2 != 0) {
    return false;
  }
  for (const std::size_t prime : {2U, 3U, 5U}) {
    while (size % prime == 0) {
      size /= prime;
    }
  }
  return size == 1;
}

std::size_t LaneFft::next_size(std::size_t size) {
  while (!can_do(size)) {
    ++size;
  }
  return size;
}

LaneFft::LaneFft(std::size_t size) : size_(size) {
  BRAID_CHECK(can_do(size));
  const auto turn = [](std::size_t part, std::size_t whole) {
    const double angle =
        -2 * std::numbers::pi * static_cast<double>(part) / static_cast<double>(whole);
    return Twiddle{static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
  };
  std::size_t points = size / 2;
  std::size_t stride = 1;
  while (points > 1) {
    std::size_t radix = 4;
    while (points % radix != 0) {
      radix = radix == 4 ? 2 : radix == 2 ? 3 : 5;
    }
    const std::size_t rest = points / radix;
    passes_.push_back({radix, rest, stride, twiddles_.size()});
    for (std::size_t p = 0; p < rest; ++p) {
      for (std::size_t k = 1; k < radix; ++k) {
        twiddles_.push_back(turn(p * k, points));
      }
    }
    points = rest;
    stride *= radix;
  }
  for (std::size_t k = 0; k <= size / 4; ++k) {
    unpacking_.push_back(turn(k, size));
  }
}

void LaneFft::powers(std::span<Lanes> frames, std::span<Lanes> scratch,
                     std::span<Lanes> powers) const {
  BRAID_CHECK(frames.size() == size_);
  BRAID_CHECK(scratch.size() == size_);
  BRAID_CHECK(powers.size() == bin_count());
  auto* const z = reinterpret_cast<Complex*>(frames.data());
  auto* const other = reinterpret_cast<Complex*>(scratch.data());
#ifdef __x86_64__
  if (has_avx2()) {
    LaneFftRunner::run_avx2(*this, z, other, powers.data());
    return;
  }
#endif
  LaneFftRunner::run_portable(*this, z, other, powers.data());
}

}  // namespace braid
