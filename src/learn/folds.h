#pragma once
// Folds: which part of the rows each model of a cross-validation is tested on. Rows of one group
// stay in one fold, so that near-duplicates cannot leak, and each fold has its share of each class.
// Threads: pure; equal for equal input and seed on every machine.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace braid {

/// The fold of each row, below `fold_count`. Greedy: the groups whose rows are spread least evenly
/// over the classes go first, each to the fold where the classes' shares end up most even; `seed`
/// orders equals. Fewer groups than folds leave folds empty.
std::vector<std::size_t> stratified_group_folds(std::span<const std::size_t> labels,
                                                std::span<const std::string> groups,
                                                std::size_t fold_count, std::uint64_t seed);

}  // namespace braid
