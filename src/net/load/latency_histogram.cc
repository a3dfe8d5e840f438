#include "net/load/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace braid {
namespace {

constexpr int kFineBits = 10;  // 1024 buckets a power of two
constexpr std::uint64_t kFine = std::uint64_t{1} << kFineBits;
constexpr std::uint64_t kMax = (std::uint64_t{1} << 42) - 1;  // nanoseconds

std::size_t bucket_of(std::uint64_t nanoseconds) {
  const int exponent = std::max(0, static_cast<int>(std::bit_width(nanoseconds)) - kFineBits - 1);
  return static_cast<std::size_t>(exponent) * kFine + (nanoseconds >> exponent);
}

/// The middle of a bucket.
std::uint64_t value_of(std::size_t bucket) {
  if (bucket < 2 * kFine) {
    return bucket;
  }
  const std::size_t exponent = bucket / kFine - 1;
  return ((bucket - exponent * kFine) << exponent) + (std::uint64_t{1} << exponent) / 2;
}

}  // namespace

LatencyHistogram::LatencyHistogram() : counts_(bucket_of(kMax) + 1) {}

void LatencyHistogram::add(Duration duration) {
  const auto given = std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
  const std::uint64_t nanoseconds =
      std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(given, 0)), kMax);
  ++counts_[bucket_of(nanoseconds)];
  ++count_;
  sum_ns_ += static_cast<double>(nanoseconds);
  max_ = std::max(max_, Duration(std::chrono::nanoseconds(nanoseconds)));
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  std::ranges::transform(counts_, other.counts_, counts_.begin(), std::plus<>());
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  max_ = std::max(max_, other.max_);
}

Duration LatencyHistogram::percentile(double fraction) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(count_)));
  if (count_ == 0 || rank >= count_) {
    return max_;
  }
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while ((seen += counts_[bucket]) < std::max<std::uint64_t>(rank, 1)) {
    ++bucket;
  }
  return std::min(max_, Duration(std::chrono::nanoseconds(value_of(bucket))));
}

Duration LatencyHistogram::mean() const {
  const double mean_ns = count_ == 0 ? 0 : sum_ns_ / static_cast<double>(count_);
  return std::chrono::round<Duration>(std::chrono::duration<double, std::nano>(mean_ns));
}

}  // namespace braid
