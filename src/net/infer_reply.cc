#include "net/infer_reply.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "net/bytes_framing.h"
#include "net/classify.h"
#include "net/tensor_json.h"

namespace braid {
namespace {

Result<void> append_output(const NamedTensor& output, bool binary, std::string& json,
                           std::string& blobs) {
  const TensorView view = output.tensor.view();
  fmt::format_to(std::back_inserter(json), "{{\"name\":{},\"datatype\":\"{}\",\"shape\":[{}],",
                 json_quoted(output.name), to_string(view.dtype), fmt::join(view.shape, ","));
  if (binary) {
    fmt::format_to(std::back_inserter(json), "\"parameters\":{{\"binary_data_size\":{}}}}}",
                   framed_size(view));
    append_bytes(view, blobs);
    return {};
  }
  json += "\"data\":";
  Result<void> appended = append_json(view, json);
  json += '}';
  return std::move(appended).within(fmt::format("output '{}'", output.name));
}

}  // namespace

Result<void> take_outputs(NamedTensors given, const OutputLabels& labels, InferReply& reply) {
  if (reply.wanted.empty()) {
    reply.outputs = std::move(given);
    return {};
  }
  for (const RequestedOutput& wanted : reply.wanted) {
    const auto found = std::ranges::find(given, wanted.name, &NamedTensor::name);
    if (found == given.end()) {
      return Error{Code::kInternal,
                   fmt::format("output '{}' was promised but not given", wanted.name)};
    }
    if (wanted.class_count == 0) {
      reply.outputs.push_back(std::move(*found));
      continue;
    }
    const auto known = labels.find(wanted.name);
    BRAID_TRY(Tensor classes,
              classified(found->tensor, wanted.class_count,
                         known == labels.end() ? std::span<const std::string>() : known->second)
                  .within(fmt::format("output '{}'", wanted.name)));
    reply.outputs.push_back({wanted.name, std::move(classes)});
  }
  return {};
}

Result<HttpResponse> encode_reply(const InferReply& reply) {
  std::string json = fmt::format("{{\"model_name\":{},\"model_version\":\"{}\"",
                                 json_quoted(reply.model), reply.version);
  if (!reply.id.empty()) {
    json += ",\"id\":" + json_quoted(reply.id);
  }
  json += ",\"outputs\":[";
  std::string blobs;
  bool any_binary = false;
  for (std::size_t i = 0; i < reply.outputs.size(); ++i) {
    const bool binary = reply.wanted.empty() ? reply.binary_output
                                             : reply.wanted[i].binary.value_or(reply.binary_output);
    json += i > 0 ? "," : "";
    any_binary = any_binary || binary;
    BRAID_TRY_DO(append_output(reply.outputs[i], binary, json, blobs));
  }
  json += "]}";
  HttpResponse response;
  if (any_binary) {
    response.content_type = "application/octet-stream";
    response.headers.emplace_back("Inference-Header-Content-Length", std::to_string(json.size()));
  }
  response.body = std::move(json);
  response.body += blobs;
  return response;
}

Result<void> check_outputs(const std::vector<RequestedOutput>& wanted,
                           const std::vector<std::string>& known) {
  for (const RequestedOutput& output : wanted) {
    if (std::ranges::find(known, output.name) == known.end()) {
      return Error{Code::kInvalidArgument,
                   fmt::format("no output '{}'; there are: {}", output.name.substr(0, 100),
                               fmt::join(known, ", "))};
    }
  }
  return {};
}

}  // namespace braid
