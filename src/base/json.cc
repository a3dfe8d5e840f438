#include "base/json.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <simdjson.h>

namespace braid {
namespace {

constexpr std::size_t kDepthMax = 64;

Result<Json> convert(const simdjson::dom::element& element);

Result<Json> convert_list(const simdjson::dom::array& array) {
  Json::List list;
  for (const simdjson::dom::element& item : array) {
    BRAID_TRY(Json value, convert(item));
    list.push_back(std::move(value));
  }
  return Json(std::move(list));
}

Result<Json> convert_map(const simdjson::dom::object& object) {
  Json map(Json::Map{});
  for (const auto& [key, item] : object) {
    if (map.find(key) != nullptr) {
      return Error{Code::kInvalidArgument, fmt::format("key '{}' comes twice; keep one", key)};
    }
    BRAID_TRY(Json value, convert(item));
    map.set(key, std::move(value));
  }
  return map;
}

Result<Json> convert(const simdjson::dom::element& element) {
  using Type = simdjson::dom::element_type;
  switch (element.type()) {
    case Type::ARRAY:
      return convert_list(element.get_array().value_unsafe());
    case Type::OBJECT:
      return convert_map(element.get_object().value_unsafe());
    case Type::INT64:
      return Json(element.get_int64().value_unsafe());
    case Type::UINT64:
      return Json(element.get_uint64().value_unsafe());
    case Type::DOUBLE:
      return Json(element.get_double().value_unsafe());
    case Type::STRING:
      return Json(std::string(element.get_string().value_unsafe()));
    case Type::BOOL:
      return Json(element.get_bool().value_unsafe());
    case Type::NULL_VALUE:
      break;
  }
  return Json();
}

void dump_to(const Json& value, int indent, int depth, std::string& out);

void new_line(int indent, int depth, std::string& out) {
  if (indent > 0) {
    out += '\n';
    out.append(static_cast<std::size_t>(indent * depth), ' ');
  }
}

void dump_list(const Json::List& list, int indent, int depth, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < list.size(); ++i) {
    out += i == 0 ? "" : (indent > 0 ? ", " : ",");
    dump_to(list[i], list[i].map() != nullptr ? indent : 0, depth + 1, out);
  }
  out += ']';
}

void dump_map(const Json::Map& map, int indent, int depth, std::string& out) {
  out += '{';
  for (std::size_t i = 0; i < map.size(); ++i) {
    out += i == 0 ? "" : ",";
    new_line(indent, depth + 1, out);
    out += json_quoted(map[i].first);
    out += indent > 0 ? ": " : ":";
    dump_to(map[i].second, indent, depth + 1, out);
  }
  if (!map.empty()) {
    new_line(indent, depth, out);
  }
  out += '}';
}

void dump_number(const Json& value, std::string& out) {
  std::int64_t whole = 0;
  if (value.integer(whole)) {
    out += fmt::format("{}", whole);
  } else if (value.large_integer() != nullptr) {
    out += fmt::format("{}", *value.large_integer());
  } else {
    out += std::isfinite(value.number()) ? fmt::format("{}", value.number()) : "null";
  }
}

void dump_to(const Json& value, int indent, int depth, std::string& out) {
  if (value.list() != nullptr) {
    dump_list(*value.list(), indent, depth, out);
  } else if (value.map() != nullptr) {
    dump_map(*value.map(), indent, depth, out);
  } else if (value.text() != nullptr) {
    out += json_quoted(*value.text());
  } else if (value.boolean() != nullptr) {
    out += *value.boolean() ? "true" : "false";
  } else if (value.is_number()) {
    dump_number(value, out);
  } else {
    out += "null";
  }
}

/// The length of the UTF-8 sequence that begins `text`, or 0 when there is none (RFC 3629).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first >= 0x80 && (first < 0xC2 || first > 0xF4)) {
    return 0;
  }
  if (text.size() < length) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return 0;
    }
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) > 0x9F;
  const bool too_large = first == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

// One form for each number, so that equal numbers are equal values.
Json::Json(std::uint64_t value) {
  if (value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    value_ = static_cast<std::int64_t>(value);
  } else {
    value_ = value;
  }
}

Result<Json> Json::parse(std::string_view text) {
  simdjson::dom::parser parser;
  if (parser.allocate(text.size() + 1, kDepthMax) != simdjson::SUCCESS) {
    return Error{Code::kExhausted, fmt::format("no memory for {} bytes of JSON", text.size())};
  }
  const simdjson::padded_string padded(text);
  simdjson::dom::element root;
  if (const auto failure = parser.parse(padded).get(root); failure != simdjson::SUCCESS) {
    return Error{Code::kInvalidArgument,
                 fmt::format("not valid JSON: {}", simdjson::error_message(failure))};
  }
  return convert(root);
}

std::string Json::dump(int indent) const {
  std::string out;
  dump_to(*this, indent, 0, out);
  return out;
}

bool Json::is_number() const {
  return std::holds_alternative<std::int64_t>(value_) ||
         std::holds_alternative<std::uint64_t>(value_) || std::holds_alternative<double>(value_);
}

double Json::number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    return static_cast<double>(*whole);
  }
  if (const auto* large = std::get_if<std::uint64_t>(&value_)) {
    return static_cast<double>(*large);
  }
  const auto* real = std::get_if<double>(&value_);
  return real != nullptr ? *real : 0;
}

bool Json::integer(std::int64_t& into) const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    into = *whole;
    return true;
  }
  const auto* real = std::get_if<double>(&value_);
  if (real != nullptr && std::abs(*real) < 9e15 && std::trunc(*real) == *real) {
    into = static_cast<std::int64_t>(*real);
    return true;
  }
  return false;
}

const Json* Json::find(std::string_view key) const {
  const Map* map = this->map();
  if (map == nullptr) {
    return nullptr;
  }
  for (const auto& [known, value] : *map) {
    if (known == key) {
      return &value;
    }
  }
  return nullptr;
}

Json& Json::set(std::string_view key, Json value) {
  if (is_null()) {
    value_ = Map{};
  }
  Map& map = std::get<Map>(value_);
  for (auto& [known, old] : map) {
    if (known == key) {
      old = std::move(value);
      return *this;
    }
  }
  map.emplace_back(std::string(key), std::move(value));
  return *this;
}

const char* Json::kind() const {
  if (is_number()) {
    return "a number";
  }
  if (text() != nullptr) {
    return "a string";
  }
  if (list() != nullptr) {
    return "a list";
  }
  if (map() != nullptr) {
    return "a map";
  }
  return boolean() != nullptr ? "a boolean" : "null";
}

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto character = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (character == '"' || character == '\\') {
      out += '\\';
      out += text.front();
    } else if (character < 0x20) {
      out += fmt::format("\\u{:04x}", character);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out + '"';
}

Json json_list(const std::vector<double>& values) {
  return Json(Json::List(values.begin(), values.end()));
}

}  // namespace braid
