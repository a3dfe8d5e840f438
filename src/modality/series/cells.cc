#include "modality/series/cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr double kValueMax = 1e30;  // its statistics fit 32-bit floats
constexpr std::size_t kQuotedMax = 40;

bool is_gap(std::string_view text) {
  return text.empty() || text == "NA" || text == "NaN" || text == "nan" || text == "null";
}

}  // namespace

SampleCollector::SampleCollector(const ReaderOptions& options) : options_(options) {
  recording_.channels.resize(options.channels.size());
}

Error SampleCollector::too_many() const {
  return Error{Code::kExhausted, fmt::format("the series has more than samples_max, {}, samples",
                                             options_.samples_max)};
}

Result<void> SampleCollector::keep_time(double seconds) {
  if (std::cmp_greater_equal(recording_.times.size(), options_.samples_max)) {
    return too_many();
  }
  recording_.times.push_back(seconds);
  return {};
}

Result<void> SampleCollector::add_time(std::string_view text) {
  BRAID_TRY(const double seconds,
            parse_time(text, options_.unit)
                .within(fmt::format("sample {}", recording_.times.size() + 1)));
  return keep_time(seconds);
}

Result<void> SampleCollector::add_time(const Json& value) {
  if (value.text() != nullptr) {
    return add_time(std::string_view(*value.text()));
  }
  if (!value.is_number() || options_.unit == TimeUnit::kIso8601) {
    return Error{
        Code::kInvalidArgument,
        fmt::format("sample {}: a time stamp in '{}' is wanted, but {} came",
                    recording_.times.size() + 1,
                    options_.unit == TimeUnit::kIso8601 ? "iso8601" : "numbers", value.kind())};
  }
  return keep_time(seconds_of(value.number(), options_.unit));
}

Result<void> SampleCollector::keep_value(std::size_t channel_index, double value) {
  std::vector<double>& channel = recording_.channels[channel_index];
  if (std::cmp_greater_equal(channel.size(), options_.samples_max)) {
    return too_many();
  }
  if (std::abs(value) > kValueMax) {
    return Error{
        Code::kInvalidArgument,
        fmt::format("sample {} of channel {} is {}; at most 1e30 is read", channel.size() + 1,
                    json_quoted(options_.channels[channel_index]), value)};
  }
  channel.push_back(value);
  return {};
}

Result<void> SampleCollector::add_value(std::size_t channel_index, std::string_view text) {
  if (is_gap(text)) {
    return keep_value(channel_index, kGap);
  }
  double value = 0;
  if (!parse_number(text, value)) {
    return Error{Code::kInvalidArgument,
                 fmt::format("sample {} of channel {} is {}, which is no number",
                             recording_.channels[channel_index].size() + 1,
                             json_quoted(options_.channels[channel_index]),
                             json_quoted(text.substr(0, kQuotedMax)))};
  }
  return keep_value(channel_index, value);
}

Result<void> SampleCollector::add_value(std::size_t channel_index, const Json& value) {
  if (value.is_null()) {
    return keep_value(channel_index, kGap);
  }
  if (value.is_number()) {
    return keep_value(channel_index, value.number());
  }
  if (value.text() != nullptr) {
    return add_value(channel_index, std::string_view(*value.text()));
  }
  return Error{Code::kInvalidArgument,
               fmt::format("sample {} of channel {} is {}, a number or null is wanted",
                           recording_.channels[channel_index].size() + 1,
                           json_quoted(options_.channels[channel_index]), value.kind())};
}

Result<void> SampleCollector::sort() {
  std::vector<double>& times = recording_.times;
  const auto fall = std::ranges::is_sorted_until(times);
  if (fall == times.end()) {
    return {};
  }
  if (!options_.sorted_here) {
    return Error{Code::kInvalidArgument,
                 fmt::format("sample {} is earlier than the one before; send them in order, or set "
                             "'unsorted: sort'",
                             fall - times.begin() + 1)};
  }
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t index) { return times[index]; });
  const auto in_order = [&](const std::vector<double>& values) {
    std::vector<double> sorted;
    sorted.reserve(values.size());
    for (const std::size_t index : order) {
      sorted.push_back(values[index]);
    }
    return sorted;
  };
  for (std::vector<double>& channel : recording_.channels) {
    channel = in_order(channel);
  }
  times = in_order(times);
  return {};
}

Result<Recording> SampleCollector::recording() && {
  const std::size_t count = recording_.channels.front().size();
  if (options_.time.empty()) {
    for (std::size_t i = 0; i < count; ++i) {
      recording_.times.push_back(static_cast<double>(i) / options_.rate);
    }
  }
  for (std::size_t c = 0; c < recording_.channels.size(); ++c) {
    if (recording_.channels[c].size() != recording_.size()) {
      return Error{
          Code::kInvalidArgument,
          fmt::format("channel {} has {} samples, {} has {}", json_quoted(options_.channels[c]),
                      recording_.channels[c].size(),
                      options_.time.empty() ? "the first" : "the time", recording_.size())};
    }
  }
  if (count == 0) {
    return Error{Code::kInvalidArgument, "the series has no samples"};
  }
  BRAID_TRY_DO(sort());
  return std::move(recording_);
}

}  // namespace braid
