#pragma once
// For tests: a pipeline of three inputs whose answers are said by the inputs themselves, so that
// every score is known beforehand. No model is behind it.

#include <cstddef>
#include <map>
#include <string>

#include "measure/evaluate.h"
#include "serve/pipeline_config.h"

namespace braid {

inline PipelineConfig fake_pipeline() {
  constexpr const char* kYaml = R"(
name: shop
decision: {classes: [cat, dog]}
inputs:
  photo: {modality: image}
  title: {modality: text}
  record: {modality: table}
branches:
  image: {inputs: [photo], variants: [large, small]}
  text: {inputs: [title], variants: [minilm, minilm_l3]}
  profile: {inputs: [record], variants: [forest]}
fusion:
  image_head: {op: model, model: image_probe, inputs: [image]}
  text_head: {op: model, model: text_probe, inputs: [text]}
  pair: {op: model, model: pair_head, inputs: [image, text]}
  joint: {op: model, model: joint_head, inputs: [image, text, profile]}
  votes: {op: weighted_vote, inputs: [image_head, text_head, profile]}
  decision: {op: weighted_vote, inputs: [pair, joint, votes]}
policy: {kind: cascade}
)";
  return *parse_pipeline(*Yaml::parse(kYaml, "pipeline.yaml"), ".");
}

/// Each input sent says "cat" or "dog"; the majority wins, and a tie goes to the title. "fail"
/// makes the request fail. The full plan costs 60 core-ms, others 15.
inline Result<Decision> fake_decide(const Request& request) {
  double cats = 0;
  double votes = 0;
  for (const RawInput& input : request.inputs) {
    if (input.bytes == "fail") {
      return Error{Code::kUnavailable, "the fake was told to fail"};
    }
    const double weight = input.name == "title" ? 1.5 : 1;
    votes += weight;
    cats += input.bytes == "cat" ? weight : 0;
  }
  if (votes == 0) {
    return Error{Code::kInvalidArgument, "no input was sent"};
  }
  const double cat = 0.1 + 0.8 * cats / votes;
  Decision decision;
  decision.id = request.id;
  decision.label = cat > 0.5 ? "cat" : "dog";
  decision.probabilities = {{"cat", cat}, {"dog", 1 - cat}};
  decision.plan = request.plan.value_or("level1");
  decision.cost_core_ms = decision.plan == "full" ? 60 : 15;
  decision.latency_ms = decision.cost_core_ms / 2;
  return decision;
}

/// Rows of "photo title record → label"; "-" is absent. One group a case, ids from `prefix`.
struct FakeCase {
  const char* photo;
  const char* title;
  const char* record;
  const char* label;
};

inline Manifest fake_manifest(const std::vector<FakeCase>& cases, const std::string& prefix = "") {
  Manifest manifest{.file = "fake.csv", .inputs = {"photo", "title", "record"}};
  const auto cell = [](std::string text) {
    return text == "-" ? Cell{} : Cell{.kind = Cell::Kind::kValue, .value = std::move(text)};
  };
  for (const FakeCase& each : cases) {
    ManifestRow row;
    row.line = manifest.rows.size() + 2;
    row.id = prefix + std::to_string(row.line);
    row.group = row.id;
    row.split = "test";
    row.label = each.label;
    row.inputs = {
        {"photo", cell(each.photo)}, {"title", cell(each.title)}, {"record", cell(each.record)}};
    manifest.rows.push_back(std::move(row));
  }
  return manifest;
}

}  // namespace braid
