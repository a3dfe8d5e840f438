#include "learn/head.h"

#include <algorithm>
#include <cmath>

#include "learn/algebra.h"
#include "learn/logistic.h"

namespace braid {
namespace {

std::vector<std::size_t> rows_with_any(std::span<const Block* const> blocks,
                                       std::size_t row_count) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < row_count; ++i) {
    if (std::ranges::any_of(blocks, [i](const Block* block) { return block->present[i]; })) {
      kept.push_back(i);
    }
  }
  return kept;
}

std::vector<LogisticCopy> copies_of(std::size_t block_count, double dropout) {
  std::vector<LogisticCopy> copies = {{std::vector<bool>(block_count, true), 1}};
  if (block_count < 2 || dropout <= 0) {
    return copies;
  }
  for (std::size_t blanked = 0; blanked < block_count; ++blanked) {
    LogisticCopy copy{std::vector<bool>(block_count, true), dropout};
    copy.kept[blanked] = false;
    copies.push_back(std::move(copy));
  }
  return copies;
}

/// Moves the transform into the weights: (x − mean) · W = x · W − mean · W.
HeadPart fold(const BlockTransform& transform, const Matrix& weights) {
  HeadPart part{transform.means(), transform.fold(weights), std::vector<double>(weights.width)};
  for (std::size_t column = 0; column < part.weights.row_count; ++column) {
    for (std::size_t c = 0; c < weights.width; ++c) {
      part.bias[c] -= part.fill[column] * part.weights.at(column, c);
    }
  }
  return part;
}

}  // namespace

Block make_block(const Source& source, std::span<const std::size_t> training,
                 std::size_t components) {
  Block block;
  std::vector<std::size_t> here;
  for (const std::size_t index : training) {
    block.present.push_back(source.present[index]);
    if (source.present[index]) {
      here.push_back(index);
    }
  }
  const Matrix raw = rows_of(source.rows, here);
  block.transform = BlockTransform::fit(raw, components);
  const Matrix scaled = block.transform.apply(raw);
  block.rows = Matrix(training.size(), scaled.width);
  for (std::size_t i = 0, next = 0; i < training.size(); ++i) {
    if (block.present[i]) {
      std::ranges::copy(scaled.row(next++), block.rows.row(i).begin());
    }
  }
  return block;
}

Head fit_head(std::span<const Block* const> blocks, const HeadLabels& rows,
              const HeadOptions& options) {
  const std::vector<std::size_t> kept = rows_with_any(blocks, rows.labels.size());
  std::vector<Matrix> taken;
  std::vector<std::size_t> labels;
  std::vector<double> weights;
  for (const Block* block : blocks) {
    taken.push_back(rows_of(block->rows, kept));
  }
  for (const std::size_t i : kept) {
    labels.push_back(rows.labels[i]);
    weights.push_back(rows.weights[i]);
  }
  LogisticData data{{}, labels, weights, rows.class_count};
  for (const Matrix& matrix : taken) {
    data.blocks.push_back(&matrix);
  }
  const Logistic fitted = fit_logistic(data, {.strength = options.strength,
                                              .copies = copies_of(blocks.size(), options.dropout),
                                              .gradient_max = options.gradient_max});
  Head head{{}, fitted.bias};
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    head.parts.push_back(fold(blocks[block]->transform, fitted.weights[block]));
  }
  return head;
}

Matrix part_logits(const HeadPart& part, const Matrix& rows) {
  Matrix filled = rows;
  for (std::size_t i = 0; i < rows.row_count; ++i) {
    for (std::size_t column = 0; column < rows.width; ++column) {
      if (std::isnan(filled.at(i, column))) {
        filled.at(i, column) = part.fill[column];
      }
    }
  }
  Matrix logits(rows.row_count, part.bias.size());
  multiply(filled, part.weights.values, logits.values);
  for (std::size_t i = 0; i < rows.row_count; ++i) {
    for (std::size_t c = 0; c < part.bias.size(); ++c) {
      logits.at(i, c) += part.bias[c];
    }
  }
  return logits;
}

}  // namespace braid
