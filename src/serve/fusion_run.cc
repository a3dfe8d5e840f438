#include "serve/fusion_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "serve/head_batch.h"
#include "tensor/rows.h"

namespace braid {
namespace {

/// A branch's one row, repeated; a row that leaves it out has it absent.
PartRows repeat(const BranchPart& part, const std::vector<std::vector<char>>& left_out,
                std::size_t branch_index) {
  PartRows rows;
  for (const std::vector<char>& row : left_out) {
    rows.present.push_back(part.present() && row[branch_index] == 0);
  }
  if (!part.present()) {
    rows.reason = part.absent->describe();
    return rows;
  }
  const auto repeated = [&](const std::optional<Tensor>& one) -> std::optional<Tensor> {
    if (!one.has_value()) {
      return std::nullopt;
    }
    return join_rows(std::vector<const Tensor*>(left_out.size(), &*one));
  };
  rows.probabilities = repeated(part.probabilities);
  rows.embedding = repeated(part.embedding);
  return rows;
}

/// Row r of [rows, width] as [1, width]. `shape` keeps the extents and must outlive the view.
std::optional<TensorView> row_view(const std::optional<Tensor>& tensor, std::size_t row,
                                   Shape& shape) {
  if (!tensor.has_value()) {
    return std::nullopt;
  }
  TensorView view = tensor->view();
  const std::size_t row_bytes = view.bytes.size() / view.row_count();
  shape.assign(view.shape.begin(), view.shape.end());
  shape.front() = 1;
  return TensorView{view.dtype, shape, view.bytes.subspan(row * row_bytes, row_bytes)};
}

/// Copies one row into the place where all rows are gathered, which the first one makes.
void put_row(std::optional<Tensor>& rows, std::size_t row, std::size_t row_count,
             const std::optional<Tensor>& one) {
  if (!one.has_value()) {
    return;
  }
  if (!rows.has_value()) {
    Shape shape = one->shape();
    shape.front() = row_count;
    rows = *Tensor::zeros(one->dtype(), shape);
  }
  const auto bytes = one->view().bytes;
  std::ranges::copy(bytes, rows->mutable_bytes().subspan(row * bytes.size()).begin());
}

}  // namespace

const FittedNode* fit_for(const FusionNode& node, const Spaces& spaces) {
  for (const FittedNode& fit : node.fits) {
    const bool fits = std::ranges::all_of(fit.spaces, [&](const auto& wanted) {
      const auto here = spaces.find(wanted.first);
      return here == spaces.end() || here->second == wanted.second;
    });
    if (fits) {
      return &fit;
    }
  }
  return nullptr;
}

FusionRun::FusionRun(std::shared_ptr<const Pipeline> pipeline, Dispatcher& dispatcher,
                     FusionQuestion question, Done done)
    : pipeline_(std::move(pipeline)),
      dispatcher_(dispatcher),
      question_(std::move(question)),
      done_(std::move(done)) {
  for (std::size_t i = 0; i < pipeline_->branches.size(); ++i) {
    result_.branches.push_back(repeat((*question_.parts)[i], question_.left_out, i));
  }
  result_.nodes.resize(pipeline_->nodes.size());
}

void FusionRun::begin(std::shared_ptr<const Pipeline> pipeline, Dispatcher& dispatcher,
                      FusionQuestion question, Done done) {
  std::make_shared<FusionRun>(std::move(pipeline), dispatcher, std::move(question), std::move(done))
      ->run_from(0);
}

// A head that runs inline calls on_head before ask_head returns, so the stack grows by a few frames
// a head; trees are small.
void FusionRun::run_from(std::size_t node_index) {
  for (; node_index < pipeline_->nodes.size(); ++node_index) {
    const FusionNode& node = pipeline_->nodes[node_index];
    if (node.config.op != "model") {
      result_.nodes[node_index] = run_op(node);
    } else if (ask_head(node_index)) {
      return;
    }
  }
  done_(std::move(result_));
}

const PartRows& FusionRun::part(const std::string& name) const {
  for (std::size_t i = 0; i < pipeline_->branches.size(); ++i) {
    if (pipeline_->branches[i].config.name == name) {
      return result_.branches[i];
    }
  }
  for (std::size_t i = 0; i < pipeline_->nodes.size(); ++i) {
    if (pipeline_->nodes[i].config.name == name) {
      return result_.nodes[i];
    }
  }
  BRAID_CHECK(false && "the pipeline was checked: every name is known");
  return result_.nodes.back();
}

Spaces FusionRun::spaces_in(std::size_t row) const {
  Spaces spaces;
  for (std::size_t i = 0; i < pipeline_->branches.size(); ++i) {
    if (result_.branches[i].present[row] != 0) {
      spaces[pipeline_->branches[i].config.name] = (*question_.parts)[i].space;
    }
  }
  return spaces;
}

PartRows FusionRun::run_op(const FusionNode& node) const {
  PartRows rows;
  rows.present.assign(row_count(), 0);
  std::vector<const PartRows*> inputs;
  for (const std::string& name : node.config.inputs) {
    inputs.push_back(&part(name));
  }
  for (std::size_t row = 0; row < row_count(); ++row) {
    const FittedNode* fit = node.fits.size() == 1 && node.fits.front().spaces.empty()
                                ? &node.fits.front()
                                : fit_for(node, spaces_in(row));
    if (fit == nullptr) {
      rows.reason = "nothing was fitted on the spaces at hand";
      continue;
    }
    std::vector<Shape> shapes(inputs.size() * 2);  // what the views borrow
    std::vector<Part> parts;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i]->present[row] == 0) {
        parts.push_back({node.config.inputs[i], Absent{inputs[i]->reason}});
        continue;
      }
      parts.push_back(
          {node.config.inputs[i], Said{row_view(inputs[i]->probabilities, row, shapes[2 * i]),
                                       row_view(inputs[i]->embedding, row, shapes[2 * i + 1])}});
    }
    Result<Opinion> combined = fit->op->combine(parts);
    if (!combined.has_value()) {
      rows.reason = combined.error().describe();
      continue;
    }
    Opinion opinion = *std::move(combined);
    if (opinion.probabilities.has_value()) {
      const auto values = opinion.probabilities->mutable_values<float>();
      calibrate_probabilities(values, values.size(), fit->temperature);
    }
    rows.present[row] = 1;
    put_row(rows.probabilities, row, row_count(), opinion.probabilities);
    put_row(rows.embedding, row, row_count(), opinion.embedding);
  }
  return rows;
}

