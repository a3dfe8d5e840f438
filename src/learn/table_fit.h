#pragma once
// Tables that inputs are fitted with before anything is encoded: terms and weights of n-grams,
// templates of logs. Labels are not looked at, so one table serves all folds; each is written
// beside the pipeline and named in it with its digest. Threads: one.

#include <filesystem>

#include "base/result.h"
#include "learn/embed.h"
#include "learn/fit_config.h"
#include "learn/fit_data.h"

namespace braid {

/// For every input with a `fit:` map: fits on the rows of `data` that have it, writes
/// `folder`/INPUT.table.json, and has the input's settings name it instead, relative to `folder`.
/// kInvalidArgument, with file and line, for a modality that is not fitted, settings that it does
/// not know, and rows that cannot be read.
Result<void> fit_tables(const FitData& data, const Manifest& manifest, const FitContext& context,
                        const std::filesystem::path& folder, FitConfig& config);

}  // namespace braid
