#include "modality/log/log_masks.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace braid {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool is_alnum(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_name(char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; }

/// 0 behind the end, which is of no class.
char at(std::string_view line, std::size_t place) {
  return place < line.size() ? line[place] : '\0';
}

template <typename Is>
std::size_t run(std::string_view line, std::size_t begin, Is&& is, std::size_t most = SIZE_MAX) {
  std::size_t end = begin;
  while (end < line.size() && end - begin < most && is(line[end])) {
    ++end;
  }
  return end - begin;
}

// A scanner tells how many bytes of `line` match at `begin`, 0 for none. `begin` is not behind a
// letter or digit; whether another may follow is its own affair.

/// [0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![A-Za-z0-9])
std::size_t uuid(std::string_view line, std::size_t begin) {
  constexpr std::array<std::size_t, 5> kGroups = {8, 4, 4, 4, 12};
  std::size_t place = begin;
  for (std::size_t i = 0; i < kGroups.size(); ++i) {
    if (i > 0 && at(line, place++) != '-') {
      return 0;
    }
    if (run(line, place, is_hex, kGroups[i]) != kGroups[i]) {
      return 0;
    }
    place += kGroups[i];
  }
  return is_alnum(at(line, place)) ? 0 : place - begin;
}

/// [0-9]{1,3}(\.[0-9]{1,3}){3}(:[0-9]{1,5})?(?![A-Za-z0-9])
std::size_t ip(std::string_view line, std::size_t begin) {
  std::size_t place = begin;
  for (int i = 0; i < 4; ++i) {
    if (i > 0 && at(line, place++) != '.') {
      return 0;
    }
    const std::size_t digits = run(line, place, is_digit, 3);
    if (digits == 0) {
      return 0;
    }
    place += digits;
  }
  if (at(line, place) == ':') {
    const std::size_t digits = run(line, place + 1, is_digit, 5);
    if (digits > 0 && !is_alnum(at(line, place + 1 + digits))) {
      return place + 1 + digits - begin;
    }
  }
  return is_alnum(at(line, place)) ? 0 : place - begin;
}

/// [0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}(?![A-Za-z0-9])
std::size_t mac(std::string_view line, std::size_t begin) {
  std::size_t place = begin;
  for (int i = 0; i < 6; ++i) {
    if ((i > 0 && at(line, place++) != ':') || run(line, place, is_hex, 2) != 2) {
      return 0;
    }
    place += 2;
  }
  return is_alnum(at(line, place)) ? 0 : place - begin;
}

/// (?<![A-Za-z0-9._/-])(/[A-Za-z0-9._-]+){2,}/?
std::size_t path(std::string_view line, std::size_t begin) {
  if (line[begin] != '/' || (begin > 0 && (is_name(line[begin - 1]) || line[begin - 1] == '/'))) {
    return 0;
  }
  std::size_t place = begin;
  int segments = 0;
  while (at(line, place) == '/') {
    const std::size_t length = run(line, place + 1, is_name);
    if (length == 0) {
      break;
    }
    place += 1 + length;
    ++segments;
  }
  place += segments >= 2 && at(line, place) == '/' ? 1 : 0;
  return segments >= 2 ? place - begin : 0;
}

/// 0[xX][0-9a-fA-F]+(?![A-Za-z0-9])
std::size_t hex(std::string_view line, std::size_t begin) {
  if (line[begin] != '0' || (at(line, begin + 1) != 'x' && at(line, begin + 1) != 'X')) {
    return 0;
  }
  const std::size_t digits = run(line, begin + 2, is_hex);
  return digits == 0 || is_alnum(at(line, begin + 2 + digits)) ? 0 : 2 + digits;
}

/// (?=[a-fA-F]*[0-9])(?=[0-9]*[a-fA-F])[0-9a-fA-F]{8,}(?![A-Za-z0-9])
std::size_t id(std::string_view line, std::size_t begin) {
  const std::size_t length = run(line, begin, is_hex);
  if (length < 8 || is_alnum(at(line, begin + length))) {
    return 0;
  }
  const auto digits = std::ranges::count_if(line.substr(begin, length), is_digit);
  return digits == 0 || static_cast<std::size_t>(digits) == length ? 0 : length;
}

