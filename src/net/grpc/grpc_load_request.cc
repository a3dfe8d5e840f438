#include "net/grpc/grpc_load_request.h"

#include <utility>

#include <fmt/format.h>

#include "net/bytes_framing.h"
#include "net/grpc/grpc_channel.h"
#include "net/inference.pb.h"

namespace braid {
namespace {

constexpr const char* kMetadataMethod = "/inference.GRPCInferenceService/ModelMetadata";

inference::InferParameter to_parameter(const Json& value) {
  inference::InferParameter parameter;
  std::int64_t whole = 0;
  if (value.boolean() != nullptr) {
    parameter.set_bool_param(*value.boolean());
  } else if (value.integer(whole)) {
    parameter.set_int64_param(whole);
  } else if (value.is_number()) {
    parameter.set_double_param(value.number());
  } else {
    parameter.set_string_param(value.text() != nullptr ? *value.text() : value.dump());
  }
  return parameter;
}

template <typename Tensors>
Result<std::vector<TensorSpec>> to_specs(const Tensors& tensors) {
  std::vector<TensorSpec> specs;
  for (const auto& tensor : tensors) {
    TensorSpec spec{.name = tensor.name(), .shape = {}};
    BRAID_TRY(spec.dtype, dtype_from(tensor.datatype()).within("tensor '" + spec.name + "'"));
    spec.shape.assign(tensor.shape().begin(), tensor.shape().end());
    specs.push_back(std::move(spec));
  }
  return specs;
}

Result<ServedModel> to_served_model(const inference::ModelMetadataResponse& metadata) {
  ServedModel model{
      .name = metadata.name(), .platform = metadata.platform(), .inputs = {}, .outputs = {}};
  BRAID_TRY(model.inputs, to_specs(metadata.inputs()));
  BRAID_TRY(model.outputs, to_specs(metadata.outputs()));
  return model;
}

}  // namespace

std::string grpc_infer_bytes(const std::string& model, const NamedTensors& inputs,
                             const InferOptions& options) {
  inference::ModelInferRequest message;
  message.set_model_name(model);
  for (const NamedTensor& each : inputs) {
    auto& input = *message.add_inputs();
    input.set_name(each.name);
    input.set_datatype(to_string(each.tensor.dtype()));
    for (const std::size_t extent : each.tensor.shape()) {
      input.add_shape(static_cast<std::int64_t>(extent));
    }
    append_bytes(each.tensor.view(), *message.add_raw_input_contents());
  }
  for (const std::string& name : options.outputs) {
    message.add_outputs()->set_name(name);
  }
  if (const Json::Map* parameters = options.parameters.map()) {
    for (const auto& [name, value] : *parameters) {
      (*message.mutable_parameters())[name] = to_parameter(value);
    }
  }
  return message.SerializeAsString();
}

Result<ServedModel> fetch_grpc_model(const ServerAddress& address, const std::string& name,
                                     Duration patience) {
  inference::ModelMetadataRequest question;
  question.set_name(name);
  BRAID_TRY(const std::string bytes,
            ask_grpc(address, kMetadataMethod, question.SerializeAsString(), patience)
                .within(fmt::format("the metadata of model '{}'", name)));
  inference::ModelMetadataResponse metadata;
  if (!metadata.ParseFromString(bytes)) {
    return Error{Code::kInvalidArgument,
                 fmt::format("{} answers ModelMetadata with what is no ModelMetadataResponse",
                             address.authority())};
  }
  return to_served_model(metadata).within(address.authority());
}

Result<void> try_grpc(const ServerAddress& address, const std::string& message, Duration patience) {
  BRAID_TRY_DO(ask_grpc(address, kModelInferMethod, message, patience)
                   .within("the server refuses the request"));
  return {};
}

}  // namespace braid
