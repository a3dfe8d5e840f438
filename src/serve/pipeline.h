#pragma once
// Pipeline: preprocessors, variants, fusion tree and policy of one pipeline.yaml, checked whole
// when it loads: shapes, dtypes, roles, spaces, classes, digests, that every branch reaches the
// decision. Threads: constant after load; shared by requests.

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "fusion/fusion_op.h"
#include "modality/preprocessor.h"
#include "model/store.h"
#include "policy/policy.h"
#include "serve/domain.h"
#include "serve/fitted.h"
#include "serve/pipeline_config.h"

namespace braid {

/// The plug-ins and models that a pipeline is made from. Borrowed.
struct PipelineParts {
  const Registry<Preprocessor>& preprocessors;
  const Registry<FusionOp>& fusion_ops;
  const Registry<Policy>& policies;
  const ModelStore& models;
};

struct Variant {
  VariantConfig config;
  ModelHandle model = {};  // null for an identity
  /// For each model input: which encoded input and which of its tensors feeds it.
  struct Feed {
    std::string model_input;
    std::size_t input_index;   // into Pipeline::config.inputs
    std::size_t tensor_index;  // into that preprocessor's outputs
  };
  std::vector<Feed> feeds = {};
  std::optional<std::size_t> logits = {};  // these three: index into the model's outputs
  std::optional<std::size_t> probabilities = {};
  std::optional<std::size_t> embedding = {};
  std::size_t embedding_width = 0;
  double temperature = 1;  // of its own logits or probabilities
  std::unique_ptr<const Domain> domain =
      nullptr;  // of its embedding's space; null: none was fitted
};

struct Branch {
  BranchConfig config;
  std::vector<Variant> variants;
};

/// What parameters were fitted on: branch → space. A branch that is not named does not matter.
using Spaces = std::map<std::string, std::string>;

/// One set of fitted parameters of a node: for an operator, the operator itself; for a learned
/// head, its model.
struct FittedNode {
  Spaces spaces;
  std::unique_ptr<const FusionOp> op;  // null for a head
  ModelHandle head;
  double temperature = 1;
};

struct FusionNode {
  NodeConfig config;
  std::vector<FittedNode> fits;       // tried in order; the first whose spaces agree is used
  std::vector<std::string> branches;  // below this node, in order
  std::size_t embedding_width = 0;
};

class Pipeline {
 public:
  /// `folder` holds pipeline.yaml and, where something was fitted, fitted.json.
  static Result<std::shared_ptr<const Pipeline>> load(const std::filesystem::path& folder,
                                                      const PipelineParts& parts);

  PipelineConfig config;
  std::vector<std::unique_ptr<const Preprocessor>> preprocessors;  // as config.inputs
  std::vector<Branch> branches;                                    // as config.branches
  std::vector<FusionNode> nodes;                                   // as config.nodes
  std::unique_ptr<const Policy> policy;

  /// For `GET /v2/pipelines/NAME` and `braid check`: inputs, branches, variants, nodes, plans.
  Json describe() const;

  /// Only load() makes one.
  struct Private {};
  explicit Pipeline(Private) {}
};

}  // namespace braid
