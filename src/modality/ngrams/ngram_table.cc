#include "modality/ngrams/ngram_table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "modality/ngrams/units.h"
#include "modality/text/utf8.h"

namespace braid {
namespace {

constexpr const char* kKind = "braid.ngrams.1";

struct Count {
  std::uint32_t column;
  std::uint32_t count;
};

/// How often each column came. A short text sorts what it met; from a few thousand on, counting in
/// a row as wide as the table is cheaper and bounds the memory.
class Counter {
 public:
  explicit Counter(std::size_t width) : width_(width) { met_.reserve(kMetUsual); }

  void add(std::uint32_t column) {
    ++total_;
    if (!dense_.empty()) {
      ++dense_[column];
      return;
    }
    met_.push_back(column);
    if (met_.size() == kMetMax) {
      dense_.assign(width_, 0);
      for (const std::uint32_t each : met_) {
        ++dense_[each];
      }
      met_.clear();
    }
  }

  std::size_t total() const { return total_; }

  std::vector<Count> take() {
    std::vector<Count> counts;
    if (dense_.empty()) {
      std::ranges::sort(met_);
      counts.reserve(met_.size());
      for (const std::uint32_t column : met_) {
        if (counts.empty() || counts.back().column != column) {
          counts.push_back({column, 0});
        }
        ++counts.back().count;
      }
      return counts;
    }
    for (std::uint32_t column = 0; column < dense_.size(); ++column) {
      if (dense_[column] > 0) {
        counts.push_back({column, dense_[column]});
      }
    }
    return counts;
  }

 private:
  static constexpr std::size_t kMetMax = 4096;
  static constexpr std::size_t kMetUsual = 256;  // of a few sentences: one allocation

  const std::size_t width_;
  std::size_t total_ = 0;
  std::vector<std::uint32_t> met_;
  std::vector<std::uint32_t> dense_;
};

Error wrong(const std::string& name, const std::string& what) {
  return Error{Code::kInvalidArgument,
               fmt::format("{}: {}; a table of n-grams is written by `braid fit`, or as "
                           "docs/ngrams-and-logs.md shows",
                           name, what)};
}

Result<std::vector<std::string>> texts_in(const Json* list, const std::string& name) {
  std::vector<std::string> texts;
  if (list == nullptr || list->list() == nullptr) {
    return wrong(name, "'terms' is no list");
  }
  for (const Json& item : *list->list()) {
    if (item.text() == nullptr) {
      return wrong(name, fmt::format("term {} is {}", texts.size(), item.kind()));
    }
    texts.push_back(*item.text());
  }
  return texts;
}

}  // namespace

Result<NgramTable> NgramTable::build(const NgramRules& rules, std::span<const std::string> terms,
                                     std::vector<double> weights) {
  const auto refuse = [](std::string what) {
    return Error{Code::kInvalidArgument, std::move(what)};
  };
  if (terms.empty() || terms.size() > kTermsMax) {
    return refuse(fmt::format("{} terms; a table has 1 … {}", terms.size(), kTermsMax));
  }
  if (weights.size() != terms.size()) {
    return refuse(fmt::format("{} terms, but {} weights", terms.size(), weights.size()));
  }
  NgramTable table;
  table.rules_ = rules;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    bytes += terms[i].size();
    if (!is_utf8(terms[i]) || bytes > UINT32_MAX) {
      return refuse(fmt::format("term {} is not UTF-8, or all are too long", i));
    }
    if (!std::isfinite(weights[i])) {
      return refuse(fmt::format("the weight of term {} is not finite", i));
    }
    if (table.terms_.add(Terms::hash_of(terms[i]), terms[i]) != i) {
      return refuse(fmt::format("term {} comes twice", i));
    }
  }
  table.weights_ = std::move(weights);
  return table;
}

Result<NgramTable> NgramTable::parse(std::string_view json, const std::string& name) {
  BRAID_TRY(const Json root, Json::parse(json).within(name));
  const Json* kind = root.find("kind");
  if (kind == nullptr || kind->text() == nullptr || *kind->text() != kKind) {
    return wrong(name, fmt::format("no \"kind\": \"{}\"", kKind));
  }
  const Json* rules_json = root.find("rules");
  if (rules_json == nullptr || rules_json->map() == nullptr) {
    return wrong(name, "'rules' is no map");
  }
  BRAID_TRY(const NgramRules rules, NgramRules::from(*rules_json).within(name + ": rules"));
  BRAID_TRY(const std::vector<std::string> terms, texts_in(root.find("terms"), name));
  const Json* idf = root.find("idf");
  if (idf == nullptr || idf->list() == nullptr) {
    return wrong(name, "'idf' is no list");
  }
  std::vector<double> weights;
  for (const Json& item : *idf->list()) {
    weights.push_back(item.is_number() ? item.number() : std::nan(""));
  }
  return build(rules, terms, std::move(weights)).within(name);
}

std::string NgramTable::to_json() const {
  Json::List terms;
  for (std::uint32_t i = 0; i < terms_.size(); ++i) {
    terms.emplace_back(terms_[i]);
  }
  Json root;
  root.set("kind", kKind);
  root.set("rules", rules_.to_json());
  root.set("terms", Json(std::move(terms)));
  root.set("idf", json_list(weights_));
  return root.dump() + "\n";
}

SparseRow NgramTable::weigh(Bytes text) const {
  SparseRow row;
  Counter counter(width());
  Units(rules_, text).for_each_ngram([&](std::uint64_t hash, std::string_view ngram) {
    ++row.ngram_count;
    const std::uint32_t column = terms_.find(hash, ngram);
    if (column != Terms::kNone) {
      counter.add(column);
    }
  });
  row.known_count = counter.total();
  const std::vector<Count> counts = counter.take();
  std::vector<double> values;
  values.reserve(counts.size());
  row.columns.reserve(counts.size());
  double square_sum = 0;
  for (const Count& each : counts) {
    const auto count = static_cast<double>(each.count);
    const double frequency = rules_.sublinear ? 1 + std::log(count) : count;
    const double value = frequency * weights_[each.column];
    if (value == 0) {
      continue;
    }
    row.columns.push_back(each.column);
    values.push_back(value);
    square_sum += value * value;
  }
  const double scale = rules_.unit_length && square_sum > 0 ? 1 / std::sqrt(square_sum) : 1;
  row.values.reserve(values.size());
  for (const double value : values) {
    row.values.push_back(static_cast<float>(value * scale));
  }
  return row;
}

}  // namespace braid
