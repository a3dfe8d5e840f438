#include "net/multipart.h"

#include <utility>

#include <fmt/format.h>

#include "net/http_message.h"

namespace braid {
namespace {

constexpr std::size_t kBoundaryMax = 70;   // RFC 2046, 5.1.1
constexpr std::size_t kHeadMax = 8 << 10;  // of one part

Error wrong(std::string message) {
  return Error{Code::kInvalidArgument, "multipart body: " + std::move(message)};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

/// A quoted string without its quotes. Only \" and \\ are escapes: some clients send file names
/// with single backslashes.
std::optional<std::string> unquoted(std::string_view& text) {
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return value;
    }
    const bool escape =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    i += escape ? 1 : 0;
    value += text[i];
  }
  return std::nullopt;
}

/// `form-data; name="a"; filename="b"`: the value of one parameter. Unset when there is none.
Result<std::optional<std::string>> parameter(std::string_view header, std::string_view name) {
  std::size_t semicolon = header.find(';');
  std::string_view rest =
      semicolon == std::string_view::npos ? std::string_view() : header.substr(semicolon + 1);
  std::optional<std::string> found;
  while (!(rest = trimmed(rest)).empty()) {
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos) {
      return wrong("a header's parameter has no '='");
    }
    const std::string_view key = trimmed(rest.substr(0, equals));
    rest = trimmed(rest.substr(equals + 1));
    std::optional<std::string> value;
    if (rest.starts_with('"')) {
      value = unquoted(rest);
    } else {
      semicolon = rest.find(';');
      value = trimmed(rest.substr(0, semicolon));
      rest = semicolon == std::string_view::npos ? std::string_view() : rest.substr(semicolon);
    }
    rest = trimmed(rest);
    if (!value.has_value() || (!rest.empty() && rest.front() != ';')) {
      return wrong("a header's quoted parameter does not end");
    }
    rest.remove_prefix(rest.empty() ? 0 : 1);
    if (same_word(key, name)) {
      if (found.has_value()) {
        return wrong(fmt::format("a header's parameter '{}' comes twice", name));
      }
      found = std::move(value);
    }
  }
  return found;
}

Result<std::string> boundary_of(std::string_view content_type) {
  BRAID_TRY(const std::optional<std::string> boundary, parameter(content_type, "boundary"));
  if (!boundary.has_value() || boundary->empty() || boundary->size() > kBoundaryMax) {
    return wrong(fmt::format("Content-Type names no boundary of 1 to {} characters", kBoundaryMax));
  }
  return *boundary;
}

Result<void> read_header(std::string_view line, FormPart& part, bool& named) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) {
    return wrong("a part's header has no ':'");
  }
  const std::string_view name = trimmed(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (same_word(name, "content-transfer-encoding") && !same_word(value, "binary") &&
      !same_word(value, "8bit") && !same_word(value, "7bit")) {
    return wrong(
        fmt::format("content transfer encoding '{}' is not taken; send the bytes as they "
                    "are",
                    value.substr(0, 40)));
  }
  if (!same_word(name, "content-disposition")) {
    return {};
  }
  if (!same_word(trimmed(value.substr(0, value.find(';'))), "form-data")) {
    return wrong("a part is not form-data");
  }
  BRAID_TRY(std::optional<std::string> given, parameter(value, "name"));
  BRAID_TRY(part.file_name, parameter(value, "filename"));
  if (!given.has_value() || given->empty() || named) {
    return wrong("a part has no name, or two");
  }
  part.name = *std::move(given);
  named = true;
  return {};
}

/// The headers of a part, up to its empty line; `rest` then begins with its content.
Result<FormPart> read_head(Bytes& rest) {
  FormPart part;
  bool named = false;
  const std::size_t size_before = rest.size();
  while (true) {
    const std::size_t end = rest.substr(0, kHeadMax).find("\r\n");
    if (end == Bytes::npos || size_before - rest.size() > kHeadMax) {
      return wrong(fmt::format("a part's headers do not end within {} bytes", kHeadMax));
    }
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    if (line.empty()) {
      return named ? Result<FormPart>(std::move(part)) : wrong("a part has no name");
    }
    BRAID_TRY_DO(read_header(line, part, named));
  }
}

}  // namespace

Result<std::vector<FormPart>> parse_multipart(std::string_view content_type, Bytes body) {
  BRAID_TRY(const std::string boundary, boundary_of(content_type));
  const std::string mark = "\r\n--" + boundary;
  Bytes rest = body;
  if (rest.starts_with(std::string_view(mark).substr(2))) {
    rest.remove_prefix(mark.size() - 2);
  } else {
    const std::size_t first = rest.find(mark);
    if (first == Bytes::npos) {
      return wrong("its boundary does not occur");
    }
    rest.remove_prefix(first + mark.size());
  }
  std::vector<FormPart> parts;
  while (!rest.starts_with("--")) {
    const std::size_t end = rest.substr(0, kHeadMax).find("\r\n");
    if (end == Bytes::npos || !trimmed(rest.substr(0, end)).empty()) {
      return wrong("something follows a boundary on its line");
    }
    rest.remove_prefix(end + 2);
    if (parts.size() == kFormPartsMax) {
      return wrong(fmt::format("there are more than {} parts", kFormPartsMax));
    }
    BRAID_TRY(FormPart part, read_head(rest));
    // An empty content's line break is the one that ended the head.
    const bool empty = rest.starts_with(std::string_view(mark).substr(2));
    const std::size_t content_end = empty ? 0 : rest.find(mark);
    if (content_end == Bytes::npos) {
      return wrong(fmt::format("part '{}' is not followed by the boundary; the body is cut short",
                               part.name));
    }
    part.content = rest.substr(0, content_end);
    rest.remove_prefix(content_end + mark.size() - (empty ? 2 : 0));
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace braid
