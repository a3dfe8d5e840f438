#include "modality/series/regular.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace braid {
namespace {

/// Rounding may put a time a hair before the point of the grid that it is.
constexpr double kHair = 1e-9;

/// The samples of one channel that are there.
struct Present {
  std::vector<double> times;
  std::vector<double> values;
};

Present present_of(const Recording& recording, std::size_t channel_index) {
  const std::vector<double>& channel = recording.channels[channel_index];
  Present present;
  for (std::size_t i = 0; i < channel.size(); ++i) {
    if (!std::isnan(channel[i])) {
      present.times.push_back(recording.times[i]);
      present.values.push_back(channel[i]);
    }
  }
  return present;
}

std::vector<double> means(const Present& from, double begin, double every, std::size_t count) {
  std::vector<double> sums(count);
  std::vector<std::size_t> counts(count);
  for (std::size_t i = 0; i < from.times.size(); ++i) {
    const double place = std::floor((from.times[i] - begin) / every + kHair);
    const std::size_t bin = std::min(static_cast<std::size_t>(place), count - 1);
    sums[bin] += from.values[i];
    ++counts[bin];
  }
  for (std::size_t i = 0; i < count; ++i) {
    sums[i] = counts[i] == 0 ? kGap : sums[i] / static_cast<double>(counts[i]);
  }
  return sums;
}

/// For kLinear and kPrevious: walks along the grid and the samples together.
std::vector<double> between(const Present& from, double begin, std::size_t count,
                            const GridOptions& options) {
  std::vector<double> values(count, kGap);
  const double reach = options.gap_max > 0 ? options.gap_max * (1 + kHair) : HUGE_VAL;
  std::size_t next = 0;  // the first sample after the point
  for (std::size_t k = 0; k < count; ++k) {
    const double time = begin + static_cast<double>(k) * options.every;
    while (next < from.times.size() && from.times[next] <= time + kHair * options.every) {
      ++next;
    }
    if (next == 0) {
      continue;
    }
    const double left = from.times[next - 1];
    const double value = from.values[next - 1];
    const double passed = std::max(time - left, 0.0);
    if (options.resampling == Resampling::kPrevious || passed <= kHair * options.every) {
      values[k] = passed <= reach ? value : kGap;
      continue;
    }
    if (next < from.times.size() && from.times[next] - left <= reach) {
      values[k] = value + (from.values[next] - value) * passed / (from.times[next] - left);
    }
  }
  return values;
}

}  // namespace

Result<Recording> on_grid(const Recording& recording, const GridOptions& options) {
  const double begin = recording.times.front();
  const double steps = std::floor((recording.times.back() - begin) / options.every + kHair);
  if (steps >= static_cast<double>(options.samples_max)) {
    return Error{Code::kExhausted,
                 fmt::format("the series lasts {} s: one value every {} s is more than "
                             "samples_max, {}",
                             recording.times.back() - begin, options.every, options.samples_max)};
  }
  const std::size_t count = static_cast<std::size_t>(steps) + 1;
  Recording regular;
  for (std::size_t k = 0; k < count; ++k) {
    regular.times.push_back(begin + static_cast<double>(k) * options.every);
  }
  for (std::size_t c = 0; c < recording.channels.size(); ++c) {
    const Present present = present_of(recording, c);
    regular.channels.push_back(options.resampling == Resampling::kMean
                                   ? means(present, begin, options.every, count)
                                   : between(present, begin, count, options));
  }
  return regular;
}

void fill_gaps(std::span<double> channel, Fill fill) {
  if (fill == Fill::kNone) {
    return;
  }
  double sum = 0;
  std::size_t count = 0;
  for (const double value : channel) {
    sum += std::isnan(value) ? 0 : value;
    count += std::isnan(value) ? 0 : 1;
  }
  if (fill == Fill::kZero || fill == Fill::kMean) {
    const double stand_in = fill == Fill::kZero ? 0 : sum / static_cast<double>(count);
    std::ranges::replace_if(channel, [](double value) { return std::isnan(value); }, stand_in);
    return;
  }
  const auto is_there = [](double value) { return !std::isnan(value); };
  auto left = std::ranges::find_if(channel, is_there);
  if (left == channel.end()) {
    return;
  }
  if (fill == Fill::kLinear) {
    std::fill(channel.begin(), left, *left);
  }
  while (left != channel.end()) {
    const auto right = std::find_if(left + 1, channel.end(), is_there);
    const bool is_between = fill == Fill::kLinear && right != channel.end();
    const double step = is_between ? (*right - *left) / static_cast<double>(right - left) : 0;
    for (auto at = left + 1; at != right; ++at) {
      *at = *left + step * static_cast<double>(at - left);
    }
    left = right;
  }
}

}  // namespace braid
