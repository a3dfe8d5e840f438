#pragma once
// DrainTree: templates below a tree of their length and first words (He et al. 2017, "Drain: An
// Online Log Parsing Approach with Fixed Depth Tree"), in the details that papers leave open as
// Drain3 does it. A place holds one template at a time; a reference knows which one it meant.
// Threads: constant functions from any.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modality/log/log_words.h"

namespace braid {

/// A word of a template, or kAnyWord.
struct TemplateWord {
  std::uint64_t hash;
  std::string text;
};

struct LogTemplate {
  std::uint32_t id = 0;    // from 1, in the order in which templates were first met; 0: none
  std::uint64_t size = 0;  // lines
  std::vector<TemplateWord> words;

  /// Words with blanks between them.
  std::string text() const;
};

class DrainTree {
 public:
  using Place = std::uint32_t;
  struct Reference {
    Place place;
    std::uint32_t id;
  };
  struct Leaf {
    std::size_t word_count;
    std::vector<std::string> path;
    std::vector<Reference> templates;
  };

  explicit DrainTree(DrainRules rules);

  const DrainRules& rules() const { return rules_; }
  const std::vector<LogTemplate>& templates() const { return templates_; }
  std::size_t node_count() const { return nodes_.size(); }

  /// The most similar template below the path of these words; of equals the one with the most
  /// wildcards, then the first. Nothing below `sim_th`, a share of the words. Wildcards count as
  /// equal when `wildcards_count`.
  std::optional<Place> find(const std::vector<LogWord>& words, double sim_th,
                            bool wildcards_count) const;
  /// Among all templates of that length, with every word equal or a wildcard.
  std::optional<Place> find_anywhere(const std::vector<LogWord>& words) const;

  /// Puts a template at a place, which may be one behind the last, and below the path of its words;
  /// what was there is forgotten.
  void put(Place place, LogTemplate added);
  /// One more line; words that differ from the template's become wildcards.
  void join(Place place, const std::vector<LogWord>& words);

  /// All leaves in the order of the search, empty ones too, and the way back.
  std::vector<Leaf> leaves() const;
  void put_at(Place place, LogTemplate added);  // without a path
  void add_leaf(const Leaf& leaf);

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Node {
    std::vector<std::uint64_t> hashes;  // of the children's words
    std::vector<std::string> words;
    std::vector<std::uint32_t> children;
    std::vector<Reference> templates;
  };
  struct Best {
    std::optional<Place> place;
    double similarity = -1;
    std::size_t wildcards = 0;
  };

  bool is_live(const Reference& reference) const {
    return templates_[reference.place].id == reference.id;
  }
  std::uint32_t child(std::uint32_t node, std::uint64_t hash, std::string_view word) const;
  std::uint32_t add_child(std::uint32_t node, std::string_view word);
  std::uint32_t first_node(std::size_t word_count);
  std::uint32_t step_or_grow(std::uint32_t node, const TemplateWord& word);
  void choose(const Node& node, const std::vector<LogWord>& words, bool wildcards_count,
              Best& best) const;
  void choose_below(std::uint32_t node, const std::vector<LogWord>& words, Best& best) const;
  void collect(std::uint32_t node, Leaf& path, std::vector<Leaf>& found) const;

  DrainRules rules_;
  std::vector<LogTemplate> templates_;  // by place
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> by_length_;  // node of each number of words
};

}  // namespace braid
