#pragma once
// Yaml: one node of a YAML document that knows its file and line, and Settings: a map that is read
// key by key, with defaults and bounds, so that a typing mistake is found with its line and cure.
// Threads: values; one Settings is read by one thread.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace braid {

class Yaml {
 public:
  using Entries = std::vector<std::pair<std::string, Yaml>>;  // in the order of the file
  enum class Kind { kNull, kText, kList, kMap };

  /// `name` is what messages call the document. Twice the same key, anchors, tags and more than
  /// 64 levels are refused.
  static Result<Yaml> parse(std::string_view text, std::string name);
  static Result<Yaml> read(const std::filesystem::path& file);

  Kind kind() const;
  /// Of a scalar, as written; empty for others.
  const std::string& text() const;
  const std::vector<Yaml>& items() const;  // of a list; empty for others
  const Entries& entries() const;          // of a map; empty for others
  const Yaml* find(std::string_view key) const;

  /// "pipeline.yaml:12".
  std::string where() const;
  /// kInvalidArgument "pipeline.yaml:12: message".
  Error error(std::string_view message) const;

  Result<double> number() const;
  Result<std::int64_t> integer() const;
  Result<bool> flag() const;                       // true, false
  Result<std::vector<std::string>> texts() const;  // a list of scalars; one scalar is a list of one
  Result<std::vector<double>> numbers() const;     // likewise

 private:
  struct Node;
  friend struct YamlReader;
  explicit Yaml(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

/// What a plug-in is given. Each getter marks its key as known; finish() refuses the others.
/// The getters with a fallback return it when the key is missing.
class Settings {
 public:
  /// Files are named relative to `folder`. Not a map: every getter of a required key fails.
  Settings(Yaml map, std::filesystem::path folder);
  /// For tests and defaults: Settings::parse("{size: [224, 224]}").
  static Result<Settings> parse(std::string_view text, std::filesystem::path folder = ".");

  Result<std::string> text(const std::string& key) const;
  Result<std::string> text(const std::string& key, std::string fallback) const;
  /// One of `allowed`.
  Result<std::string> choice(const std::string& key, const std::vector<std::string>& allowed,
                             std::string fallback) const;
  Result<double> number(const std::string& key, double fallback, double min, double max) const;
  Result<std::int64_t> integer(const std::string& key, std::int64_t fallback, std::int64_t min,
                               std::int64_t max) const;
  Result<bool> flag(const std::string& key, bool fallback) const;
  Result<std::vector<std::string>> texts(const std::string& key,
                                         std::vector<std::string> fallback) const;
  Result<std::vector<double>> numbers(const std::string& key, std::vector<double> fallback) const;
  /// A file that exists, relative to the folder. kNotFound names the path that was tried.
  Result<std::filesystem::path> file(const std::string& key) const;
  /// A nested map; an empty one when the key is missing.
  Result<Settings> map(const std::string& key) const;
  /// Null when missing. The caller reads it.
  const Yaml* find(const std::string& key) const;

  const Yaml& yaml() const { return yaml_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// kInvalidArgument with the line of `key`, or of the map when the key is missing.
  Error error(const std::string& key, std::string_view message) const;
  /// kInvalidArgument for the first key that no getter asked for; suggests the nearest known one.
  Result<void> finish() const;

 private:
  Result<const Yaml*> required(const std::string& key) const;

  Yaml yaml_;
  std::filesystem::path folder_;
  mutable std::set<std::string> asked_;
};

/// The nearest of `known` to `word` by edit distance, or "" when none is near.
std::string nearest_word(std::string_view word, const std::set<std::string>& known);

}  // namespace braid
