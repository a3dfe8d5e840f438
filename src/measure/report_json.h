#pragma once
// A summary and the answers that it was computed from, so that every claim can be computed again.

#include "base/json.h"
#include "measure/evaluate.h"
#include "measure/summary.h"

namespace braid {

/// {"cases", "groups", "margin", "classes", "configurations": [scores], "comparisons": […],
///  "records": [{"id", "group", "label", "answers": {KEY: {"label", "probabilities", …}}}]}
/// docs/evaluate.md says what each is.
Json report_json(const Evaluation& evaluation, const Summary& summary);

}  // namespace braid
