#include "serve/dispatch_join.h"

#include <algorithm>
#include <limits>

#include "tensor/rows.h"

namespace braid {
namespace {

/// The longest job's length where the jobs differ in it; else 0.
std::size_t length_to_fill(const Padding& padding, std::span<const WaitingJob> jobs) {
  if (!padding.allowed()) {
    return 0;
  }
  std::size_t longest = 0;
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  for (const WaitingJob& each : jobs) {
    const std::size_t length = padded_length(padding, each.job.inputs);
    longest = std::max(longest, length);
    shortest = std::min(shortest, length);
  }
  return longest == shortest ? 0 : longest;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

JoinedRows join_jobs(const Padding& padding, std::span<const WaitingJob> jobs) {
  JoinedRows joined{{}, length_to_fill(padding, jobs)};
  std::vector<const Tensor*> parts(jobs.size());
  for (std::size_t i = 0; i < jobs.front().job.inputs.size(); ++i) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      parts[j] = &jobs[j].job.inputs[i].tensor;
    }
    const std::string& name = jobs.front().job.inputs[i].name;
    const bool fill = joined.length > 0 && holds(padding.inputs, name);
    joined.inputs.push_back(
        {name, fill ? join_rows_padded(parts, joined.length) : join_rows(parts)});
  }
  return joined;
}

NamedTensors rows_of(const Job& job, const Padding& padding, std::size_t length,
                     const NamedTensors& outputs, std::size_t begin, std::size_t count) {
  const std::size_t own_length = length == 0 ? 0 : padded_length(padding, job.inputs);
  NamedTensors rows;
  for (const auto& [name, tensor] : outputs) {
    Tensor own = take_rows(tensor, begin, count);
    const bool is_filled = own_length < length && holds(padding.outputs, name) &&
                           own.shape().size() > 1 && own.shape()[1] == length;
    rows.push_back({name, is_filled ? crop_rows(own.view(), own_length) : std::move(own)});
  }
  return rows;
}

}  // namespace braid
