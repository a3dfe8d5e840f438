#include "learn/embed.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/mutex.h"
#include "learn/embedding_cache.h"
#include "learn/parallel.h"
#include "learn/raw_inputs.h"
#include "learn/run_variant.h"

namespace braid {
namespace {

/// One variant's pass over the rows. Threads: row() from several, each with another index.
class Pass {
 public:
  Pass(const Variant& variant, const Pipeline& pipeline, const FitData& data,
       const Manifest& manifest, const FitContext& context, std::string stage)
      : variant_(variant),
        pipeline_(pipeline),
        data_(data),
        manifest_(manifest),
        context_(context),
        stage_(std::move(stage)),
        raw_names_(raw_names(variant, pipeline)),
        said_(data.row_count()) {}

  Result<VariantRows> run() {
    BRAID_TRY_DO(open_cache());
    run_parallel(data_.row_count(), context_.thread_count, [this](std::size_t i) { row(i); });
    const Lock lock(mutex_);
    if (context_.stopped()) {
      return Error{Code::kCancelled, "stopped; what was embedded so far is kept"};
    }
    if (!failures_.empty()) {
      return failures_.begin()->second;
    }
    return gather();
  }

 private:
  Result<std::optional<std::vector<std::string>>> load(std::size_t row_index) const {
    return load_raws(*data_.rows[row_index], raw_names_);
  }

  static std::string key_of(const std::vector<std::string>& raws) {
    if (raws.size() == 1) {
      return sha256(raws.front());
    }
    std::string sums;
    for (const std::string& raw : raws) {
      sums += sha256(raw);
    }
    return sha256(sums);
  }

  Result<CachedEmbedding> compute(const std::vector<std::string>& raws) const {
    const TimePoint begun = context_.clock.now();
    BRAID_TRY(VariantSaid said, run_variant(variant_, pipeline_, raws));
    const std::chrono::duration<float, std::milli> took = context_.clock.now() - begun;
    CachedEmbedding embedding{std::move(said.embedding), took.count()};
    embedding.values.insert(embedding.values.end(), said.scores.begin(), said.scores.end());
    return embedding;
  }

  /// The first row that can be run tells how wide the records are, and whether those that are kept
  /// are still what the code computes: a preprocessor that was mended must not meet old numbers.
  Result<void> open_cache() {
    for (std::size_t i = 0; i < data_.row_count(); ++i) {
      const auto raws = load(i);
      if (!raws.has_value() || !raws->has_value()) {
        continue;
      }
      const auto fresh = compute(**raws);
      if (!fresh.has_value()) {
        continue;  // row() says so with its line
      }
      BRAID_TRY(const std::string digest, digest_of(variant_, pipeline_));
      width_ = fresh->values.size();
      BRAID_TRY(cache_, EmbeddingCache::open(context_.cache_folder, digest, width_));
      const auto kept = cache_->find(key_of(**raws));
      if (kept.has_value() && !alike(kept->values, fresh->values)) {
        BRAID_TRY_DO(cache_->clear());
      }
      if (!kept.has_value() || cache_->size() == 0) {
        BRAID_TRY_DO(cache_->add(key_of(**raws), *fresh));
      }
      return {};
    }
    return {};
  }

