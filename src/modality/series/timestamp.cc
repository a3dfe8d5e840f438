#include "modality/series/timestamp.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/json.h"

namespace braid {
namespace {

constexpr std::size_t kQuotedMax = 40;

Error no_time(std::string_view text, const char* wanted) {
  return Error{Code::kInvalidArgument,
               fmt::format("{} is no time stamp; {} is wanted",
                           json_quoted(text.substr(0, kQuotedMax)), wanted)};
}

/// Reads a date and a time of day from left to right.
class IsoReader {
 public:
  explicit IsoReader(std::string_view text) : text_(text) {}

  std::optional<double> seconds() {
    const auto year = digits(4);
    const auto month = after('-', 2);
    const auto day = after('-', 2);
    if (!year || !month || !day) {
      return std::nullopt;
    }
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) {
      return std::nullopt;
    }
    const auto days = std::chrono::sys_days(date).time_since_epoch().count();
    const double midnight = static_cast<double>(days) * 86400;
    if (text_.empty()) {
      return midnight;
    }
    if (text_.front() != 'T' && text_.front() != 't' && text_.front() != ' ') {
      return std::nullopt;
    }
    text_.remove_prefix(1);
    const auto time = time_of_day();
    const auto offset = offset_seconds();
    if (!time || !offset || !text_.empty()) {
      return std::nullopt;
    }
    return midnight + *time - *offset;
  }

 private:
  std::optional<int> digits(std::size_t count) {
    int number = 0;
    if (text_.size() < count) {
      return std::nullopt;
    }
    for (const char digit : text_.substr(0, count)) {
      if (digit < '0' || digit > '9') {
        return std::nullopt;
      }
      number = number * 10 + (digit - '0');
    }
    text_.remove_prefix(count);
    return number;
  }

  std::optional<int> after(char mark, std::size_t count) {
    if (text_.empty() || text_.front() != mark) {
      return std::nullopt;
    }
    text_.remove_prefix(1);
    return digits(count);
  }

  std::optional<double> time_of_day() {
    const auto hours = digits(2);
    const auto minutes = after(':', 2);
    if (!hours || !minutes || *hours > 23 || *minutes > 59) {
      return std::nullopt;
    }
    double seconds = *hours * 3600 + *minutes * 60;
    if (text_.starts_with(':')) {
      const auto whole = after(':', 2);
      if (!whole || *whole > 60) {  // 60 is a leap second
        return std::nullopt;
      }
      seconds += *whole;
    }
    if (!text_.starts_with('.') && !text_.starts_with(',')) {
      return seconds;
    }
    text_.remove_prefix(1);
    double unit = 1;
    const std::size_t before = text_.size();
    while (const auto digit = digits(1)) {
      unit /= 10;
      seconds += *digit * unit;
    }
    return text_.size() == before ? std::nullopt : std::optional(seconds);
  }

  std::optional<double> offset_seconds() {
    if (text_.empty()) {
      return 0;
    }
    const char sign = text_.front();
    if (sign == 'Z' || sign == 'z') {
      text_.remove_prefix(1);
      return 0;
    }
    if (sign != '+' && sign != '-') {
      return std::nullopt;
    }
    text_.remove_prefix(1);
    const auto hours = digits(2);
    const auto minutes = text_.starts_with(':') ? after(':', 2)
                         : text_.empty()        ? std::optional(0)
                                                : digits(2);
    if (!hours || !minutes || *hours > 23 || *minutes > 59) {
      return std::nullopt;
    }
    const double seconds = *hours * 3600 + *minutes * 60;
    return sign == '-' ? -seconds : seconds;
  }

  std::string_view text_;
};

}  // namespace

bool parse_number(std::string_view text, double& into) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), into);
  return failure == std::errc() && end == text.data() + text.size() && std::isfinite(into);
}

double seconds_of(double number, TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kMilliseconds:
      return number / 1e3;
    case TimeUnit::kMicroseconds:
      return number / 1e6;
    case TimeUnit::kNanoseconds:
      return number / 1e9;
    case TimeUnit::kSeconds:
    case TimeUnit::kIso8601:
      break;
  }
  return number;
}

Result<double> parse_time(std::string_view text, TimeUnit unit) {
  if (unit == TimeUnit::kIso8601) {
    const std::optional<double> seconds = IsoReader(text).seconds();
    if (!seconds.has_value()) {
      return no_time(text, "a date such as 2024-05-01T12:30:05Z");
    }
    return *seconds;
  }
  double number = 0;
  if (!parse_number(text, number)) {
    return no_time(text, "a number");
  }
  return seconds_of(number, unit);
}

}  // namespace braid
