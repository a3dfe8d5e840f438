#include "net/access_log.h"

#include <algorithm>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/json.h"
#include "base/uuid.h"
#include "base/wall_time.h"

namespace braid {
namespace {

constexpr std::size_t kTextMax = 128;  // of what clients chose

std::string time_text(std::uint64_t unix_ms) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(static_cast<std::time_t>(unix_ms / 1000)), unix_ms % 1000);
}

bool is_plain(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') ||
         std::string_view("._:/@+-[]").find(character) != std::string_view::npos;
}

/// As it is when one word; else as JSON quotes it, so that a line stays a line.
std::string word(std::string_view text) {
  text = text.substr(0, kTextMax);
  return !text.empty() && std::ranges::all_of(text, is_plain) ? std::string(text)
                                                              : json_quoted(text);
}

}  // namespace

std::optional<std::string_view> usable_request_id(std::string_view value) {
  const bool is_usable = !value.empty() && value.size() <= kTextMax &&
                         std::ranges::all_of(value, [](char c) { return c > ' ' && c < 0x7F; });
  return is_usable ? std::optional(value) : std::nullopt;
}

std::string access_text(const AccessEntry& entry, std::uint64_t unix_ms, double took_ms) {
  return fmt::format("{} id={} wire={} call={} name={} status={} ms={:.3f} in={} out={} peer={}",
                     time_text(unix_ms), word(entry.id), entry.wire, entry.call,
                     entry.name.empty() ? "-" : word(entry.name), entry.status, took_ms,
                     entry.bytes_in, entry.bytes_out, entry.peer.empty() ? "-" : word(entry.peer));
}

std::string access_json(const AccessEntry& entry, std::uint64_t unix_ms, double took_ms) {
  const auto quoted = [](std::string_view text) { return json_quoted(text.substr(0, kTextMax)); };
  return fmt::format(
      "{{\"time\":\"{}\",\"id\":{},\"wire\":\"{}\",\"call\":\"{}\",\"name\":{},\"status\":{},"
      "\"ms\":{:.3f},\"in\":{},\"out\":{},\"peer\":{}}}",
      time_text(unix_ms), quoted(entry.id), entry.wire, entry.call, quoted(entry.name),
      entry.status, took_ms, entry.bytes_in, entry.bytes_out, quoted(entry.peer));
}

void AccessLog::write(AccessEntry& entry) const {
  if (entry.id.empty()) {
    entry.id = new_uuid_v7();
  }
  const TimePoint now = clock_.now();
  const double took_ms = std::chrono::duration<double, std::milli>(now - entry.begin).count();
  const std::uint64_t unix_ms = wall_ms(clock_, now);
  write_(format_ == Format::kJson ? access_json(entry, unix_ms, took_ms)
                                  : access_text(entry, unix_ms, took_ms));
}

}  // namespace braid
