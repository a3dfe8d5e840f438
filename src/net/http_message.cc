#include "net/http_message.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"

namespace braid {
namespace {

char lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character + 32) : character;
}

}  // namespace

bool same_word(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, {}, lower, lower);
}

const std::string_view* HttpRequest::header(std::string_view name) const {
  for (const HttpHeader& each : headers) {
    if (same_word(each.name, name)) {
      return &each.value;
    }
  }
  return nullptr;
}

std::size_t HttpRequest::header_count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      headers, [&](const HttpHeader& each) { return same_word(each.name, name); }));
}

HttpResponse http_error(int status, std::string_view text) {
  return {.status = status, .body = fmt::format("{{\"error\":{}}}", json_quoted(text))};
}

HttpReply::~HttpReply() {
  if (function_) {
    function_(http_error(500, "the request was dropped without an answer"));
  }
}

void HttpReply::operator()(HttpResponse response) && {
  Function function = std::exchange(function_, nullptr);
  function(std::move(response));
}

}  // namespace braid
