#include "net/load/arrivals.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <random>
#include <string>

#include <fmt/format.h>

#include "base/csv.h"

namespace braid {
namespace {

constexpr double kSecondsMax = 1e9;  // beyond it a duration would overflow

Duration to_duration(double seconds) {
  return std::chrono::round<Duration>(std::chrono::duration<double>(seconds));
}

Error too_many() {
  return Error{
      Code::kExhausted,
      fmt::format("more than {} arrivals; ask for less time or a lower rate", kArrivalsMax)};
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failure == std::errc() && end == text.data() + text.size();
  return whole && std::abs(value) <= kSecondsMax * 1e3 ? std::optional(value) : std::nullopt;
}

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  if (at + count > text.size()) {
    return std::nullopt;
  }
  const char* const begin = text.data() + at;
  const auto [end, failure] = std::from_chars(begin, begin + count, value);
  return failure == std::errc() && end == begin + count && value >= 0 ? std::optional(value)
                                                                      : std::nullopt;
}

/// "2023-11-16 18:17:03.979" (or with a T) as seconds since 1970.
std::optional<double> date_of(std::string_view text) {
  const bool has_marks = text.size() >= 19 && text[4] == '-' && text[7] == '-' &&
                         (text[10] == ' ' || text[10] == 'T') && text[13] == ':' && text[16] == ':';
  if (!has_marks) {
    return std::nullopt;
  }
  const auto year = digits(text, 0, 4);
  const auto month = digits(text, 5, 2);
  const auto day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2);
  const auto minute = digits(text, 14, 2);
  const auto second = number_of(text.substr(17));
  if (!year || !month || !day || !hour || !minute || !second) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok() || *hour > 23 || *minute > 59 || *second < 0 || *second >= 61) {
    return std::nullopt;
  }
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  return ((days * 24 + *hour) * 60 + *minute) * 60 + *second;
}

/// In seconds.
std::optional<double> time_of(std::string_view cell, bool is_ms) {
  if (const auto number = number_of(cell)) {
    return is_ms ? *number / 1e3 : *number;
  }
  return date_of(cell);
}

}  // namespace

Result<Arrivals> poisson_arrivals(double per_second, Duration span, std::uint64_t seed) {
  if (!(per_second > 0) || !std::isfinite(per_second)) {
    return Error{Code::kInvalidArgument,
                 fmt::format("a rate of {} a second; it must be above 0", per_second)};
  }
  const double span_s = std::chrono::duration<double>(span).count();
  if (per_second * span_s > static_cast<double>(kArrivalsMax)) {
    return too_many();
  }
  Arrivals arrivals;
  arrivals.reserve(static_cast<std::size_t>(per_second * span_s * 1.1));
  std::mt19937_64 random(seed);
  double at_s = 0;
  while (arrivals.size() <= kArrivalsMax) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;  // in [0, 1)
    at_s -= std::log1p(-unit) / per_second;
    if (at_s >= span_s) {
      return arrivals;
    }
    arrivals.push_back(to_duration(at_s));
  }
  return too_many();
}

Result<Arrivals> trace_arrivals(std::string_view csv, double speed, Duration span) {
  if (!(speed > 0) || !std::isfinite(speed)) {
    return Error{Code::kInvalidArgument,
                 fmt::format("a trace played at {} times its speed; it must be above 0", speed)};
  }
  BRAID_TRY(const std::vector<CsvRow> rows, parse_csv(csv));
  Arrivals arrivals;
  bool is_ms = false;
  std::optional<double> first;
  for (const CsvRow& row : rows) {
    const std::string& cell = row.cells.front();
    const std::optional<double> time = time_of(cell, is_ms);
    if (!time.has_value() && &row == &rows.front()) {
      is_ms = cell.ends_with("_ms");
      continue;
    }
    if (!time.has_value()) {
      return Error{Code::kInvalidArgument,
                   fmt::format("line {}: '{}' is no time; seconds, or 2023-11-16 18:17:03.979",
                               row.line, cell.substr(0, 100))};
    }
    first = first.value_or(*time);
    const double since_s = (*time - *first) / speed;
    if (since_s < 0 ||
        (!arrivals.empty() && to_duration(std::min(since_s, kSecondsMax)) < arrivals.back())) {
      return Error{Code::kInvalidArgument,
                   fmt::format("line {}: '{}' is earlier than the line before; sort the trace",
                               row.line, cell.substr(0, 100))};
    }
    if (since_s >= std::chrono::duration<double>(span).count()) {
      break;
    }
    if (arrivals.size() == kArrivalsMax) {
      return too_many();
    }
    arrivals.push_back(to_duration(since_s));
  }
  if (arrivals.empty()) {
    return Error{Code::kInvalidArgument, "no line holds a time"};
  }
  return arrivals;
}

}  // namespace braid
