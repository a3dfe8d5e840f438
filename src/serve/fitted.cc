#include "serve/fitted.h"

#include <fmt/format.h>

#include "base/file.h"

namespace braid {
namespace {

constexpr int kFormat = 1;

/// Reads one file's keys; every message names the file and the key.
struct Reader {
  std::string file;

  Error error(std::string_view key, std::string_view message) const {
    return Error{Code::kInvalidArgument,
                 fmt::format("{}: {}: {}; run `braid fit` again", file, key, message)};
  }

  Result<std::map<std::string, std::string>> texts(const Json* json, const char* key) const {
    std::map<std::string, std::string> texts;
    if (json == nullptr) {
      return texts;
    }
    if (json->map() == nullptr) {
      return error(key, "a map is wanted here");
    }
    for (const auto& [name, value] : *json->map()) {
      if (value.text() == nullptr) {
        return error(key, fmt::format("'{}' is no string", name));
      }
      texts[name] = *value.text();
    }
    return texts;
  }

  Result<FittedEntry> entry(const Json& json, const char* key) const {
    FittedEntry entry;
    BRAID_TRY(entry.spaces, texts(json.find("spaces"), "spaces"));
    if (const Json* temperature = json.find("temperature")) {
      entry.temperature = temperature->number();
      if (!(entry.temperature > 0)) {
        return error(key, "a temperature is above 0");
      }
    }
    if (const Json* model = json.find("model"); model != nullptr && model->text() != nullptr) {
      entry.model = *model->text();
    }
    entry.parameters = json;
    return entry;
  }

  Result<std::map<std::string, std::vector<FittedEntry>>> entries(const Json& root,
                                                                  const char* key) const {
    std::map<std::string, std::vector<FittedEntry>> entries;
    const Json* map = root.find(key);
    if (map == nullptr) {
      return entries;
    }
    if (map->map() == nullptr) {
      return error(key, "a map is wanted here");
    }
    for (const auto& [name, list] : *map->map()) {
      if (list.list() == nullptr) {
        return error(key, fmt::format("'{}' is no list", name));
      }
      for (const Json& item : *list.list()) {
        BRAID_TRY(FittedEntry read, entry(item, key));
        entries[name].push_back(std::move(read));
      }
    }
    return entries;
  }
};

Json to_json_map(const std::map<std::string, std::vector<FittedEntry>>& entries) {
  Json map(Json::Map{});
  for (const auto& [name, list] : entries) {
    Json::List items;
    for (const FittedEntry& entry : list) {
      Json item(Json::Map{});
      Json spaces(Json::Map{});
      for (const auto& [branch, space] : entry.spaces) {
        spaces.set(branch, space);
      }
      item.set("spaces", std::move(spaces)).set("temperature", entry.temperature);
      if (!entry.model.empty()) {
        item.set("model", entry.model);
      }
      if (entry.parameters.map() != nullptr) {
        for (const auto& [key, value] : *entry.parameters.map()) {
          item.set(key, value);
        }
      }
      items.push_back(std::move(item));
    }
    map.set(name, Json(std::move(items)));
  }
  return map;
}

}  // namespace

Json Fitted::to_json() const {
  Json root;
  root.set("format", kFormat);
  root.set("classes", Json(Json::List(classes.begin(), classes.end())));
  root.set("prior", json_list(prior));
  Json digests(Json::Map{});
  for (const auto& [model, digest] : model_digests) {
    digests.set(model, digest);
  }
  root.set("models", std::move(digests)).set("data", data);
  root.set("branches", to_json_map(branches)).set("nodes", to_json_map(nodes));
  return root;
}

Result<Fitted> read_fitted(const std::filesystem::path& file) {
  BRAID_TRY(const std::string text, read_file(file));
  BRAID_TRY(const Json root, Json::parse(text).within(file.string()));
  const Reader reader{file.string()};
  const Json* format = root.find("format");
  if (format == nullptr || format->number() != kFormat) {
    return reader.error("format", fmt::format("format {} is wanted", kFormat));
  }
  Fitted fitted;
  if (const Json* classes = root.find("classes"); classes != nullptr && classes->list()) {
    for (const Json& name : *classes->list()) {
      fitted.classes.push_back(name.text() != nullptr ? *name.text() : "");
    }
  }
  if (const Json* prior = root.find("prior"); prior != nullptr && prior->list() != nullptr) {
    for (const Json& share : *prior->list()) {
      fitted.prior.push_back(share.number());
    }
  }
  BRAID_TRY(fitted.model_digests, reader.texts(root.find("models"), "models"));
  BRAID_TRY(fitted.branches, reader.entries(root, "branches"));
  BRAID_TRY(fitted.nodes, reader.entries(root, "nodes"));
  if (const Json* data = root.find("data")) {
    fitted.data = *data;
  }
  return fitted;
}

}  // namespace braid
