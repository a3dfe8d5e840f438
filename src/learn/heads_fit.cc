#include "learn/heads_fit.h"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include "base/mutex.h"
#include "learn/parallel.h"
#include "learn/temperature.h"

namespace braid {
namespace {

/// Blocks wider than this are reduced unless FIT.yaml says otherwise: with fewer rows than columns
/// the trailing directions are noise, and they make a fit slow.
constexpr std::size_t kWidthMax = 512;
constexpr std::size_t kComponents = 150;

using BlockKey = std::pair<std::size_t, std::string>;  // branch and space

/// The first variant that writes into the space is what its heads are fitted on.
std::size_t first_variant(const Branch& branch, const std::string& space) {
  for (std::size_t v = 0; v < branch.variants.size(); ++v) {
    if (branch.variants[v].config.space == space) {
      return v;
    }
  }
  BRAID_CHECK(false && "a space is some variant's");
  return 0;
}

/// A fit of everything on the rows outside one fold, or on all rows.
struct Split {
  std::vector<std::size_t> training;  // row indices
  HeadLabels labels;
  std::map<BlockKey, Block> blocks;
  std::vector<Head> heads;
};

Split split_of(const FitData& data, std::size_t left_out) {
  Split split;
  split.labels.class_count = data.classes.size();
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (data.folds[i] != left_out) {
      split.training.push_back(i);
      split.labels.labels.push_back(data.labels[i]);
      split.labels.weights.push_back(data.weights[i]);
    }
  }
  return split;
}

class Fitting {
 public:
  Fitting(const std::vector<HeadPlan>& plans, const FitSetup& setup, const FitData& data,
          const EmbeddedRows& embedded, const FitContext& context)
      : plans_(plans), setup_(setup), data_(data), embedded_(embedded), context_(context) {
    for (std::size_t fold = 0; fold <= setup.config.options.folds; ++fold) {
      splits_.push_back(split_of(data, fold));  // the last one leaves nothing out
      splits_.back().heads.resize(plans.size());
    }
    for (const HeadPlan& plan : plans) {
      for (std::size_t i = 0; i < plan.branches.size(); ++i) {
        const BlockKey key{plan.branches[i], plan.spaces[i]};
        if (std::ranges::find(keys_, key) == keys_.end()) {
          keys_.push_back(key);
        }
      }
    }
  }

  Result<std::vector<FittedHead>> run() {
    BRAID_TRY_DO(make_blocks());
    BRAID_TRY_DO(fit_all());
    std::vector<FittedHead> heads;
    for (std::size_t h = 0; h < plans_.size(); ++h) {
      heads.push_back(gather(h));
    }
    return heads;
  }

 private:
  Source source_of(const BlockKey& key) const {
    const std::size_t variant = first_variant(setup_.pipeline->branches[key.first], key.second);
    const VariantRows& rows = embedded_[key.first][variant];
    return {rows.embedding, rows.present};
  }

  std::size_t components_of(const BlockKey& key, std::size_t width) const {
    const auto& given = setup_.config.options.components;
    const auto found = given.find(setup_.pipeline->config.branches[key.first].name);
    if (found != given.end()) {
      return found->second;
    }
    return width > kWidthMax ? kComponents : 0;
  }

  Result<void> make_blocks() {
    std::vector<Source> sources;
    for (const BlockKey& key : keys_) {
      sources.push_back(source_of(key));
      for (std::size_t fold = 0; fold < splits_.size(); ++fold) {
        splits_[fold].blocks[key];  // made here, so that threads find their places
        const bool any = std::ranges::any_of(splits_[fold].training, [&](std::size_t i) {
          return static_cast<bool>(sources.back().present[i]);
        });
        if (!any) {
          return Error{Code::kInvalidArgument,
                       fmt::format("all rows that have branch '{}' are in one fold; it has too few "
                                   "to fit on",
                                   setup_.pipeline->config.branches[key.first].name)};
        }
      }
    }
    std::atomic<std::size_t> done = 0;
    const std::size_t total = keys_.size() * splits_.size();
    run_parallel(total, context_.thread_count, [&](std::size_t task) {
      const std::size_t k = task % keys_.size();
      Split& split = splits_[task / keys_.size()];
      if (!context_.stopped()) {
        split.blocks.at(keys_[k]) =
            make_block(sources[k], split.training, components_of(keys_[k], sources[k].rows.width));
      }
      tell("scaling embeddings", ++done, total);
    });
    return ended();
  }

  Result<void> fit_all() {
    const HeadOptions options{.strength = setup_.config.options.strength,
                              .dropout = setup_.config.options.dropout};
    std::atomic<std::size_t> done = 0;
    const std::size_t total = plans_.size() * splits_.size();
    run_parallel(total, context_.thread_count, [&](std::size_t task) {
      const HeadPlan& plan = plans_[task % plans_.size()];
      Split& split = splits_[task / plans_.size()];
      if (!context_.stopped()) {
        std::vector<const Block*> blocks;
        for (std::size_t i = 0; i < plan.branches.size(); ++i) {
          blocks.push_back(&split.blocks.at({plan.branches[i], plan.spaces[i]}));
        }
        split.heads[task % plans_.size()] = fit_head(blocks, split.labels, options);
      }
      tell("fitting heads", ++done, total);
    });
    return ended();
  }

