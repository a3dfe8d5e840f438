#include "net/load/served_model.h"

#include <cctype>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/yaml.h"
#include "net/load/fetch.h"

namespace braid {
namespace {

Error not_metadata(std::string_view what) {
  return Error{Code::kInvalidArgument,
               fmt::format("the server's metadata is not the protocol's: {}", what)};
}

Result<std::string> text_of(const Json& json, const char* key) {
  const Json* value = json.find(key);
  if (value == nullptr || value->text() == nullptr) {
    return not_metadata(fmt::format("no text '{}'", key));
  }
  return *value->text();
}

Result<TensorSpec> parse_tensor(const Json& json) {
  TensorSpec spec;
  BRAID_TRY(spec.name, text_of(json, "name"));
  BRAID_TRY(const std::string dtype, text_of(json, "datatype"));
  BRAID_TRY(spec.dtype, dtype_from(dtype).within("tensor '" + spec.name + "'"));
  const Json* shape = json.find("shape");
  if (shape == nullptr || shape->list() == nullptr) {
    return not_metadata(fmt::format("tensor '{}' has no list 'shape'", spec.name));
  }
  for (const Json& extent : *shape->list()) {
    std::int64_t value = 0;
    // Some servers write their numbers as text, as protobuf's JSON does.
    const bool is_number = extent.integer(value);
    const bool is_text = !is_number && extent.text() != nullptr && !extent.text()->empty();
    if (!is_number && !is_text) {
      return not_metadata(fmt::format("tensor '{}' has a shape that is not numbers", spec.name));
    }
    spec.shape.push_back(is_number ? value : std::strtoll(extent.text()->c_str(), nullptr, 10));
  }
  const Json* optional = json.find("optional");
  spec.optional = optional != nullptr && optional->boolean() != nullptr && *optional->boolean();
  return spec;
}

Result<std::vector<TensorSpec>> parse_tensors(const Json& json, const char* key) {
  const Json* list = json.find(key);
  if (list == nullptr || list->list() == nullptr) {
    return not_metadata(fmt::format("no list '{}'", key));
  }
  std::vector<TensorSpec> specs;
  for (const Json& each : *list->list()) {
    BRAID_TRY(TensorSpec spec, parse_tensor(each));
    specs.push_back(std::move(spec));
  }
  return specs;
}

/// Of the repository extension; none where a server does not offer it.
std::set<std::string> known_names(const ServerAddress& address, Duration patience) {
  std::set<std::string> names;
  const auto answer = fetch(address, "/v2/repository/index", "{}", patience);
  if (!answer.has_value() || answer->status != 200) {
    return names;
  }
  const auto index = Json::parse(answer->body);
  if (!index.has_value() || index->list() == nullptr) {
    return names;
  }
  for (const Json& each : *index->list()) {
    if (const Json* name = each.find("name"); name != nullptr && name->text() != nullptr) {
      names.insert(*name->text());
    }
  }
  return names;
}

}  // namespace

std::string percent_encoded(std::string_view name) {
  std::string encoded;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    encoded += plain ? std::string(1, c)
                     : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return encoded;
}

Result<ServedModel> parse_served_model(std::string_view text) {
  BRAID_TRY(const Json json, Json::parse(text).within("the server's metadata"));
  ServedModel model;
  BRAID_TRY(model.name, text_of(json, "name"));
  BRAID_TRY(model.platform, text_of(json, "platform"));
  BRAID_TRY(model.inputs, parse_tensors(json, "inputs"));
  BRAID_TRY(model.outputs, parse_tensors(json, "outputs"));
  return model;
}

Result<ServedModel> fetch_served_model(const ServerAddress& address, const std::string& name,
                                       Duration patience) {
  BRAID_TRY(const Fetched answer,
            fetch(address, "/v2/models/" + percent_encoded(name), "", patience));
  if (answer.status == 200) {
    return parse_served_model(answer.body).within(address.authority());
  }
  const std::string said =
      fmt::format("{} has no model '{}' to measure: HTTP {}: {}", address.authority(), name,
                  answer.status, error_text(answer.body));
  const std::set<std::string> known = known_names(address, patience);
  const std::string nearest = nearest_word(name, known);
  const bool is_known = known.contains(name);
  const bool has_said_so = said.find("did you mean") != std::string::npos;
  if (known.empty() || is_known || has_said_so) {
    return Error{Code::kNotFound, said};
  }
  return Error{Code::kNotFound, nearest.empty()
                                    ? fmt::format("{}; it serves: {}", said, fmt::join(known, ", "))
                                    : fmt::format("{}; did you mean '{}'?", said, nearest)};
}

}  // namespace braid
