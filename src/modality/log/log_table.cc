#include "modality/log/log_table.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "modality/text/utf8.h"

namespace braid {
namespace {

constexpr const char* kKind = "braid.log.1";

Error wrong(const std::string& what) {
  return Error{Code::kInvalidArgument,
               fmt::format("{}; a table of log templates is written by `braid fit`", what)};
}

Result<std::size_t> whole(const Json* json, const char* key, std::size_t most) {
  std::int64_t value = 0;
  if (json == nullptr || !json->integer(value) || value < 0 || std::cmp_greater(value, most)) {
    return wrong(fmt::format("'{}' is no whole number up to {}", key, most));
  }
  return static_cast<std::size_t>(value);
}

const Json::List* list_of(const Json& json, const char* key) {
  const Json* found = json.find(key);
  return found == nullptr ? nullptr : found->list();
}

Result<LogTemplate> template_from(const Json& json) {
  LogTemplate read;
  BRAID_TRY(const std::size_t id, whole(json.find("id"), "id", UINT32_MAX - 1));
  BRAID_TRY(read.size, whole(json.find("size"), "size", INT64_MAX));
  const Json* text = json.find("template");
  if (id == 0 || text == nullptr || text->text() == nullptr || !is_utf8(*text->text())) {
    return wrong("a template has an id of 0, or no text");
  }
  read.id = static_cast<std::uint32_t>(id);
  const std::string_view words = *text->text();
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    const std::string_view word = words.substr(begin, end - begin);
    if (word.empty() || read.words.size() == DrainRules::kWordsMax) {
      return wrong(
          fmt::format("template {} has an empty word, or more than {}", id, DrainRules::kWordsMax));
    }
    read.words.push_back({word_hash(word), std::string(word)});
    begin = end + 1;
  }
  return read;
}

Result<DrainTree::Leaf> leaf_from(const Json& json, const DrainTree& tree) {
  DrainTree::Leaf leaf;
  BRAID_TRY(leaf.word_count, whole(json.find("words"), "words", DrainRules::kWordsMax));
  const Json::List* path = list_of(json, "path");
  const Json::List* templates = list_of(json, "templates");
  if (path == nullptr || templates == nullptr ||
      path->size() != tree.rules().path_length(leaf.word_count)) {
    return wrong("a leaf has no path of the length that 'depth' asks for");
  }
  for (const Json& word : *path) {
    if (word.text() == nullptr) {
      return wrong("a word of a path is no text");
    }
    leaf.path.push_back(*word.text());
  }
  for (const Json& item : *templates) {
    BRAID_TRY(const std::size_t place, whole(&item, "templates", tree.templates().size() - 1));
    const LogTemplate& there = tree.templates()[place];
    if (there.words.size() != leaf.word_count) {
      return wrong(
          fmt::format("template {} hangs below lines of {} words", there.id, leaf.word_count));
    }
    leaf.templates.push_back({static_cast<DrainTree::Place>(place), there.id});
  }
  return leaf;
}

Result<DrainTree> tree_from(const Json& root) {
  const Json* rules_json = root.find("rules");
  const Json::List* templates = list_of(root, "templates");
  const Json::List* leaves = list_of(root, "leaves");
  if (rules_json == nullptr || templates == nullptr || leaves == nullptr) {
    return wrong("'rules', 'templates' or 'leaves' is missing");
  }
  BRAID_TRY(const DrainRules rules, DrainRules::from(*rules_json).within("rules"));
  if (templates->empty() || templates->size() > rules.max_clusters) {
    return wrong(
        fmt::format("{} templates, but max_clusters is {}", templates->size(), rules.max_clusters));
  }
  DrainTree tree(rules);
  std::uint32_t last_id = 0;
  for (const Json& item : *templates) {
    BRAID_TRY(LogTemplate read, template_from(item));
    if (read.id <= last_id) {
      return wrong(fmt::format("the ids of templates do not rise at {}", read.id));
    }
    last_id = read.id;
    tree.put_at(static_cast<DrainTree::Place>(tree.templates().size()), std::move(read));
  }
  std::size_t reference_count = 0;
  for (const Json& item : *leaves) {
    BRAID_TRY(const DrainTree::Leaf leaf, leaf_from(item, tree));
    reference_count += leaf.templates.size();
    tree.add_leaf(leaf);
  }
  if (reference_count > templates->size()) {
    return wrong("the leaves name a template twice");  // each costs time in every search
  }
  return tree;
}

}  // namespace

LogTable::LogTable(DrainTree tree) : tree_(std::move(tree)), numbers_(tree_.templates().size()) {
  order_.resize(tree_.templates().size());
  std::iota(order_.begin(), order_.end(), DrainTree::Place{0});
  std::ranges::sort(order_, {}, [this](auto place) { return tree_.templates()[place].id; });
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    numbers_[order_[i]] = i + 1;
  }
}

Result<LogTable> LogTable::parse(std::string_view json, const std::string& name) {
  BRAID_TRY(const Json root, Json::parse(json).within(name));
  const Json* kind = root.find("kind");
  if (kind == nullptr || kind->text() == nullptr || *kind->text() != kKind) {
    return wrong(fmt::format("{}: no \"kind\": \"{}\"", name, kKind));
  }
  BRAID_TRY(DrainTree tree, tree_from(root).within(name));
  return LogTable(std::move(tree));
}

std::string LogTable::to_json() const {
  Json::List templates;
  for (const DrainTree::Place place : order_) {
    const LogTemplate& each = tree_.templates()[place];
    Json json;
    json.set("id", static_cast<std::int64_t>(each.id));
    json.set("size", static_cast<std::int64_t>(each.size));
    json.set("template", each.text());
    templates.push_back(std::move(json));
  }
  Json::List leaves;
  for (const DrainTree::Leaf& leaf : tree_.leaves()) {
    Json::List places;
    for (const DrainTree::Reference& reference : leaf.templates) {
      places.emplace_back(static_cast<std::int64_t>(numbers_[reference.place]) - 1);
    }
    Json json;
    json.set("words", static_cast<std::int64_t>(leaf.word_count));
    json.set("path", Json(Json::List(leaf.path.begin(), leaf.path.end())));
    json.set("templates", Json(std::move(places)));
    leaves.push_back(std::move(json));
  }
  Json root;
  root.set("kind", kKind);
  root.set("rules", tree_.rules().to_json());
  root.set("templates", Json(std::move(templates)));
  root.set("leaves", Json(std::move(leaves)));
  return root.dump(1) + "\n";
}

std::uint32_t LogTable::match(const LogWords& line, bool everywhere) const {
  std::optional<DrainTree::Place> place = tree_.find(line.words(), 1, true);
  if (!place.has_value() && everywhere) {
    place = tree_.find_anywhere(line.words());
  }
  return place.has_value() ? numbers_[*place] : kUnknown;
}

const LogTemplate& LogTable::numbered(std::uint32_t number) const {
  BRAID_CHECK(number >= 1 && number <= order_.size());
  return tree_.templates()[order_[number - 1]];
}

}  // namespace braid