  /// What the head of each fold says of the rows that it was not fitted on.
  FittedHead gather(std::size_t h) const {
    const HeadPlan& plan = plans_[h];
    const std::size_t classes = data_.classes.size();
    FittedHead fitted{plan, splits_.back().heads[h], 1, {}, Matrix(data_.row_count(), classes)};
    fitted.shares.resize(plan.branches.size());
    for (std::size_t fold = 0; fold + 1 < splits_.size(); ++fold) {
      std::vector<std::size_t> tested;
      for (std::size_t i = 0; i < data_.row_count(); ++i) {
        if (data_.folds[i] == fold) {
          tested.push_back(i);
          std::ranges::copy(splits_[fold].heads[h].bias, fitted.bias.row(i).begin());
        }
      }
      for (std::size_t part = 0; part < plan.branches.size(); ++part) {
        add_shares(splits_[fold].heads[h].parts[part], plan, part, tested, fitted);
      }
    }
    calibrate(fitted);
    return fitted;
  }

  void add_shares(const HeadPart& head_part, const HeadPlan& plan, std::size_t part,
                  const std::vector<std::size_t>& tested, FittedHead& fitted) const {
    const std::size_t b = plan.branches[part];
    const Branch& branch = setup_.pipeline->branches[b];
    for (std::size_t v = 0; v < branch.variants.size(); ++v) {
      if (branch.variants[v].config.space != plan.spaces[part]) {
        continue;
      }
      const Matrix logits = part_logits(head_part, rows_of(embedded_[b][v].embedding, tested));
      Matrix& share = fitted.shares[part][v];
      if (share.row_count == 0) {
        share = Matrix(data_.row_count(), data_.classes.size());
      }
      for (std::size_t i = 0; i < tested.size(); ++i) {
        std::ranges::copy(logits.row(i), share.row(tested[i]).begin());
      }
    }
  }

  /// On rows as they are, with every part that each has.
  void calibrate(FittedHead& fitted) const {
    Pattern pattern(setup_.pipeline->branches.size());
    for (std::size_t part = 0; part < fitted.plan.branches.size(); ++part) {
      pattern[fitted.plan.branches[part]] = fitted.shares[part].begin()->first;
    }
    const HeadSaid said = head_says(fitted, pattern, embedded_);
    std::vector<std::size_t> here;
    std::vector<std::size_t> labels;
    std::vector<double> weights;
    for (std::size_t i = 0; i < data_.row_count(); ++i) {
      if (said.present[i]) {
        here.push_back(i);
        labels.push_back(data_.labels[i]);
        weights.push_back(data_.weights[i]);
      }
    }
    fitted.temperature = fit_temperature(rows_of(said.logits, here), labels, weights);
  }

  void tell(const std::string& stage, std::size_t done, std::size_t total) {
    const Lock lock(telling_);
    context_.tell(stage, done, total);
  }

  Result<void> ended() const {
    if (context_.stopped()) {
      return Error{Code::kCancelled, "stopped before the heads were fitted"};
    }
    return {};
  }

  const std::vector<HeadPlan>& plans_;
  const FitSetup& setup_;
  const FitData& data_;
  const EmbeddedRows& embedded_;
  const FitContext& context_;
  std::vector<Split> splits_;
  std::vector<BlockKey> keys_;
  Mutex telling_;
};

}  // namespace

Result<std::vector<FittedHead>> fit_heads(const std::vector<HeadPlan>& plans, const FitSetup& setup,
                                          const FitData& data, const EmbeddedRows& embedded,
                                          const FitContext& context) {
  if (plans.empty()) {
    return std::vector<FittedHead>{};
  }
  return Fitting(plans, setup, data, embedded, context).run();
}

HeadSaid head_says(const FittedHead& head, const Pattern& pattern, const EmbeddedRows& embedded) {
  HeadSaid said{head.bias, std::vector<bool>(head.bias.row_count)};
  for (std::size_t part = 0; part < head.plan.branches.size(); ++part) {
    const std::size_t b = head.plan.branches[part];
    if (!pattern[b].has_value()) {
      continue;
    }
    const auto share = head.shares[part].find(*pattern[b]);
    BRAID_CHECK(share != head.shares[part].end());
    const std::vector<bool>& present = embedded[b][*pattern[b]].present;
    for (std::size_t i = 0; i < present.size(); ++i) {
      if (!present[i]) {
        continue;
      }
      said.present[i] = true;
      for (std::size_t c = 0; c < said.logits.width; ++c) {
        said.logits.at(i, c) += share->second.at(i, c);
      }
    }
  }
  return said;
}

}  // namespace braid
