#pragma once
// Forests: XGBoost trained on what a table's variant encodes; once on all rows for serving, and
// once a fold for what it says of rows that it did not see.

#include <map>
#include <string>

#include "base/result.h"
#include "learn/embed.h"
#include "learn/fit_data.h"
#include "learn/fit_setup.h"
#include "model/model.h"

namespace braid {

/// Fills `scores` of every forest's rows with out-of-fold log-probabilities. Returns the bytes of
/// each forest's model.json, by its name. `scratch` is a folder for files in between.
Result<std::map<std::string, std::string>> fit_forests(const FitSetup& setup, const FitData& data,
                                                       const Registry<Backend>& backends,
                                                       const std::filesystem::path& scratch,
                                                       const FitContext& context,
                                                       EmbeddedRows& embedded);

}  // namespace braid
