#include "net/decide.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/yaml.h"
#include "net/base64.h"
#include "net/http_message.h"
#include "net/json_depth.h"
#include "net/multipart.h"

namespace braid {
namespace {

constexpr double kDeadlineMaxMs = 1e9;  // eleven days
constexpr std::size_t kTextMax = 256;   // of an id or a plan's name
constexpr const char* kParameters[] = {"cost_budget_core_ms", "deadline_ms", "explain", "id",
                                       "min_confidence",      "plan",        "priority"};

Error wrong(std::string message) { return Error{Code::kInvalidArgument, std::move(message)}; }

Error unknown(const char* what, std::string_view name, const std::set<std::string>& known) {
  const std::string nearest = nearest_word(name.substr(0, 100), known);
  return wrong(nearest.empty() ? fmt::format("no {} '{}'; there are: {}", what, name.substr(0, 100),
                                             fmt::join(known, ", "))
                               : fmt::format("no {} '{}'; did you mean '{}'?", what,
                                             name.substr(0, 100), nearest));
}

std::set<std::string> known_inputs(const PipelineFacts& facts) {
  return {facts.inputs.begin(), facts.inputs.end()};
}

bool is_parameter(std::string_view name) {
  return std::ranges::find(kParameters, name) != std::end(kParameters);
}

Result<double> number_of(std::string_view name, const Json& value, double max) {
  if (!value.is_number() || !(value.number() >= 0 && value.number() <= max)) {
    return wrong(fmt::format("{} must be a number between 0 and {}", name, max));
  }
  return value.number();
}

Result<std::string> text_of(std::string_view name, const Json& value) {
  if (value.text() == nullptr || value.text()->empty() || value.text()->size() > kTextMax) {
    return wrong(fmt::format("{} must be a string of 1 to {} bytes", name, kTextMax));
  }
  return *value.text();
}

Result<void> read_parameter(std::string_view name, const Json& value, const Clock& clock,
                            Request& into) {
  if (name == "id") {
    BRAID_TRY(into.id, text_of(name, value));
  } else if (name == "plan") {
    BRAID_TRY(into.plan, text_of(name, value));
  } else if (name == "min_confidence") {
    BRAID_TRY(into.min_confidence, number_of(name, value, 1));
  } else if (name == "cost_budget_core_ms") {
    BRAID_TRY(into.cost_budget_core_ms, number_of(name, value, 1e12));
  } else if (name == "priority") {
    BRAID_TRY(const double level, number_of(name, value, 1e9));
    if (level != std::floor(level)) {
      return wrong("priority must be a whole number; 1 is the first, 0 says none");
    }
    into.priority = static_cast<std::size_t>(level);
  } else if (name == "deadline_ms") {
    BRAID_TRY(const double milliseconds, number_of(name, value, kDeadlineMaxMs));
    into.deadline = Deadline::after(
        clock,
        std::chrono::round<Duration>(std::chrono::duration<double, std::milli>(milliseconds)));
  } else {  // explain
    if (value.boolean() == nullptr) {
      return wrong("explain must be true or false");
    }
    into.explain = *value.boolean();
  }
  return {};
}

/// A string is itself, {"base64": "…"} what it encodes, anything else its own JSON text.
Result<std::string> input_bytes(const Json& value) {
  if (value.text() != nullptr) {
    return *value.text();
  }
  const Json* encoded = value.find("base64");
  if (encoded != nullptr && value.map()->size() == 1 && encoded->text() != nullptr) {
    return from_base64(*encoded->text());
  }
  return value.dump();
}

Result<void> read_inputs(const PipelineFacts& facts, const Json& inputs, Request& into) {
  if (inputs.map() == nullptr) {
    return wrong(fmt::format("inputs must be a map from names to values, not {}", inputs.kind()));
  }
  for (const auto& [name, value] : *inputs.map()) {
    if (std::ranges::find(facts.inputs, name) == facts.inputs.end()) {
      return unknown("input", name, known_inputs(facts));
    }
    if (value.is_null()) {
      continue;  // absent
    }
    BRAID_TRY(std::string bytes, input_bytes(value).within(fmt::format("input '{}'", name)));
    into.inputs.push_back({name, std::move(bytes)});
  }
  return {};
}

Result<Request> from_json(const PipelineFacts& facts, std::string_view body, const Clock& clock,
                          std::size_t depth_max) {
  BRAID_TRY_DO(check_json_depth(body, depth_max));
  BRAID_TRY(const Json whole, Json::parse(body));
  if (whole.map() == nullptr) {
    return wrong(fmt::format("a map with inputs is wanted, not {}", whole.kind()));
  }
  Request request;
  for (const auto& [name, value] : *whole.map()) {
    Result<void> read;
    if (name == "inputs") {
      read = read_inputs(facts, value, request);
    } else if (is_parameter(name)) {
      read = read_parameter(name, value, clock, request);
    } else {
      std::set<std::string> known(std::begin(kParameters), std::end(kParameters));
      known.insert("inputs");
      return unknown("key", name, known);
    }
    if (!read.has_value()) {
      return std::move(read).error();
    }
  }
  if (whole.find("inputs") == nullptr) {
    return wrong(
        fmt::format("there are no inputs; the pipeline takes: {}", fmt::join(facts.inputs, ", ")));
  }
  return request;
}

/// Fields are text: what is no string is read as JSON.
Result<void> read_field(std::string_view name, Bytes content, const Clock& clock, Request& into) {
  if (name == "id" || name == "plan") {
    return read_parameter(name, Json(content), clock, into);
  }
  const Result<Json> value = Json::parse(content.substr(0, 64));
  return read_parameter(name, value.has_value() ? *value : Json(), clock, into);
}

Result<Request> from_form(const PipelineFacts& facts, std::string_view content_type, Bytes body,
                          const Clock& clock) {
  BRAID_TRY(const std::vector<FormPart> parts, parse_multipart(content_type, body));
  Request request;
  std::set<std::string> seen;
  for (const FormPart& part : parts) {
    if (!seen.insert(part.name).second) {
      return wrong(fmt::format("part '{}' comes twice", part.name.substr(0, 100)));
    }
    const bool is_input = std::ranges::find(facts.inputs, part.name) != facts.inputs.end();
    if (is_input) {
      request.inputs.push_back({part.name, std::string(part.content)});
    } else if (is_parameter(part.name)) {
      BRAID_TRY_DO(read_field(part.name, part.content, clock, request));
    } else {
      return unknown("input", part.name, known_inputs(facts));
    }
  }
  return request;
}

}  // namespace

Result<Request> parse_decide(const PipelineFacts& facts, std::string_view content_type,
                             std::string_view body, const Clock& clock,
                             std::size_t json_depth_max) {
  const std::string_view kind = content_type.substr(0, content_type.find_first_of("; \t"));
  const bool form = same_word(kind, "multipart/form-data");
  const bool json = kind.empty() || same_word(kind, "application/json") ||
                    same_word(kind, "application/x-www-form-urlencoded");  // as curl -d says it
  if (!form && !json) {
    return wrong(
        fmt::format("content type '{}' is neither multipart/form-data nor "
                    "application/json",
                    kind.substr(0, 100)));
  }
  Result<Request> request = form ? from_form(facts, content_type, body, clock)
                                 : from_json(facts, body, clock, json_depth_max);
  if (!request.has_value()) {
    return std::move(request).error();
  }
  Request whole = *std::move(request);
  whole.pipeline = facts.name;
  return whole;
}

}  // namespace braid
