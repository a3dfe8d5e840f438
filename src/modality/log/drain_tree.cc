#include "modality/log/drain_tree.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "modality/text/python_text.h"
#include "modality/text/utf8.h"

namespace braid {
namespace {

const std::uint64_t kAnyHash = word_hash(kAnyWord);

bool is_any(const TemplateWord& word) { return word.hash == kAnyHash && word.text == kAnyWord; }

bool has_digit(std::string_view word) {
  for (std::size_t at = 0; at < word.size();) {
    if (is_python_digit(next_code_point(word, at))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string LogTemplate::text() const {
  std::string all;
  for (const TemplateWord& word : words) {
    all += (all.empty() ? "" : " ") + word.text;
  }
  return all;
}

DrainTree::DrainTree(DrainRules rules)
    : rules_(std::move(rules)), by_length_(DrainRules::kWordsMax + 1, kNone) {}

std::uint32_t DrainTree::child(std::uint32_t node, std::uint64_t hash,
                               std::string_view word) const {
  const Node& parent = nodes_[node];
  for (std::size_t i = 0; i < parent.hashes.size(); ++i) {
    if (parent.hashes[i] == hash && parent.words[i] == word) {
      return parent.children[i];
    }
  }
  return kNone;
}

std::uint32_t DrainTree::add_child(std::uint32_t node, std::string_view word) {
  const auto added = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  nodes_[node].hashes.push_back(word_hash(word));
  nodes_[node].words.emplace_back(word);
  nodes_[node].children.push_back(added);
  return added;
}

std::uint32_t DrainTree::first_node(std::size_t word_count) {
  if (by_length_[word_count] == kNone) {
    by_length_[word_count] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  }
  return by_length_[word_count];
}

std::optional<DrainTree::Place> DrainTree::find(const std::vector<LogWord>& words, double sim_th,
                                                bool wildcards_count) const {
  std::uint32_t node = by_length_[words.size()];
  for (std::size_t i = 0; node != kNone && i < rules_.path_length(words.size()); ++i) {
    const std::uint32_t exact = child(node, words[i].hash, words[i].text);
    node = exact != kNone ? exact : child(node, kAnyHash, kAnyWord);
  }
  if (node == kNone) {
    return std::nullopt;
  }
  Best best;
  choose(nodes_[node], words, wildcards_count, best);
  return best.similarity >= sim_th ? best.place : std::nullopt;
}

std::optional<DrainTree::Place> DrainTree::find_anywhere(const std::vector<LogWord>& words) const {
  Best best;
  if (by_length_[words.size()] != kNone) {
    choose_below(by_length_[words.size()], words, best);
  }
  return best.similarity >= 1 ? best.place : std::nullopt;
}

void DrainTree::choose_below(std::uint32_t node, const std::vector<LogWord>& words,
                             Best& best) const {
  choose(nodes_[node], words, true, best);
  for (const std::uint32_t below : nodes_[node].children) {
    choose_below(below, words, best);
  }
}

void DrainTree::choose(const Node& node, const std::vector<LogWord>& words, bool wildcards_count,
                       Best& best) const {
  for (const Reference& reference : node.templates) {
    if (!is_live(reference)) {
      continue;
    }
    const std::vector<TemplateWord>& against = templates_[reference.place].words;
    std::size_t equal = 0;
    std::size_t wildcards = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (is_any(against[i])) {
        ++wildcards;
      } else if (against[i].hash == words[i].hash && against[i].text == words[i].text) {
        ++equal;
      }
    }
    equal += wildcards_count ? wildcards : 0;
    const double similarity =
        words.empty() ? 1 : static_cast<double>(equal) / static_cast<double>(words.size());
    if (similarity > best.similarity ||
        (similarity == best.similarity && wildcards > best.wildcards)) {
      best = {reference.place, similarity, wildcards};
    }
  }
}

/// Where a new template goes on; a node that is full, and a word with a digit, lead to "<*>".
std::uint32_t DrainTree::step_or_grow(std::uint32_t node, const TemplateWord& word) {
  const std::uint32_t exact = child(node, word.hash, word.text);
  if (exact != kNone) {
    return exact;
  }
  const std::uint32_t any = child(node, kAnyHash, kAnyWord);
  const auto any_or_new = [&] { return any != kNone ? any : add_child(node, kAnyWord); };
  if (rules_.parametrize_numeric_tokens && has_digit(word.text)) {
    return any_or_new();
  }
  const std::size_t child_count = nodes_[node].children.size();
  const std::size_t kept_for_any = any != kNone ? 0 : 1;
  return child_count + kept_for_any < rules_.max_children ? add_child(node, word.text)
                                                          : any_or_new();
}

void DrainTree::put_at(Place place, LogTemplate added) {
  BRAID_CHECK(place <= templates_.size());
  if (place == templates_.size()) {
    templates_.emplace_back();
  }
  templates_[place] = std::move(added);
}

void DrainTree::put(Place place, LogTemplate added) {
  put_at(place, std::move(added));
  const LogTemplate& here = templates_[place];
  std::uint32_t node = first_node(here.words.size());
  for (std::size_t i = 0; i < rules_.path_length(here.words.size()); ++i) {
    node = step_or_grow(node, here.words[i]);
  }
  std::vector<Reference>& references = nodes_[node].templates;
  std::erase_if(references, [this](const Reference& each) { return !is_live(each); });
  references.push_back({place, here.id});
}

void DrainTree::join(Place place, const std::vector<LogWord>& words) {
  LogTemplate& joined = templates_[place];
  BRAID_CHECK(joined.words.size() == words.size());
  ++joined.size;
  for (std::size_t i = 0; i < words.size(); ++i) {
    TemplateWord& word = joined.words[i];
    if (word.hash != words[i].hash || word.text != words[i].text) {
      word = {kAnyHash, std::string(kAnyWord)};
    }
  }
}

std::vector<DrainTree::Leaf> DrainTree::leaves() const {
  std::vector<Leaf> found;
  for (std::size_t count = 0; count < by_length_.size(); ++count) {
    if (by_length_[count] != kNone) {
      Leaf path{count, {}, {}};
      collect(by_length_[count], path, found);
    }
  }
  return found;
}

void DrainTree::collect(std::uint32_t node, Leaf& path, std::vector<Leaf>& found) const {
  if (path.path.size() == rules_.path_length(path.word_count)) {
    Leaf leaf = path;
    for (const Reference& reference : nodes_[node].templates) {
      if (is_live(reference)) {
        leaf.templates.push_back(reference);
      }
    }
    found.push_back(std::move(leaf));
    return;
  }
  for (std::size_t i = 0; i < nodes_[node].children.size(); ++i) {
    path.path.push_back(nodes_[node].words[i]);
    collect(nodes_[node].children[i], path, found);
    path.path.pop_back();
  }
}

void DrainTree::add_leaf(const Leaf& leaf) {
  std::uint32_t node = first_node(leaf.word_count);
  for (const std::string& word : leaf.path) {
    const std::uint32_t next = child(node, word_hash(word), word);
    node = next != kNone ? next : add_child(node, word);
  }
  for (const Reference& reference : leaf.templates) {
    nodes_[node].templates.push_back(reference);
  }
}

}  // namespace braid