/// [-+]?[0-9]+(\.[0-9]+)?(?![A-Za-z0-9])
std::size_t number(std::string_view line, std::size_t begin) {
  const std::size_t sign = line[begin] == '-' || line[begin] == '+' ? 1 : 0;
  const std::size_t digits = run(line, begin + sign, is_digit);
  if (digits == 0) {
    return 0;
  }
  const std::size_t end = begin + sign + digits;
  if (at(line, end) == '.') {
    const std::size_t fraction = run(line, end + 1, is_digit);
    if (fraction > 0 && !is_alnum(at(line, end + 1 + fraction))) {
      return end + 1 + fraction - begin;
    }
  }
  return is_alnum(at(line, end)) ? 0 : end - begin;
}

struct Scanner {
  const char* name;
  std::string_view becomes;
  std::size_t (*match)(std::string_view, std::size_t);
  std::string_view begins;  // bytes that a match may begin with
  bool after_alnum;         // looks at what stands before it itself
};

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
constexpr std::array<Scanner, 7> kScanners = {{
    {"uuid", "<UUID>", uuid, kHexDigits, false},
    {"ip", "<IP>", ip, kDigits, false},
    {"mac", "<MAC>", mac, kHexDigits, false},
    {"path", "<PATH>", path, "/", true},
    {"hex", "<HEX>", hex, "0", false},
    {"id", "<ID>", id, kHexDigits, false},
    {"number", "<NUM>", number, "-+0123456789", false},
}};

using Table = std::array<bool, 256>;

/// For each scanner which bytes may begin a match.
const std::array<Table, kScanners.size()>& beginnings() {
  static const auto tables = [] {
    std::array<Table, kScanners.size()> all = {};
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const char byte : kScanners[i].begins) {
        all[i][static_cast<std::uint8_t>(byte)] = true;
      }
    }
    return all;
  }();
  return tables;
}

/// From left to right, never inside of what matched already: re.sub. Nothing is copied before the
/// first match.
void replace_all(const Scanner& scanner, const Table& begins, std::string& line,
                 std::string& scratch) {
  const std::string_view from = line;
  std::size_t copied = 0;
  scratch.clear();
  char before = '\0';
  for (std::size_t place = 0; place < from.size();) {
    const char byte = from[place];
    if (begins[static_cast<std::uint8_t>(byte)] && (scanner.after_alnum || !is_alnum(before))) {
      const std::size_t length = scanner.match(from, place);
      if (length > 0) {
        scratch += from.substr(copied, place - copied);
        scratch += scanner.becomes;
        place += length;
        copied = place;
        before = from[place - 1];
        continue;
      }
    }
    before = byte;
    ++place;
  }
  if (copied > 0) {
    scratch += from.substr(copied);
    line.swap(scratch);
  }
}

}  // namespace

const std::vector<std::string>& LogMasks::known() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Scanner& scanner : kScanners) {
      all.emplace_back(scanner.name);
    }
    return all;
  }();
  return names;
}

Result<LogMasks> LogMasks::of(const std::vector<std::string>& names) {
  LogMasks masks;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(known(), name);
    const auto index = static_cast<std::size_t>(found - known().begin());
    if (found == known().end() || std::ranges::find(masks.chosen_, index) != masks.chosen_.end()) {
      return Error{Code::kInvalidArgument,
                   fmt::format("mask '{}' is unknown or comes twice; there are: {}", name,
                               fmt::join(known(), ", "))};
    }
    masks.chosen_.push_back(index);
  }
  masks.names_ = names;
  return masks;
}

std::string LogMasks::apply(std::string_view line) const {
  std::string masked(line);
  std::string scratch;
  for (const std::size_t index : chosen_) {
    replace_all(kScanners[index], beginnings()[index], masked, scratch);
  }
  return masked;
}

}  // namespace braid
