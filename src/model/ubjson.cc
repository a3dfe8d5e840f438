#include "model/ubjson.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr int kDepthMax = 64;

/// Of a container: "$type" and "#count", both optional.
struct Header {
  char type = 0;  // 0: each element brings its own
  std::optional<std::size_t> count;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : all_(bytes), left_(bytes) {}

  Result<Json> read_whole() {
    BRAID_TRY(const char type, marker());
    BRAID_TRY(Json value, read(type, 0));
    if (!left_.empty()) {
      return wrong("bytes after the end");
    }
    return value;
  }

 private:
  Error wrong(std::string_view what) const {
    return Error{Code::kInvalidArgument,
                 fmt::format("{} at byte {} of {}", what, all_.size() - left_.size(), all_.size())};
  }

  Result<std::string_view> take(std::size_t size) {
    if (left_.size() < size) {
      return wrong("the file ends early");
    }
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  Result<char> marker() {
    BRAID_TRY(const std::string_view byte, take(1));
    return byte.front();
  }

  /// Big-endian, as all numbers of the format.
  template <typename T>
  Result<T> number() {
    BRAID_TRY(const std::string_view bytes, take(sizeof(T)));
    std::uint64_t bits = 0;
    for (const char byte : bytes) {
      bits = bits << 8 | static_cast<std::uint8_t>(byte);
    }
    T value;
    std::memcpy(&value, &bits, sizeof(T));  // the low bytes come first on this machine
    return value;
  }
  static_assert(std::endian::native == std::endian::little);

  template <typename T>
  Result<Json> json_number() {
    BRAID_TRY(const T value, number<T>());
    if constexpr (std::is_floating_point_v<T>) {
      return std::isfinite(value) ? Json(static_cast<double>(value)) : Json();
    } else {
      return Json(std::int64_t{value});
    }
  }

  Result<std::size_t> length() {
    BRAID_TRY(const char type, marker());
    BRAID_TRY(const Json value, read_scalar(type));
    std::int64_t length = -1;
    if (!value.integer(length) || length < 0) {
      return wrong("a length is no number of 0 or more");
    }
    return static_cast<std::size_t>(length);
  }

  Result<std::string> text() {
    BRAID_TRY(const std::size_t size, length());
    BRAID_TRY(const std::string_view bytes, take(size));
    return std::string(bytes);
  }

  Result<Json> read_scalar(char type) {
    switch (type) {
      case 'Z':
        return Json();
      case 'T':
        return Json(true);
      case 'F':
        return Json(false);
      case 'i':
        return json_number<std::int8_t>();
      case 'U':
        return json_number<std::uint8_t>();
      case 'I':
        return json_number<std::int16_t>();
      case 'l':
        return json_number<std::int32_t>();
      case 'L':
        return json_number<std::int64_t>();
      case 'd':
        return json_number<float>();
      case 'D':
        return json_number<double>();
      case 'S': {
        BRAID_TRY(std::string value, text());
        return Json(std::move(value));
      }
      default:
        return wrong(
            fmt::format("marker {:#04x} is none of UBJSON", static_cast<std::uint8_t>(type)));
    }
  }

  Result<Json> read(char type, int depth) {
    if (type != '[' && type != '{') {
      return read_scalar(type);
    }
    if (depth == kDepthMax) {
      return wrong("too many levels");
    }
    BRAID_TRY(const Header header, read_header());
    return type == '[' ? read_list(header, depth) : read_map(header, depth);
  }

  Result<Header> read_header() {
    Header header;
    if (left_.starts_with('$')) {
      left_.remove_prefix(1);
      BRAID_TRY(header.type, marker());
      if (!left_.starts_with('#')) {
        return wrong("a type without a count");
      }
    }
    if (left_.starts_with('#')) {
      left_.remove_prefix(1);
      BRAID_TRY(header.count, length());
      // Each element takes a byte at least, so a greater count is a broken or hostile file; those
      // whose type has no bytes would ask for any amount of memory.
      const bool no_bytes = header.type == 'Z' || header.type == 'T' || header.type == 'F';
      if (*header.count > left_.size() || no_bytes) {
        return wrong("a count beyond the end");
      }
    }
    return header;
  }

  /// Whether the container is at its end; takes the end marker of one without a count.
  bool at_end(const Header& header, std::size_t read_count, char end) {
    if (header.count.has_value()) {
      return read_count == *header.count;
    }
    if (left_.starts_with(end)) {
      left_.remove_prefix(1);
      return true;
    }
    return false;
  }

  Result<Json> element(const Header& header, int depth) {
    char type = header.type;
    if (type == 0) {
      BRAID_TRY(type, marker());
    }
    return read(type, depth + 1);
  }

  Result<Json> read_list(const Header& header, int depth) {
    Json::List list;
    while (!at_end(header, list.size(), ']')) {
      BRAID_TRY(Json value, element(header, depth));
      list.push_back(std::move(value));
    }
    return Json(std::move(list));
  }

  Result<Json> read_map(const Header& header, int depth) {
    Json::Map map;
    while (!at_end(header, map.size(), '}')) {
      BRAID_TRY(std::string key, text());
      BRAID_TRY(Json value, element(header, depth));
      map.emplace_back(std::move(key), std::move(value));
    }
    return Json(std::move(map));
  }

  const std::string_view all_;
  std::string_view left_;
};

}  // namespace

Result<Json> parse_ubjson(std::string_view bytes) { return Reader(bytes).read_whole(); }

}  // namespace braid
