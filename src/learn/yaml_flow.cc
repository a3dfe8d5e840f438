#include "learn/yaml_flow.h"

#include <algorithm>

#include "base/json.h"

namespace braid {
namespace {

bool is_plain(std::string_view text) {
  const auto plain_first = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '/' || c == '.' || c == '-';
  };
  // A lone dash, or one before a blank, begins a list; words without letters or digits may be
  // markers.
  static const std::vector<std::string_view> kNull = {"null", "Null", "NULL", "-", "---", "..."};
  return !text.empty() && std::ranges::all_of(text, plain_first) &&
         std::ranges::find(kNull, text) == kNull.end();
}

void find_files(const Yaml& yaml, const std::filesystem::path& folder,
                std::vector<std::string>& found) {
  for (const auto& [key, value] : yaml.entries()) {
    find_files(value, folder, found);
  }
  for (const Yaml& item : yaml.items()) {
    find_files(item, folder, found);
  }
  const std::string& text = yaml.text();
  std::error_code ignored;
  if (text.find('.') != std::string::npos && std::ranges::find(found, text) == found.end() &&
      std::filesystem::is_regular_file(folder / text, ignored)) {
    found.push_back(text);
  }
}

}  // namespace

std::string yaml_scalar(std::string_view text) {
  return is_plain(text) ? std::string(text) : json_quoted(text);
}

std::string yaml_flow(const Yaml& yaml,
                      const std::function<std::string(const std::string&)>& rename) {
  std::string out;
  switch (yaml.kind()) {
    case Yaml::Kind::kNull:
      return "null";
    case Yaml::Kind::kText:
      return yaml_scalar(rename ? rename(yaml.text()) : yaml.text());
    case Yaml::Kind::kList:
      for (const Yaml& item : yaml.items()) {
        out += (out.empty() ? "" : ", ") + yaml_flow(item, rename);
      }
      return "[" + out + "]";
    case Yaml::Kind::kMap:
      for (const auto& [key, value] : yaml.entries()) {
        out += (out.empty() ? "" : ", ") + yaml_scalar(key) + ": " + yaml_flow(value, rename);
      }
      return "{" + out + "}";
  }
  return out;
}

std::vector<std::string> files_named(const Yaml& yaml, const std::filesystem::path& folder) {
  std::vector<std::string> found;
  find_files(yaml, folder, found);
  return found;
}

}  // namespace braid
