#pragma once
// The embedding pass: what every variant says of every row that is fitted on. Encoders stay frozen,
// so each input goes through each encoder once, ever: what came out is kept by content.
// Threads: embed() uses as many as it is told; `progress` is called from one at a time.

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "learn/fit_data.h"
#include "learn/fit_setup.h"
#include "learn/matrix.h"

namespace braid {

/// What one variant said of every row.
struct VariantRows {
  Matrix embedding;           // [n, width]; no columns when it gives none
  Matrix scores;              // logits or log-probabilities [n, classes]; likewise
  std::vector<bool> present;  // [n]; rows without its inputs mean nothing in the matrices
  double milliseconds = 0;    // to encode and run one row: the median
};

/// [branch][variant], as Pipeline::branches.
using EmbeddedRows = std::vector<std::vector<VariantRows>>;

struct FitProgress {
  std::string stage;  // "image: efficientnet_lite0"
  std::size_t done = 0;
  std::size_t total = 0;
};

struct FitContext {
  const Clock& clock;
  std::filesystem::path cache_folder;
  std::size_t thread_count = 1;
  bool skip_bad = false;                    // a raw input that cannot be read counts as absent
  const std::atomic<bool>* stop = nullptr;  // set by whoever wants the fit to end: kCancelled
  std::function<void(const FitProgress&)> progress = {};
  std::function<void(const std::string&)> warn = {};

  void tell(const std::string& stage, std::size_t done, std::size_t total) const {
    if (progress) {
      progress({stage, done, total});
    }
  }
  bool stopped() const { return stop != nullptr && stop->load(); }
};

/// kInvalidArgument with the manifest's line for a raw input that cannot be read or that a model
/// refuses; kUnavailable or kExhausted when the cache cannot be used.
Result<EmbeddedRows> embed(const FitSetup& setup, const FitData& data, const Manifest& manifest,
                           const FitContext& context);

}  // namespace braid
