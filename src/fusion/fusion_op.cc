#include "fusion/fusion_op.h"

#include <algorithm>

#include <fmt/format.h>

namespace braid {

Error nobody_present(std::span<const Part> parts) {
  std::string absences;
  for (const Part& part : parts) {
    if (const Absent* absent = std::get_if<Absent>(&part.said)) {
      absences += fmt::format("; '{}': {}", part.name, absent->reason);
    }
  }
  return {Code::kUnavailable, "no part has anything to say" + absences};
}

Result<std::vector<PresentPart>> present_probabilities(std::span<const Part> parts) {
  std::vector<PresentPart> present;
  for (const Part& part : parts) {
    const Said* said = std::get_if<Said>(&part.said);
    if (said == nullptr) {
      continue;
    }
    if (!said->probabilities) {
      return Error{Code::kInvalidArgument,
                   fmt::format("part '{}' gives no probabilities, which this operator joins; use "
                               "concat, or a model with logits or probabilities",
                               part.name)};
    }
    const TensorView& view = *said->probabilities;
    present.push_back({part.name, view});
    if (view.dtype != DType::kFp32 || view.shape.size() != 2 ||
        !std::ranges::equal(view.shape, present.front().probabilities.shape)) {
      return Error{
          Code::kInvalidArgument,
          fmt::format("part '{}' says {} {}; give all parts one FP32 [rows, classes], as "
                      "'{}' with {} does",
                      part.name, to_string(view.dtype), to_string(view.shape), present.front().name,
                      to_string(present.front().probabilities.shape))};
    }
  }
  if (present.empty()) {
    return nobody_present(parts);
  }
  return present;
}

}  // namespace braid
