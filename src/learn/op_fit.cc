#include "learn/op_fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "learn/stacking.h"
#include "tensor/softmax.h"

namespace braid {
namespace {

/// Readable in fitted.json, and far finer than anything that rests on it.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

struct Rows {
  std::vector<Member> members;
  std::vector<std::size_t> labels;
  std::vector<double> weights;
};

/// The members' opinions on those rows, floored as serving floors them.
Rows gather(std::span<const Member> members, const FitData& data,
            std::span<const std::size_t> rows) {
  Rows gathered;
  for (const Member& member : members) {
    Member taken{rows_of(member.log_probabilities, rows), {}};
    for (double& value : taken.log_probabilities.values) {
      value = std::max(value, std::log(1e-6));
    }
    for (const std::size_t i : rows) {
      taken.present.push_back(member.present[i]);
    }
    gathered.members.push_back(std::move(taken));
  }
  for (const std::size_t i : rows) {
    gathered.labels.push_back(data.labels[i]);
    gathered.weights.push_back(data.weights[i]);
  }
  return gathered;
}

/// Absent members weigh nothing, so that nothing is made up for them.
Json vote_entry(const NodeConfig& node, const Rows& rows, std::span<const double> prior) {
  const std::vector<double> fitted = fit_vote(rows.members, prior, rows.labels, rows.weights);
  Json weights(Json::Map{});
  for (std::size_t m = 0; m < node.inputs.size(); ++m) {
    const bool heard =
        std::ranges::find(rows.members[m].present, true) != rows.members[m].present.end();
    weights.set(node.inputs[m], heard ? rounded(fitted[m]) : 0.0);
  }
  Json entry;
  entry.set("weights", std::move(weights));
  return entry;
}

Json stacking_entry(const Rows& rows) {
  const StackingFit fitted = fit_stacking(rows.members, rows.labels, rows.weights);
  Json::List weight;
  for (std::size_t c = 0; c < fitted.weight.row_count; ++c) {
    Json::List row;
    for (const double value : fitted.weight.row(c)) {
      row.emplace_back(rounded(value));
    }
    weight.emplace_back(std::move(row));
  }
  Json::List bias;
  for (const double value : fitted.bias) {
    bias.push_back(rounded(value));
  }
  Json entry;
  entry.set("weight", Json(std::move(weight))).set("bias", Json(std::move(bias)));
  entry.set("absent", 0.0);
  return entry;
}

/// Rows in which the same members are present, so that they can be asked about at once.
std::map<std::vector<bool>, std::vector<std::size_t>> by_presence(
    std::span<const Member> members, std::span<const std::size_t> rows) {
  std::map<std::vector<bool>, std::vector<std::size_t>> groups;
  for (const std::size_t i : rows) {
    std::vector<bool> mask;
    for (const Member& member : members) {
      mask.push_back(member.present[i]);
    }
    groups[mask].push_back(i);
  }
  return groups;
}

Tensor probabilities_of(const Member& member, std::span<const std::size_t> rows) {
  const std::size_t classes = member.log_probabilities.width;
  Tensor tensor = *Tensor::zeros(DType::kFp32, Shape{rows.size(), classes});
  const std::span<float> values = tensor.mutable_values<float>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = 0; c < classes; ++c) {
      values[i * classes + c] =
          static_cast<float>(std::exp(member.log_probabilities.at(rows[i], c)));
    }
  }
  return tensor;
}

Result<void> combine_group(const NodeConfig& node, const FusionOp& op,
                           std::span<const Member> members, const std::vector<bool>& mask,
                           std::span<const std::size_t> rows, Member& into) {
  std::vector<Tensor> said;
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (mask[m]) {
      said.push_back(probabilities_of(members[m], rows));
    }
  }
  std::vector<Part> parts;
  for (std::size_t m = 0, next = 0; m < members.size(); ++m) {
    if (mask[m]) {
      parts.push_back({node.inputs[m], Said{said[next++].view(), {}}});
    } else {
      parts.push_back({node.inputs[m], Absent{"absent"}});
    }
  }
  BRAID_TRY(const Opinion opinion, op.combine(parts));
  const std::span<const float> values = opinion.probabilities->values<float>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<double> row = into.log_probabilities.row(rows[i]);
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c] = static_cast<double>(floored_log(values[i * row.size() + c]));
    }
    into.present[rows[i]] = true;
  }
  return {};
}

/// Whether the node's settings ask for the correction by the prior.
bool corrects_by_prior(const NodeConfig& node) {
  const Yaml* prior = node.settings.find("prior");
  return prior != nullptr && prior->text() == "true";
}

}  // namespace

Result<void> check_fittable(const NodeConfig& node) {
  const Yaml* pool = node.settings.find("pool");
  const bool is_linear = pool != nullptr && pool->text() == "linear";
  if (node.op == "weighted_vote" && is_linear && node.settings.find("weights") == nullptr) {
    return node.settings.error("pool",
                               "weights of a linear pool are not fitted; give `weights:` or "
                               "leave `pool:` out");
  }
  return {};
}

Json fit_op(const NodeConfig& node, std::span<const Member> members, const FitData& data,
            std::span<const std::size_t> rows) {
  if (node.op == "weighted_vote" && node.settings.find("weights") == nullptr) {
    const std::span<const double> prior = data.prior;
    return vote_entry(node, gather(members, data, rows),
                      corrects_by_prior(node) ? prior : prior.first(0));
  }
  if (node.op == "stacking") {
    return stacking_entry(gather(members, data, rows));
  }
  return Json(Json::Map{});
}

Result<void> apply_op(const NodeConfig& node, const Json& parameters,
                      const Registry<FusionOp>& fusion_ops, std::span<const Member> members,
                      const FitData& data, std::span<const std::size_t> rows, Member& into) {
  FusionSetup setup{.settings = node.settings,
                    .inputs = {},
                    .classes = data.classes,
                    .fitted = parameters,
                    .prior = data.prior};
  for (const std::string& input : node.inputs) {
    setup.inputs.push_back({input, 0});
  }
  auto made = fusion_ops.make(node.op, setup);
  if (!made.has_value()) {
    return Error{made.error().code, fmt::format("{}: node '{}': {}", node.settings.yaml().where(),
                                                node.name, made.error().describe())};
  }
  for (const auto& [mask, group] : by_presence(members, rows)) {
    if (std::ranges::find(mask, true) == mask.end()) {
      continue;  // nobody says anything of these rows
    }
    BRAID_TRY_DO(combine_group(node, **made, members, mask, group, into));
  }
  return {};
}

}  // namespace braid