bool FusionRun::ask_head(std::size_t node_index) {
  const FusionNode& node = pipeline_->nodes[node_index];
  PartRows& rows = result_.nodes[node_index];
  rows.present.assign(row_count(), 0);
  Spaces spaces;  // of all branches at hand: a row that leaves one out uses the same head
  for (std::size_t i = 0; i < pipeline_->branches.size(); ++i) {
    if ((*question_.parts)[i].present()) {
      spaces[pipeline_->branches[i].config.name] = (*question_.parts)[i].space;
    }
  }
  const FittedNode* fit = fit_for(node, spaces);
  if (fit == nullptr) {
    rows.reason = "no head was fitted on the spaces at hand";
    return false;
  }
  for (const std::string& name : node.config.inputs) {
    const PartRows& input = part(name);
    for (std::size_t row = 0; row < row_count(); ++row) {
      rows.present[row] = rows.present[row] != 0 || input.present[row] != 0;
    }
  }
  if (std::ranges::none_of(rows.present, [](char present) { return present != 0; })) {
    rows.reason = "none of its inputs is present";
    return false;
  }
  Job job{.model = fit->head,
          .inputs = head_inputs(fit->head->spec(), row_count(),
                                [this](const std::string& name) { return &part(name); }),
          .row_count = row_count(),
          .deadline = question_.deadline,
          .cancel = question_.cancel,
          .priority = question_.priority,
          .done = [self = shared_from_this(), node_index, fit](JobOutcome outcome) {
            self->on_head(node_index, *fit, std::move(outcome));
          }};
  Result<void> added = dispatcher_.add(std::move(job));
  if (!added.has_value()) {
    rows.present.assign(row_count(), 0);
    rows.reason = added.error().describe();
  }
  return added.has_value();
}

void FusionRun::on_head(std::size_t node_index, const FittedNode& fit, JobOutcome outcome) {
  PartRows& rows = result_.nodes[node_index];
  Result<void> read = read_head(std::move(outcome.outputs), fit.temperature,
                                pipeline_->config.classes.size(), rows);
  if (!read.has_value()) {
    rows.present.assign(row_count(), 0);
    rows.reason = read.error().describe();
  }
  const double share = outcome.batch_rows == 0 ? 1
                                               : static_cast<double>(row_count()) /
                                                     static_cast<double>(outcome.batch_rows);
  const double core_ms = std::chrono::duration<double, std::milli>(outcome.ran).count() *
                         static_cast<double>(outcome.core_count);
  result_.head_core_ms += share * core_ms;
  run_from(node_index + 1);
}

}  // namespace braid
