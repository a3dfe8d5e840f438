#include "model/xgboost_file.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "model/ubjson.h"

namespace braid {
namespace {

constexpr std::int64_t kColumnsMax = 1 << 20;
constexpr std::int64_t kClassesMax = 1 << 16;
constexpr std::int64_t kNoNode = 2'147'483'647;  // the parent of a root

Error broken(std::string_view what) {
  return Error{Code::kInvalidArgument, fmt::format("not a valid XGBoost model: {}", what)};
}

/// XGBoost writes NaN and Infinity into its JSON, which JSON does not have. They are thresholds and
/// weights, which are not looked at here: they become as many blanks around a 0.
std::string without_infinities(std::string_view text) {
  std::string plain(text);
  bool quoted = false;
  for (std::size_t at = 0; at < plain.size(); ++at) {
    if (plain[at] == '"') {
      quoted = !quoted;
    } else if (quoted && plain[at] == '\\') {
      ++at;
    } else if (!quoted && (plain[at] == 'N' || plain[at] == 'I')) {
      const std::string_view word = plain[at] == 'N' ? "NaN" : "Infinity";
      if (std::string_view(plain).substr(at).starts_with(word)) {
        plain.replace(at, word.size(), std::string(word.size() - 1, ' ').insert(0, "0"));
      }
    }
  }
  return plain;
}

Result<Json> parse(std::string_view bytes) {
  // Both begin with '{'; the binary form goes on with the type of a length.
  const bool binary = bytes.size() > 1 && std::string_view("iUIlL#$}").find(bytes[1]) != bytes.npos;
  return binary ? parse_ubjson(bytes) : Json::parse(without_infinities(bytes));
}

/// Follows keys through maps; null when one is missing.
const Json* find(const Json& from, std::initializer_list<std::string_view> keys) {
  const Json* at = &from;
  for (const std::string_view key : keys) {
    at = at == nullptr ? nullptr : at->find(key);
  }
  return at;
}

/// XGBoost writes parameters as strings: "num_feature": "4".
Result<std::int64_t> parameter(const Json& from, std::initializer_list<std::string_view> keys,
                               std::int64_t max) {
  const Json* found = find(from, keys);
  const std::string* text = found == nullptr ? nullptr : found->text();
  std::int64_t value = -1;
  if (text != nullptr) {
    const auto read = std::from_chars(text->data(), text->data() + text->size(), value);
    value = read.ptr == text->data() + text->size() && read.ec == std::errc() ? value : -1;
  }
  if (value < 0 || value > max) {
    return broken(fmt::format("{} is no number from 0 to {}", *(keys.end() - 1), max));
  }
  return value;
}

Result<std::vector<std::int64_t>> integers(const Json& from, std::string_view key) {
  const Json* found = from.find(key);
  if (found == nullptr || found->list() == nullptr) {
    return broken(fmt::format("there is no list '{}'", key));
  }
  std::vector<std::int64_t> values;
  for (const Json& item : *found->list()) {
    std::int64_t value = 0;
    if (!item.integer(value)) {
      return broken(fmt::format("'{}' holds {}", key, item.kind()));
    }
    values.push_back(value);
  }
  return values;
}

struct Nodes {
  std::vector<std::int64_t> left;  // -1 for a leaf
  std::vector<std::int64_t> right;
  std::vector<std::int64_t> parents;
  std::vector<std::int64_t> columns;

