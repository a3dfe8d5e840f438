#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/yaml.h"

namespace braid {
namespace {

/// Letters to insert, drop, replace or swap with their neighbour (optimal string alignment): swaps
/// are the commonest slip of the fingers.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before(right.size() + 1);  // the row before the last one
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped =
          i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (swapped) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_word(std::string_view word, const std::set<std::string>& known) {
  std::string nearest;
  std::size_t least = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

Settings::Settings(Yaml map, std::filesystem::path folder)
    : yaml_(std::move(map)), folder_(std::move(folder)) {}

Result<Settings> Settings::parse(std::string_view text, std::filesystem::path folder) {
  BRAID_TRY(Yaml yaml, Yaml::parse(text, "settings"));
  return Settings(std::move(yaml), std::move(folder));
}

const Yaml* Settings::find(const std::string& key) const {
  asked_.insert(key);
  return yaml_.find(key);
}

Error Settings::error(const std::string& key, std::string_view message) const {
  const Yaml* value = yaml_.find(key);
  return (value != nullptr ? *value : yaml_).error(fmt::format("{}: {}", key, message));
}

Result<const Yaml*> Settings::required(const std::string& key) const {
  const Yaml* value = find(key);
  if (value == nullptr) {
    return yaml_.error(fmt::format("'{}' is missing here", key));
  }
  return value;
}

Result<std::string> Settings::text(const std::string& key) const {
  BRAID_TRY(const Yaml* value, required(key));
  if (value->kind() != Yaml::Kind::kText) {
    return error(key, "a word is wanted here");
  }
  return value->text();
}

Result<std::string> Settings::text(const std::string& key, std::string fallback) const {
  return find(key) == nullptr ? Result<std::string>(std::move(fallback)) : text(key);
}

Result<std::string> Settings::choice(const std::string& key,
                                     const std::vector<std::string>& allowed,
                                     std::string fallback) const {
  BRAID_TRY(std::string chosen, text(key, std::move(fallback)));
  if (std::ranges::find(allowed, chosen) == allowed.end()) {
    return error(key, fmt::format("'{}' is none of: {}", chosen, fmt::join(allowed, ", ")));
  }
  return chosen;
}

Result<double> Settings::number(const std::string& key, double fallback, double min,
                                double max) const {
  const Yaml* value = find(key);
  if (value == nullptr) {
    return fallback;
  }
  BRAID_TRY(const double number, value->number());
  if (number < min || number > max) {
    return error(key, fmt::format("{} is outside {} … {}", number, min, max));
  }
  return number;
}

Result<std::int64_t> Settings::integer(const std::string& key, std::int64_t fallback,
                                       std::int64_t min, std::int64_t max) const {
  const Yaml* value = find(key);
  if (value == nullptr) {
    return fallback;
  }
  BRAID_TRY(const std::int64_t number, value->integer());
  if (number < min || number > max) {
    return error(key, fmt::format("{} is outside {} … {}", number, min, max));
  }
  return number;
}

Result<bool> Settings::flag(const std::string& key, bool fallback) const {
  const Yaml* value = find(key);
  return value == nullptr ? Result<bool>(fallback) : value->flag();
}

Result<std::vector<std::string>> Settings::texts(const std::string& key,
                                                 std::vector<std::string> fallback) const {
  const Yaml* value = find(key);
  return value == nullptr ? Result<std::vector<std::string>>(std::move(fallback)) : value->texts();
}

Result<std::vector<double>> Settings::numbers(const std::string& key,
                                              std::vector<double> fallback) const {
  const Yaml* value = find(key);
  return value == nullptr ? Result<std::vector<double>>(std::move(fallback)) : value->numbers();
}

Result<std::filesystem::path> Settings::file(const std::string& key) const {
  BRAID_TRY(const std::string name, text(key));
  std::filesystem::path path = folder_ / name;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    Error missing = error(key, fmt::format("no file {}", path.string()));
    missing.code = Code::kNotFound;
    return missing;
  }
  return path;
}

Result<Settings> Settings::map(const std::string& key) const {
  const Yaml* value = find(key);
  if (value == nullptr) {
    BRAID_TRY(Yaml empty, Yaml::parse("{}", yaml_.where()));
    return Settings(std::move(empty), folder_);
  }
  if (value->kind() != Yaml::Kind::kMap) {
    return error(key, "a map is wanted here");
  }
  return Settings(*value, folder_);
}

Result<void> Settings::finish() const {
  if (yaml_.kind() != Yaml::Kind::kMap && yaml_.kind() != Yaml::Kind::kNull) {
    return yaml_.error("a map of settings is wanted here");
  }
  for (const auto& [key, value] : yaml_.entries()) {
    if (asked_.contains(key)) {
      continue;
    }
    const std::string nearest = nearest_word(key, asked_);
    return value.error(
        nearest.empty()
            ? fmt::format("unknown key '{}'; known here: {}", key, fmt::join(asked_, ", "))
            : fmt::format("unknown key '{}'; did you mean '{}'?", key, nearest));
  }
  return {};
}

}  // namespace braid
