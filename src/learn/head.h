#pragma once
// Head: what a probe (one embedding) or a joint head (several) computes:
//   logits = b + Σ_m present_m · (x_m W_m + b_m),  NaN in x_m replaced by its column's mean.
// Linear in raw embeddings, so a missing part simply drops out of the sum, and the parts' shares of
// the logits can be computed apart from each other.
// Threads: values; fit_head is pure.

#include <cstddef>
#include <span>
#include <vector>

#include "learn/block.h"
#include "learn/matrix.h"

namespace braid {

struct HeadPart {
  std::vector<double> fill;  // [width]: what NaN becomes
  Matrix weights;            // [width, classes], on raw columns
  std::vector<double> bias;  // [classes]: counted where the part is present
};

struct Head {
  std::vector<HeadPart> parts;
  std::vector<double> bias;  // [classes]
};

/// One embedding of all rows of a fit, and which rows have it.
struct Source {
  Matrix rows;                // [n, width]; what stands in an absent row does not matter
  std::vector<bool> present;  // [n]
};

/// A source as the fit on some training rows sees it.
struct Block {
  BlockTransform transform;
  Matrix rows;                // [training rows, transformed width]; zeros where absent
  std::vector<bool> present;  // [training rows]
};

/// Fitted on those training rows that have it, of which there must be at least one.
Block make_block(const Source& source, std::span<const std::size_t> training,
                 std::size_t components);

struct HeadLabels {
  std::vector<std::size_t> labels;  // [training rows]
  std::vector<double> weights;      // [training rows]
  std::size_t class_count = 0;
};

struct HeadOptions {
  double strength = 20;
  /// Weight of the copies of each row in which one part is blanked; 0 for none. Without them a
  /// joint head falls below its best remaining part when one is missing.
  double dropout = 0.5;
  double gradient_max = 1e-4;  // of the mean loss; tighter moves probabilities in the third digit
};

/// Rows with no part at all are left out.
Head fit_head(std::span<const Block* const> blocks, const HeadLabels& rows,
              const HeadOptions& options);

/// One part's share of the logits [n, classes], of all rows, as if it were present in each.
Matrix part_logits(const HeadPart& part, const Matrix& rows);

}  // namespace braid
