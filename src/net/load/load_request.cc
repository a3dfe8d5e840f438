#include "net/load/load_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "net/bytes_framing.h"
#include "net/tensor_json.h"

namespace braid {
namespace {

std::string post(const ServerAddress& address, std::string_view path, std::string_view headers,
                 std::string_view body) {
  return fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n{}\r\n{}", path,
                     address.authority(), body.size(), headers, body);
}

/// What stands behind the inputs: outputs and parameters, then the closing brace.
std::string closing(const InferOptions& options) {
  const bool is_binary = options.encoding == LoadEncoding::kBinary;
  std::string text;
  if (!options.outputs.empty()) {
    Json::List list;
    for (const std::string& name : options.outputs) {
      list.emplace_back().set("name", name);
    }
    text += ",\"outputs\":" + Json(std::move(list)).dump();
  }
  Json parameters = options.parameters;
  if (is_binary) {
    parameters.set("binary_data_output", true);
  }
  if (!parameters.is_null()) {
    text += ",\"parameters\":" + parameters.dump();
  }
  return text + "}";
}

/// `"name":…,"shape":…,"datatype":…`.
std::string facts_of(const NamedTensor& input) {
  return fmt::format("\"name\":{},\"shape\":[{}],\"datatype\":\"{}\"", json_quoted(input.name),
                     fmt::join(input.tensor.shape(), ","), to_string(input.tensor.dtype()));
}

}  // namespace

Result<std::string> infer_bytes(const ServerAddress& address, std::string_view path,
                                const NamedTensors& inputs, const InferOptions& options) {
  const bool is_binary = options.encoding == LoadEncoding::kBinary;
  std::string json = "{\"inputs\":[";
  std::string blobs;
  for (const NamedTensor& input : inputs) {
    json += (&input == &inputs.front() ? "{" : ",{") + facts_of(input);
    if (is_binary) {
      json += fmt::format(",\"parameters\":{{\"binary_data_size\":{}}}}}",
                          framed_size(input.tensor.view()));
      append_bytes(input.tensor.view(), blobs);
    } else {
      json += ",\"data\":";
      BRAID_TRY_DO(
          append_json(input.tensor.view(), json)
              .within(fmt::format("input '{}' in JSON (leave --json-tensors out)", input.name)));
      json += "}";
    }
  }
  json += "]" + closing(options);
  if (!is_binary) {
    return post(address, path, "Content-Type: application/json\r\n", json);
  }
  const std::string headers = fmt::format(
      "Content-Type: application/octet-stream\r\nInference-Header-Content-Length: {}\r\n",
      json.size());
  return post(address, path, headers, json + blobs);
}

std::string plain_bytes(const ServerAddress& address, std::string_view path,
                        std::string_view body) {
  if (body.empty()) {
    return fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", path, address.authority());
  }
  std::string type = "application/json";
  if (body.starts_with("--")) {
    const std::string_view line = body.substr(2, body.find_first_of("\r\n") - 2);
    type = fmt::format("multipart/form-data; boundary={}", line);
  }
  return post(address, path, fmt::format("Content-Type: {}\r\n", type), body);
}

Result<std::pair<std::string, Json>> parse_parameter_option(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return Error{Code::kInvalidArgument, fmt::format("--parameter {}: NAME=VALUE is wanted", text)};
  }
  const std::string_view value = text.substr(equals + 1);
  const Result<Json> json = Json::parse(value);
  const bool is_plain = json.has_value() && (json->is_number() || json->boolean() != nullptr ||
                                             json->text() != nullptr);
  return std::pair(std::string(text.substr(0, equals)), is_plain ? *json : Json(value));
}

}  // namespace braid
