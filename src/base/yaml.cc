#include "base/yaml.h"

#include <charconv>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "base/file.h"

namespace braid {

struct Yaml::Node {
  std::shared_ptr<const std::string> name;  // of the document
  int line = 1;
  Kind kind = Kind::kNull;
  std::string text;
  std::vector<Yaml> items;
  Entries entries;
};

namespace {

constexpr int kDepthMax = 64;

/// Looks at a document before it becomes a tree, for what the tree no longer shows. A few anchors
/// that name each other stand for billions of nodes, and a tag means another thing to each reader.
class Guard final : public YAML::EventHandler {
 public:
  std::string complaint;  // "" when there is none
  int line = 0;           // of the complaint

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { look(mark, "", anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override { look(mark, "", anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string&) override {
    look(mark, tag, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    look(mark, tag, anchor);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    look(mark, tag, anchor);
  }
  void OnMapEnd() override {}

 private:
  /// Untagged nodes come as "?", quoted ones as "!".
  void look(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    const bool is_tagged = !tag.empty() && tag != "?" && tag != "!";
    if (complaint.empty() && (anchor != 0 || is_tagged)) {
      complaint = is_tagged ? "tags (!…) are not read; write the plain value"
                            : "anchors and aliases (&, *) are not read; write the value again";
      line = mark.line + 1;
    }
  }
};

/// Throws what yaml-cpp throws.
Result<void> check_events(const std::string& text, const std::string& name) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Guard guard;
  while (guard.complaint.empty() && parser.HandleNextDocument(guard)) {
  }
  if (!guard.complaint.empty()) {
    return Error{Code::kInvalidArgument,
                 fmt::format("{}:{}: {}", name, guard.line, guard.complaint)};
  }
  return {};
}

}  // namespace

struct YamlReader {
  std::shared_ptr<const std::string> name;

  Result<Yaml> read(const YAML::Node& from, int depth) const {
    auto node = std::make_shared<Yaml::Node>();
    node->name = name;
    node->line = from.Mark().line + 1;
    const Yaml here(node);
    if (depth > kDepthMax) {
      return here.error("nested deeper than 64 levels");
    }
    if (from.IsScalar()) {
      node->kind = Yaml::Kind::kText;
      node->text = from.Scalar();
    } else if (from.IsSequence()) {
      node->kind = Yaml::Kind::kList;
      for (const YAML::Node& item : from) {
        BRAID_TRY(Yaml value, read(item, depth + 1));
        node->items.push_back(std::move(value));
      }
    } else if (from.IsMap()) {
      node->kind = Yaml::Kind::kMap;
      for (const auto& entry : from) {
        BRAID_TRY(const Yaml key, read(entry.first, depth + 1));
        if (key.kind() != Yaml::Kind::kText) {
          return key.error("a key must be a word");
        }
        if (here.find(key.text()) != nullptr) {
          return key.error(fmt::format("key '{}' comes twice; keep one", key.text()));
        }
        BRAID_TRY(Yaml value, read(entry.second, depth + 1));
        node->entries.emplace_back(key.text(), std::move(value));
      }
    }
    return here;
  }
};

Result<Yaml> Yaml::parse(std::string_view text, std::string name) {
  const auto shared_name = std::make_shared<const std::string>(std::move(name));
  try {
    BRAID_TRY_DO(check_events(std::string(text), *shared_name));
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.size() > 1) {
      return Error{Code::kInvalidArgument, fmt::format("{}: {} documents in one file; keep one",
                                                       *shared_name, documents.size())};
    }
    return YamlReader{shared_name}.read(documents.empty() ? YAML::Node() : documents.front(), 0);
  } catch (const YAML::Exception& failure) {
    std::string message = failure.msg;  // may quote the document's own bytes
    std::erase_if(message, [](char letter) { return letter >= 0 && letter < ' '; });
    return Error{Code::kInvalidArgument, fmt::format("{}:{}: not valid YAML: {}", *shared_name,
                                                     failure.mark.line + 1, message)};
  }
}

Result<Yaml> Yaml::read(const std::filesystem::path& file) {
  BRAID_TRY(const std::string text, read_file(file));
  return parse(text, file.string());
}

Yaml::Kind Yaml::kind() const { return node_->kind; }
const std::string& Yaml::text() const { return node_->text; }
const std::vector<Yaml>& Yaml::items() const { return node_->items; }
const Yaml::Entries& Yaml::entries() const { return node_->entries; }

const Yaml* Yaml::find(std::string_view key) const {
  for (const auto& [known, value] : node_->entries) {
    if (known == key) {
      return &value;
    }
  }
  return nullptr;
}

std::string Yaml::where() const { return fmt::format("{}:{}", *node_->name, node_->line); }

Error Yaml::error(std::string_view message) const {
  return Error{Code::kInvalidArgument, fmt::format("{}: {}", where(), message)};
}

Result<double> Yaml::number() const {
  const std::string& text = node_->text;
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return error(fmt::format("'{}' is not a number", text));
  }
  return value;
}

Result<std::int64_t> Yaml::integer() const {
  const std::string& text = node_->text;
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) {
    return error(fmt::format("'{}' is not a whole number", text));
  }
  return value;
}

Result<bool> Yaml::flag() const {
  if (node_->text == "true") {
    return true;
  }
  if (node_->text == "false") {
    return false;
  }
  return error(fmt::format("'{}' is neither true nor false", node_->text));
}

Result<std::vector<std::string>> Yaml::texts() const {
  if (kind() == Kind::kText) {
    return std::vector<std::string>{text()};
  }
  std::vector<std::string> texts;
  for (const Yaml& item : items()) {
    if (item.kind() != Kind::kText) {
      return item.error("a list of words is wanted here");
    }
    texts.push_back(item.text());
  }
  if (kind() != Kind::kList) {
    return error("a list of words is wanted here");
  }
  return texts;
}

Result<std::vector<double>> Yaml::numbers() const {
  if (kind() == Kind::kText) {
    BRAID_TRY(const double value, number());
    return std::vector<double>{value};
  }
  if (kind() != Kind::kList) {
    return error("a list of numbers is wanted here");
  }
  std::vector<double> numbers;
  for (const Yaml& item : items()) {
    BRAID_TRY(const double value, item.number());
    numbers.push_back(value);
  }
  return numbers;
}

}  // namespace braid
