#pragma once
// Binding: fits the values of pipeline.yaml to the models that were loaded. Each function checks
// all that can be told before a request comes and says file, line and cure.

#include "base/result.h"
#include "serve/pipeline.h"

namespace braid {

/// Feeds every input of the variant's model from encoded tensors (by name, by `feeds:`, or the only
/// one there is), gives its outputs roles (by name or by `outputs:`).
Result<Variant> bind_variant(const VariantConfig& config, const BranchConfig& branch,
                             const Pipeline& pipeline, const ModelStore& models,
                             const Fitted& fitted);

/// Makes the operators or opens the heads of a node, one for each set of spaces, and checks that
/// its inputs say what it joins.
Result<FusionNode> bind_node(const NodeConfig& config, const Pipeline& pipeline,
                             const PipelineParts& parts, const Fitted& fitted);

/// The model under its name. A digest in fitted.json that differs means that somebody replaced the
/// file after fitting: refused, since heads and temperatures would be wrong without a word.
Result<ModelHandle> open_model(const std::string& name, const Yaml& yaml, const ModelStore& models,
                               const Fitted& fitted);

/// The width of the embedding that this branch gives in this space; 0 when it gives none.
std::size_t embedding_width(const Branch& branch, const std::string& space);
/// The same for a branch or node by name, the first that gives one.
std::size_t embedding_width(const Pipeline& pipeline, const std::string& name);
/// Whether a branch or node gives probabilities, with every variant.
bool gives_probabilities(const Pipeline& pipeline, const std::string& name);
/// Branches below a branch or node, in the order of the pipeline.
std::vector<std::string> branches_below(const Pipeline& pipeline, const std::string& name);

}  // namespace braid
