#pragma once
// Json: one JSON value as an ordinary tree, for configuration, records and answers. Numbers of
// tensors do not pass through here: net reads them straight into a Tensor.
// Threads: a value like any other.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace braid {

class Json {
 public:
  using List = std::vector<Json>;
  using Map = std::vector<std::pair<std::string, Json>>;  // in the order in which it was written

  Json() = default;                                        // null
  Json(bool value) : value_(value) {}                      // NOLINT(google-explicit-constructor)
  Json(int value) : value_(std::int64_t{value}) {}         // NOLINT(google-explicit-constructor)
  Json(std::int64_t value) : value_(value) {}              // NOLINT(google-explicit-constructor)
  Json(std::uint64_t value);                               // NOLINT(google-explicit-constructor)
  Json(double value) : value_(value) {}                    // NOLINT(google-explicit-constructor)
  Json(const char* value) : value_(std::string(value)) {}  // NOLINT(google-explicit-constructor)
  Json(std::string value) : value_(std::move(value)) {}    // NOLINT(google-explicit-constructor)
  Json(std::string_view value) : value_(std::string(value)) {}  // NOLINT
  Json(List value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Json(Map value) : value_(std::move(value)) {}   // NOLINT(google-explicit-constructor)

  /// RFC 8259, at most 64 levels deep, the whole text. kInvalidArgument says what is wrong where;
  /// a key that comes twice is an error, since readers would disagree which one counts.
  static Result<Json> parse(std::string_view text);

  /// Without blanks when `indent` is 0. NaN and infinities, which JSON lacks, become null.
  std::string dump(int indent = 0) const;

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const List* list() const { return std::get_if<List>(&value_); }
  const Map* map() const { return std::get_if<Map>(&value_); }
  bool is_number() const;
  /// Any number; 0 for what is none, so ask is_number() first.
  double number() const;
  /// A number that is whole and fits, else nullptr-like false.
  bool integer(std::int64_t& into) const;
  /// A whole number above 2^63 - 1; null for all others.
  const std::uint64_t* large_integer() const { return std::get_if<std::uint64_t>(&value_); }

  /// Null when this is no map or has no such key.
  const Json* find(std::string_view key) const;
  /// Appends or replaces; null becomes a map first.
  Json& set(std::string_view key, Json value);

  /// "null", "a boolean", "a number", "a string", "a list", "a map": for messages.
  const char* kind() const;

  bool operator==(const Json&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, List, Map>
      value_;
};

/// The text as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_quoted(std::string_view text);

/// A list of numbers.
Json json_list(const std::vector<double>& values);

}  // namespace braid