  std::int64_t size() const { return static_cast<std::int64_t>(left.size()); }
  /// A node, or one of the two numbers that XGBoost writes for none.
  bool is_link(std::int64_t node) const {
    return node == -1 || node == kNoNode || (node >= 0 && node < size());
  }
};

/// Whether walking down from the root ends in a leaf on every way, and up again at the root. Nodes
/// that were pruned are not on a way; their links must lead somewhere all the same.
bool is_a_tree(const Nodes& nodes, std::int64_t column_count) {
  for (std::size_t at = 0; at < nodes.left.size(); ++at) {
    if (!nodes.is_link(nodes.left[at]) || !nodes.is_link(nodes.right[at]) ||
        !nodes.is_link(nodes.parents[at])) {
      return false;
    }
  }
  std::vector<bool> seen(nodes.left.size(), false);
  std::vector<std::pair<std::int64_t, std::int64_t>> open = {{0, kNoNode}};  // node, its parent
  while (!open.empty()) {
    const auto [node, parent] = open.back();
    open.pop_back();
    const auto at = static_cast<std::size_t>(node);
    if (node < 0 || node >= nodes.size() || seen[at]) {
      return false;
    }
    if (nodes.parents[at] != parent && !(node == 0 && nodes.parents[at] == -1)) {
      return false;
    }
    seen[at] = true;
    if (nodes.left[at] == -1 && nodes.right[at] == -1) {
      continue;
    }
    if (nodes.columns[at] < 0 || nodes.columns[at] >= column_count) {
      return false;
    }
    open.emplace_back(nodes.left[at], node);
    open.emplace_back(nodes.right[at], node);
  }
  return true;
}

/// Splits by category, each of which has a stretch of one list of categories.
struct CategoricalSplits {
  std::vector<std::int64_t> nodes;  // ascending
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> types;  // of every node: 1 for a split by category, else 0

  bool fit(std::size_t category_count) const {
    const auto categories = static_cast<std::int64_t>(category_count);
    if (begins.size() != nodes.size() || sizes.size() != nodes.size()) {
      return false;
    }
    std::vector<std::int64_t> by_type;
    for (std::size_t node = 0; node < types.size(); ++node) {
      if (types[node] != 0) {
        by_type.push_back(static_cast<std::int64_t>(node));
      }
    }
    bool fits = by_type == nodes;
    for (std::size_t i = 0; fits && i < nodes.size(); ++i) {
      fits = begins[i] >= 0 && begins[i] < categories && sizes[i] > 0 &&
             sizes[i] <= categories - begins[i];
    }
    return fits;
  }
};

Result<void> check_categories(const Json& tree, std::size_t node_count) {
  CategoricalSplits splits;
  BRAID_TRY(splits.nodes, integers(tree, "categories_nodes"));
  BRAID_TRY(splits.begins, integers(tree, "categories_segments"));
  BRAID_TRY(splits.sizes, integers(tree, "categories_sizes"));
  BRAID_TRY(splits.types, integers(tree, "split_type"));
  BRAID_TRY(const auto categories, integers(tree, "categories"));
  for (const std::int64_t category : categories) {
    if (category < 0 || category >= 1 << 24) {
      return broken(fmt::format("category {} is no code", category));
    }
  }
  if (splits.types.size() != node_count || !splits.fit(categories.size())) {
    return broken("its lists of categories do not fit together");
  }
  return {};
}

Result<void> check_tree(const Json& tree, std::int64_t column_count) {
  Nodes nodes;
  BRAID_TRY(nodes.left, integers(tree, "left_children"));
  BRAID_TRY(nodes.right, integers(tree, "right_children"));
  BRAID_TRY(nodes.parents, integers(tree, "parents"));
  BRAID_TRY(nodes.columns, integers(tree, "split_indices"));
  BRAID_TRY(const std::int64_t told, parameter(tree, {"tree_param", "num_nodes"}, kNoNode));
  BRAID_TRY(const std::int64_t leaf_width,
            parameter(tree, {"tree_param", "size_leaf_vector"}, kClassesMax));
  if (leaf_width > 1) {
    return Error{Code::kUnsupported,
                 "leaves of several numbers; train with multi_strategy one_output_per_tree"};
  }
  for (const char* key :
       {"left_children", "right_children", "parents", "split_indices", "split_conditions",
        "base_weights", "default_left", "loss_changes", "sum_hessian"}) {
    const Json* list = tree.find(key);
    if (list == nullptr || list->list() == nullptr || list->list()->size() != nodes.left.size()) {
      return broken(fmt::format("'{}' has not one entry a node", key));
    }
  }
  if (told != nodes.size() || !is_a_tree(nodes, column_count)) {
    return broken("its nodes are no tree over its columns");
  }
  return tree.find("split_type") == nullptr ? Result<void>()  // written before XGBoost 1.3
                                            : check_categories(tree, nodes.left.size());
}

Result<void> check_forest(const Json& forest, const XgboostFile& file, std::int64_t targets) {
  const Json* trees = forest.find("trees");
  if (trees == nullptr || trees->list() == nullptr) {
    return broken("there is no list 'trees'");
  }
  const auto tree_count = static_cast<std::int64_t>(trees->list()->size());
  BRAID_TRY(const std::int64_t told,
            parameter(forest, {"gbtree_model_param", "num_trees"}, kNoNode));
  BRAID_TRY(const auto groups, integers(forest, "tree_info"));
  const auto group_count =
      std::max({std::int64_t{1}, targets, static_cast<std::int64_t>(file.class_count)});
  for (const std::int64_t group : groups) {
    if (group < 0 || group >= group_count) {
      return broken(fmt::format("a tree belongs to output {} of {}", group, group_count));
    }
  }
  if (told != tree_count || groups.size() != trees->list()->size()) {
    return broken("num_trees, tree_info and trees disagree");
  }
  if (forest.find("iteration_indptr") != nullptr) {
    BRAID_TRY(const auto rounds, integers(forest, "iteration_indptr"));
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      if (rounds[i] < (i == 0 ? 0 : rounds[i - 1]) || rounds[i] > tree_count) {
        return broken("iteration_indptr does not count up to its trees");
      }
    }
  }
  for (std::size_t i = 0; i < trees->list()->size(); ++i) {
    BRAID_TRY_DO(check_tree((*trees->list())[i], static_cast<std::int64_t>(file.column_count))
                     .within(fmt::format("tree {}", i)));
  }
  return {};
}

}  // namespace

