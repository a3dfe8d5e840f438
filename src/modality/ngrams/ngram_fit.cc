#include "modality/ngrams/ngram_fit.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "modality/ngrams/units.h"

namespace braid {
namespace {

/// Of the limits that scikit-learn takes as a count from 1 on and as a share below.
double in_texts(double limit, std::uint32_t text_count) {
  return limit >= 1 ? limit : limit * text_count;
}

}  // namespace

Result<NgramFitOptions> NgramFitOptions::from(const Settings& settings) {
  NgramFitOptions options;
  BRAID_TRY(options.min_df, settings.number("min_df", options.min_df, 0, 1e9));
  BRAID_TRY(options.max_df, settings.number("max_df", options.max_df, 0, 1e9));
  BRAID_TRY(const auto terms_max,
            settings.integer("max_features", static_cast<std::int64_t>(options.terms_max), 1,
                             static_cast<std::int64_t>(NgramTable::kTermsMax)));
  BRAID_TRY(options.smooth_idf, settings.flag("smooth_idf", true));
  BRAID_TRY(options.use_idf, settings.flag("use_idf", true));
  BRAID_TRY(const auto candidates_max,
            settings.integer("candidates_max", static_cast<std::int64_t>(options.candidates_max), 1,
                             100'000'000));
  options.terms_max = static_cast<std::size_t>(terms_max);
  options.candidates_max = static_cast<std::size_t>(candidates_max);
  return options;
}

NgramFit::NgramFit(const NgramRules& rules, const NgramFitOptions& options)
    : rules_(rules), options_(options) {}

Result<void> NgramFit::add(Bytes text) {
  constexpr std::size_t kBytesMax = std::size_t{2} << 30;
  if (text.size() > NgramRules::kTextBytesMax) {
    return Error{Code::kExhausted, fmt::format("a text of {} bytes; at most {} can be fitted on",
                                               text.size(), NgramRules::kTextBytesMax)};
  }
  ++text_count_;
  bool full = false;
  Units(rules_, text).for_each_ngram([&](std::uint64_t hash, std::string_view ngram) {
    if (full) {
      return;
    }
    const std::uint32_t number = candidates_.add(hash, ngram);
    if (number == tallies_.size()) {
      tallies_.emplace_back();
      full = candidates_.size() > options_.candidates_max || candidates_.text_bytes() > kBytesMax;
    }
    Tally& tally = tallies_[number];
    ++tally.occurrences;
    tally.texts += tally.last_text == text_count_ ? 0 : 1;
    tally.last_text = text_count_;
  });
  if (full) {
    return Error{Code::kExhausted,
                 fmt::format("more than {} distinct n-grams in {} texts (candidates_max); narrow "
                             "ngram_range, or fit on fewer texts",
                             options_.candidates_max, text_count_)};
  }
  return {};
}

Result<NgramTable> NgramFit::finish() && {
  const double least = in_texts(options_.min_df, text_count_);
  const double most = options_.max_df > 0 ? in_texts(options_.max_df, text_count_) : text_count_;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t number = 0; number < candidates_.size(); ++number) {
    if (tallies_[number].texts >= least && tallies_[number].texts <= most) {
      kept.push_back(number);
    }
  }
  // Bytes of UTF-8 have the order of code points.
  std::ranges::sort(kept, {}, [&](std::uint32_t number) { return candidates_[number]; });
  if (kept.size() > options_.terms_max) {
    std::ranges::stable_sort(kept, std::ranges::greater{},
                             [&](std::uint32_t number) { return tallies_[number].occurrences; });
    kept.resize(options_.terms_max);
    std::ranges::sort(kept, {}, [&](std::uint32_t number) { return candidates_[number]; });
  }
  if (kept.empty()) {
    return Error{Code::kInvalidArgument,
                 fmt::format("no term is left of {} distinct n-grams in {} texts; lower min_df or "
                             "raise max_df",
                             candidates_.size(), text_count_)};
  }
  std::vector<std::string> terms;
  std::vector<double> weights;
  const double added = options_.smooth_idf ? 1 : 0;
  for (const std::uint32_t number : kept) {
    terms.emplace_back(candidates_[number]);
    weights.push_back(options_.use_idf
                          ? std::log((text_count_ + added) / (tallies_[number].texts + added)) + 1
                          : 1);
  }
  return NgramTable::build(rules_, terms, std::move(weights));
}

}  // namespace braid
