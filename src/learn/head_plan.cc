#include "learn/head_plan.h"

#include <algorithm>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::size_t kHeadsMax = 256;

std::size_t branch_index(const Pipeline& pipeline, const std::string& name) {
  const auto found = std::ranges::find(pipeline.config.branches, name, &BranchConfig::name);
  BRAID_CHECK(found != pipeline.config.branches.end());
  return static_cast<std::size_t>(found - pipeline.config.branches.begin());
}

/// In the order of the variants, each once.
std::vector<std::string> spaces_of(const Branch& branch) {
  std::vector<std::string> spaces;
  for (const Variant& variant : branch.variants) {
    if (std::ranges::find(spaces, variant.config.space) == spaces.end()) {
      spaces.push_back(variant.config.space);
    }
  }
  return spaces;
}

/// Every way to take one space of each branch, the first branch turning slowest.
std::vector<std::vector<std::string>> combinations(const std::vector<std::size_t>& branches,
                                                   const Pipeline& pipeline) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const std::size_t b : branches) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& begun : all) {
      for (const std::string& space : spaces_of(pipeline.branches[b])) {
        longer.push_back(begun);
        longer.back().push_back(space);
      }
    }
    all = std::move(longer);
    if (all.size() > kHeadsMax) {
      break;  // refused by the caller
    }
  }
  return all;
}

std::string model_name(const std::string& pipeline, const std::string& node,
                       const std::vector<std::string>& spaces) {
  std::string name = pipeline + "_" + node;
  for (const std::string& space : spaces) {
    name += "__" + space;
  }
  // It names a folder, and clients may send it: a space may be any word.
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == '.';
    c = plain ? c : '_';
  }
  return name;
}

}  // namespace

Result<std::vector<HeadPlan>> plan_heads(const FitSetup& setup) {
  const Pipeline& pipeline = *setup.pipeline;
  std::vector<HeadPlan> plans;
  for (std::size_t n = 0; n < pipeline.config.nodes.size(); ++n) {
    const NodeConfig& node = pipeline.config.nodes[n];
    if (node.op != "model") {
      continue;
    }
    std::vector<std::size_t> branches;
    for (const std::string& input : node.inputs) {
      branches.push_back(branch_index(pipeline, input));
    }
    for (const auto& spaces : combinations(branches, pipeline)) {
      plans.push_back({n, model_name(pipeline.config.name, node.name, spaces), branches, spaces});
    }
    if (plans.size() > kHeadsMax) {
      return Error{Code::kExhausted,
                   fmt::format("the variants combine to more than {} heads; list fewer variants, "
                               "or give those of one network the same `space:`",
                               kHeadsMax)};
    }
  }
  return plans;
}

}  // namespace braid