Result<XgboostFile> read_xgboost_file(std::string_view bytes) {
  Result<Json> parsed = parse(bytes);
  if (!parsed.has_value()) {
    return broken(parsed.error().message);
  }
  const Json& root = *parsed;
  XgboostFile file;
  BRAID_TRY(const auto version, integers(root, "version"));
  if (version.size() != file.version.size()) {
    return broken("'version' has not three numbers");
  }
  std::copy(version.begin(), version.end(), file.version.begin());
  const Json* objective = find(root, {"learner", "objective", "name"});
  const Json* booster = find(root, {"learner", "gradient_booster", "name"});
  if (objective == nullptr || objective->text() == nullptr || booster == nullptr ||
      booster->text() == nullptr) {
    return broken("objective or gradient_booster has no name");
  }
  file.objective = *objective->text();
  BRAID_TRY(const std::int64_t columns,
            parameter(root, {"learner", "learner_model_param", "num_feature"}, kColumnsMax));
  BRAID_TRY(const std::int64_t classes,
            parameter(root, {"learner", "learner_model_param", "num_class"}, kClassesMax));
  std::int64_t targets = 1;  // a parameter since 1.6
  if (find(root, {"learner", "learner_model_param", "num_target"}) != nullptr) {
    BRAID_TRY(targets,
              parameter(root, {"learner", "learner_model_param", "num_target"}, kClassesMax));
  }
  file.column_count = static_cast<std::size_t>(columns);
  file.class_count = static_cast<std::size_t>(classes);
  if (columns == 0) {
    return broken("it has no column");
  }
  const Json* forest =
      *booster->text() == "gbtree" ? find(root, {"learner", "gradient_booster", "model"})
      : *booster->text() == "dart" ? find(root, {"learner", "gradient_booster", "gbtree", "model"})
                                   : nullptr;
  if (*booster->text() != "gbtree" && *booster->text() != "dart") {
    return Error{Code::kUnsupported,
                 fmt::format("booster '{}' is no forest; train with gbtree", *booster->text())};
  }
  if (forest == nullptr) {
    return broken("gradient_booster has no model");
  }
  BRAID_TRY_DO(check_forest(*forest, file, targets));
  return file;
}

}  // namespace braid
