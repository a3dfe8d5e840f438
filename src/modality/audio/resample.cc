#include "modality/audio/resample.h"

#include <fmt/format.h>
#include <soxr.h>

namespace braid {
namespace {

unsigned long recipe_of(SoxrQuality quality) {
  switch (quality) {
    case SoxrQuality::kQuick:
      return SOXR_QQ;
    case SoxrQuality::kLow:
      return SOXR_LQ;
    case SoxrQuality::kMedium:
      return SOXR_MQ;
    case SoxrQuality::kHigh:
      return SOXR_HQ;
    case SoxrQuality::kVeryHigh:
      break;
  }
  return SOXR_VHQ;
}

}  // namespace

Result<std::vector<float>> resampled(std::vector<float> samples, std::int64_t from, std::int64_t to,
                                     SoxrQuality quality) {
  if (from == to) {
    return samples;
  }
  const auto count = static_cast<std::int64_t>(samples.size());
  const std::int64_t wanted = (count * to + from - 1) / from;
  std::vector<float> result(static_cast<std::size_t>(wanted));
  const soxr_quality_spec_t spec = soxr_quality_spec(recipe_of(quality), 0);
  std::size_t done = 0;
  const soxr_error_t error = soxr_oneshot(static_cast<double>(from), static_cast<double>(to), 1,
                                          samples.data(), samples.size(), nullptr, result.data(),
                                          result.size(), &done, nullptr, &spec, nullptr);
  if (error != nullptr) {
    return Error{Code::kInternal, fmt::format("soxr, {} to {} Hz: {}", from, to, error)};
  }
  return result;  // soxr rounds the length; where it gives one less, the last sample is 0
}

}  // namespace braid
