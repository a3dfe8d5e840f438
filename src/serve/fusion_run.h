#pragma once
// FusionRun: evaluates a pipeline's fusion tree for one request, node by node. Operators run where
// they are; learned heads go through the dispatcher like any model.
//
// A run has one row for each question asked at once: row 0 may be "with everything at hand", others
// "without the image". They share the heads' batches, so contributions cost one pass.
// Threads: begin() from any; `done` is called once, on whichever thread finishes the last head.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/dispatcher.h"
#include "serve/part_of.h"
#include "serve/pipeline.h"

namespace braid {

/// What a branch or node says in each row.
struct PartRows {
  std::vector<char> present;                 // one a row
  std::string reason = "not run";            // why not, for rows that are not present
  std::optional<Tensor> probabilities = {};  // [rows, classes]; rows not present mean nothing
  std::optional<Tensor> embedding = {};      // [rows, width]
};

struct FusionResult {
  std::vector<PartRows> branches;  // as Pipeline::branches
  std::vector<PartRows> nodes;     // as Pipeline::nodes; the last one decides
  double head_core_ms = 0;
};

struct FusionQuestion {
  const std::vector<BranchPart>* parts = nullptr;  // as Pipeline::branches; outlive the run
  /// For each row the branches that are left out.
  std::vector<std::vector<char>> left_out = {};
  Deadline deadline = Deadline::never();
  CancelFlag cancel;
  std::size_t priority = 0;  // as Request's
};

class FusionRun : public std::enable_shared_from_this<FusionRun> {
 public:
  using Done = MoveFunction<void(FusionResult)>;

  static void begin(std::shared_ptr<const Pipeline> pipeline, Dispatcher& dispatcher,
                    FusionQuestion question, Done done);

  /// For begin() only.
  FusionRun(std::shared_ptr<const Pipeline> pipeline, Dispatcher& dispatcher,
            FusionQuestion question, Done done);

 private:
  void run_from(std::size_t node_index);
  PartRows run_op(const FusionNode& node) const;
  /// False when the head could not be asked; the node is absent then.
  bool ask_head(std::size_t node_index);
  void on_head(std::size_t node_index, const FittedNode& fit, JobOutcome outcome);
  const PartRows& part(const std::string& name) const;
  Spaces spaces_in(std::size_t row) const;
  std::size_t row_count() const { return question_.left_out.size(); }

  const std::shared_ptr<const Pipeline> pipeline_;
  Dispatcher& dispatcher_;
  const FusionQuestion question_;
  Done done_;
  FusionResult result_;
};

/// The first set of parameters that was fitted on these spaces, null when none was. A branch that
/// is not in `spaces` is absent; a space "" in a fit says that the branch must be.
const FittedNode* fit_for(const FusionNode& node, const Spaces& spaces);

}  // namespace braid
