#include "modality/audio/mel_bank.h"

#include <algorithm>
#include <cmath>

namespace braid {
namespace {

constexpr double kSlaneyHz = 200.0 / 3;  // of a mel, below the break
constexpr double kSlaneyBreakHz = 1000;
constexpr double kSlaneyBreakMel = kSlaneyBreakHz / kSlaneyHz;
const double kSlaneyStep = std::log(6.4) / 27;  // of a mel, above the break
const double kHtkFactor = 2595 / std::log(10.0);
constexpr double kKaldiFactor = 1127;

double mel_of(double hz, MelScale scale) {
  if (scale != MelScale::kSlaney) {
    return (scale == MelScale::kHtk ? kHtkFactor : kKaldiFactor) * std::log1p(hz / 700);
  }
  return hz < kSlaneyBreakHz ? hz / kSlaneyHz
                             : kSlaneyBreakMel + std::log(hz / kSlaneyBreakHz) / kSlaneyStep;
}

double hz_of(double mel, MelScale scale) {
  if (scale != MelScale::kSlaney) {
    return 700 * std::expm1(mel / (scale == MelScale::kHtk ? kHtkFactor : kKaldiFactor));
  }
  return mel < kSlaneyBreakMel ? mel * kSlaneyHz
                               : kSlaneyBreakHz * std::exp(kSlaneyStep * (mel - kSlaneyBreakMel));
}

#ifdef __x86_64__
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
#endif

}  // namespace

MelBank::MelBank(const MelOptions& options, std::int64_t rate, std::size_t fft_size) {
  const bool in_mel = options.scale == MelScale::kKaldi;
  const double low = mel_of(options.f_min, options.scale);
  const double step =
      (mel_of(options.f_max, options.scale) - low) / static_cast<double>(options.bands + 1);
  // Corner i is where band i - 1 is highest; in Hz, or for Kaldi in mel.
  const auto corner = [&](std::size_t i) {
    const double mel = low + step * static_cast<double>(i);
    return in_mel ? mel : hz_of(mel, options.scale);
  };
  // Kaldi leaves the bin of half the rate out.
  const std::size_t bin_count = fft_size / 2 + (in_mel ? 0 : 1);
  for (std::size_t band = 0; band < options.bands; ++band) {
    const double left = corner(band);
    const double top = corner(band + 1);
    const double right = corner(band + 2);
    const double area = options.area_norm ? 2 / (right - left) : 1;
    Filter filter = {0, weights_.size(), 0};
    for (std::size_t bin = 0; bin < bin_count; ++bin) {
      const double hz =
          static_cast<double>(rate) * static_cast<double>(bin) / static_cast<double>(fft_size);
      const double place = in_mel ? mel_of(hz, options.scale) : hz;
      const double weight =
          area * std::min((place - left) / (top - left), (right - place) / (right - top));
      if (weight > 0) {
        filter.first_bin = filter.count == 0 ? bin : filter.first_bin;
        ++filter.count;
        weights_.push_back(static_cast<float>(weight));
      }
    }
    filters_.push_back(filter);
  }
}

float MelBank::weight(std::size_t band, std::size_t bin) const {
  const Filter& filter = filters_[band];
  const bool inside = bin >= filter.first_bin && bin < filter.first_bin + filter.count;
  return inside ? weights_[filter.begin + bin - filter.first_bin] : 0;
}

struct MelBankRunner {
  [[gnu::always_inline]] static void run(const MelBank& bank, const Lanes* spectra, Lanes* bands) {
    for (const MelBank::Filter& filter : bank.filters_) {
      const float* const weights = bank.weights_.data() + filter.begin;
      const Lanes* const bins = spectra + filter.first_bin;
      Lanes sum;
      for (std::size_t i = 0; i < filter.count; ++i) {
        sum.v += bins[i].v * weights[i];
      }
      *bands++ = sum;
    }
  }
#ifdef __x86_64__
  [[gnu::target("avx2")]] static void run_avx2(const MelBank& bank, const Lanes* spectra,
                                               Lanes* bands) {
    run(bank, spectra, bands);
  }
#endif
  static void run_portable(const MelBank& bank, const Lanes* spectra, Lanes* bands) {
    run(bank, spectra, bands);
  }
};

void MelBank::apply(std::span<const Lanes> spectra, std::span<Lanes> bands) const {
#ifdef __x86_64__
  if (has_avx2()) {
    MelBankRunner::run_avx2(*this, spectra.data(), bands.data());
    return;
  }
#endif
  MelBankRunner::run_portable(*this, spectra.data(), bands.data());
}

}  // namespace braid
