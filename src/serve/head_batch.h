#pragma once
// The batch of a learned head: inputs `<part>.<role>` and `<part>.present`, outputs `logits` or
// `probabilities` and optionally `embedding`.

#include <functional>
#include <string>

#include "base/result.h"
#include "model/model.h"
#include "serve/fusion_run.h"

namespace braid {

/// Zeros where a part is absent; `<part>.present` says which. The pipeline was checked, so every
/// name is known.
NamedTensors head_inputs(const ModelSpec& head, std::size_t row_count,
                         const std::function<const PartRows*(const std::string&)>& part);

/// Fills in what the head said. kInternal when that has another shape than it promised.
Result<void> read_head(Result<NamedTensors> outputs, double temperature, std::size_t class_count,
                       PartRows& rows);

}  // namespace braid