  static bool alike(const std::vector<float>& left, const std::vector<float>& right) {
    float largest = 0;
    for (const float value : left) {
      largest = std::max(largest, std::isnan(value) ? 0 : std::abs(value));
    }
    return std::ranges::equal(left, right, [largest](float a, float b) {
      return (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-3F * (1 + largest);
    });
  }

  void row(std::size_t row_index) {
    if (context_.stopped() || has_failed()) {
      return;
    }
    Result<void> done = embed_row(row_index);
    const Lock lock(mutex_);
    if (!done.has_value()) {
      const ManifestRow& row = *data_.rows[row_index];
      Error error = std::move(done).error().within(
          fmt::format("{}:{}: row '{}'", manifest_.file.string(), row.line, row.id));
      if (!context_.skip_bad || error.code == Code::kUnavailable) {
        failures_.try_emplace(row_index, std::move(error));
      } else if (context_.warn) {
        context_.warn(error.describe() + "; taken as absent");
      }
    }
    context_.tell(stage_, ++done_, data_.row_count());
  }

  Result<void> embed_row(std::size_t row_index) {
    BRAID_TRY(const auto raws, load(row_index));
    if (!raws.has_value()) {
      return {};
    }
    const std::string key = key_of(*raws);
    if (cache_ != nullptr) {
      said_[row_index] = cache_->find(key);
    }
    if (said_[row_index].has_value()) {
      return {};
    }
    BRAID_TRY(CachedEmbedding fresh, compute(*raws));
    if (cache_ == nullptr || fresh.values.size() != width_) {
      return Error{Code::kInvalidArgument,
                   fmt::format("variant '{}' gave {} numbers here and {} for another row",
                               variant_.config.name, fresh.values.size(), width_)};
    }
    BRAID_TRY_DO(cache_->add(key, fresh));
    said_[row_index] = std::move(fresh);
    return {};
  }

  bool has_failed() {
    const Lock lock(mutex_);
    return !failures_.empty();
  }

  VariantRows gather() const {
    const bool has_scores = variant_.logits.has_value() || variant_.probabilities.has_value();
    const std::size_t class_count = has_scores ? pipeline_.config.classes.size() : 0;
    const std::size_t width = width_ - std::min(width_, class_count);
    VariantRows rows{Matrix(said_.size(), width), Matrix(said_.size(), class_count), {}, 0};
    std::vector<double> times;
    for (std::size_t i = 0; i < said_.size(); ++i) {
      rows.present.push_back(said_[i].has_value());
      if (said_[i].has_value()) {
        const std::vector<float>& values = said_[i]->values;
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(width);
        std::copy(values.begin(), middle, rows.embedding.row(i).begin());
        std::copy(middle, values.end(), rows.scores.row(i).begin());
        times.push_back(static_cast<double>(said_[i]->milliseconds));
      }
    }
    if (!times.empty()) {
      std::ranges::nth_element(times,
                               times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
      rows.milliseconds = times[times.size() / 2];
    }
    return rows;
  }

  const Variant& variant_;
  const Pipeline& pipeline_;
  const FitData& data_;
  const Manifest& manifest_;
  const FitContext& context_;
  const std::string stage_;
  const std::vector<std::string> raw_names_;  // of the manifest's columns, one an input
  std::unique_ptr<EmbeddingCache> cache_;     // null while no row could be run
  std::size_t width_ = 0;
  std::vector<std::optional<CachedEmbedding>> said_;  // each written by the thread of its row
  Mutex mutex_;
  std::map<std::size_t, Error> failures_ GUARDED_BY(mutex_);  // by row
  std::size_t done_ GUARDED_BY(mutex_) = 0;
};

Result<void> check_columns(const FitSetup& setup, const Manifest& manifest) {
  for (const InputConfig& input : setup.pipeline->config.inputs) {
    if (std::ranges::find(manifest.inputs, input.from) == manifest.inputs.end()) {
      return input.settings.yaml().error(
          fmt::format("{} has no column '{}'", manifest.file.string(), input.from));
    }
  }
  return {};
}

}  // namespace

Result<EmbeddedRows> embed(const FitSetup& setup, const FitData& data, const Manifest& manifest,
                           const FitContext& context) {
  BRAID_TRY_DO(check_columns(setup, manifest));
  EmbeddedRows embedded;
  for (const Branch& branch : setup.pipeline->branches) {
    std::vector<VariantRows> of_branch;
    for (const Variant& variant : branch.variants) {
      if (setup.config.linears.contains(variant.config.name)) {
        of_branch.emplace_back();  // fit_linears() reads its rows itself: as an array they are huge
        continue;
      }
      Pass pass(variant, *setup.pipeline, data, manifest, context,
                fmt::format("{}: {}", branch.config.name, variant.config.name));
      BRAID_TRY(VariantRows rows, pass.run());
      if (std::ranges::find(rows.present, true) == rows.present.end()) {
        return variant.config.yaml.error(fmt::format(
            "no row to fit on has what '{}' needs; remove the branch or fill its column",
            variant.config.name));
      }
      of_branch.push_back(std::move(rows));
    }
    embedded.push_back(std::move(of_branch));
  }
  return embedded;
}

}  // namespace braid
