#include "learn/head_onnx.h"

#include "model/onnx_writer.h"

namespace braid {
namespace {

std::vector<float> floats(std::span<const double> values) {
  std::vector<float> converted;
  converted.reserve(values.size());
  for (const double value : values) {
    converted.push_back(static_cast<float>(value));
  }
  return converted;
}

/// present ? x · W + b : 0, with NaN in x replaced. Chosen, not multiplied: 0 · NaN is NaN.
std::string add_part(OnnxGraph& graph, const HeadPart& part, const HeadPartName& name) {
  const std::size_t width = part.weights.row_count;
  const std::size_t classes = part.bias.size();
  std::string x = graph.input(
      {name.branch + ".embedding", DType::kFp32, {-1, static_cast<std::int64_t>(width)}});
  const std::string present = graph.input({name.branch + ".present", DType::kFp32, {-1, 1}});
  if (name.may_be_missing_cells) {
    x = graph.node("Where",
                   {graph.node("IsNaN", {x}), graph.constant({1, width}, floats(part.fill)), x});
  }
  const std::string product =
      graph.node("MatMul", {x, graph.constant({width, classes}, floats(part.weights.values))});
  const std::string share =
      graph.node("Add", {product, graph.constant({1, classes}, floats(part.bias))});
  const std::string is_present =
      graph.node("Greater", {present, graph.constant({1, 1}, std::vector<float>{0.5F})});
  const std::string nothing = graph.constant({1, 1}, std::vector<float>{0.0F});
  return graph.node("Where", {is_present, share, nothing});
}

}  // namespace

Result<std::string> write_head(const Head& head, const std::vector<HeadPartName>& names) {
  BRAID_CHECK(head.parts.size() == names.size());
  OnnxGraph graph("head");
  std::string logits = graph.constant({1, head.bias.size()}, floats(head.bias));
  for (std::size_t i = 0; i < names.size(); ++i) {
    logits = graph.node("Add", {add_part(graph, head.parts[i], names[i]), logits});
    graph.metadata("braid.space." + names[i].branch, names[i].space);
  }
  graph.output({"logits", DType::kFp32, {-1, static_cast<std::int64_t>(head.bias.size())}}, logits);
  return graph.serialise();
}

}  // namespace braid
