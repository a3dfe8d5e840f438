// ONNX networks by ONNX Runtime: one session a model, on the caller's thread alone.
// One thread a session, since two slots of one thread each gave 141 to 161 runs/s of MiniLM where
// a shared pool gave 97 to 112; the dispatcher's slots are the parallelism.

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <onnxruntime_cxx_api.h>

#include "model/check_batch.h"
#include "model/complete_spec.h"
#include "model/model.h"

namespace braid {
namespace {

constexpr const char* kPlatform = "onnxruntime_onnx";

constexpr std::pair<ONNXTensorElementDataType, DType> kTypes[] = {
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, DType::kBool},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, DType::kUint8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, DType::kUint16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, DType::kUint32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, DType::kUint64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, DType::kInt8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, DType::kInt16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, DType::kInt32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, DType::kInt64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, DType::kFp16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, DType::kBf16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, DType::kFp32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, DType::kFp64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, DType::kBytes},
};

ONNXTensorElementDataType onnx_type(DType dtype) {
  return std::ranges::find(kTypes, dtype, [](const auto& pair) { return pair.second; })->first;
}

/// The runtime's words on one line, without the file (ours name it anyway) and without the place in
/// its own sources: "Load model from F failed:/onnxruntime_src/f.cc:46 void f(int) words".
std::string words_of(const std::exception& failure) {
  std::string text = failure.what();
  std::ranges::replace(text, '\n', ' ');
  const auto cut = [&](const char* begin, const char* end) {
    const std::size_t from = text.find(begin);
    const std::size_t to = from == text.npos ? from : text.find(end, from);
    if (to != text.npos) {
      text.erase(from, to + std::strlen(end) - from);
    }
  };
  cut("Load model from ", " failed:");
  cut("/onnxruntime_src/", ") ");
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// What the file asks for is unknown to this runtime, which is not the same as a broken file. The
/// runtime has no error code for it, so its words decide.
bool asks_too_much(const Ort::Exception& failure) {
  const std::string_view text = failure.what();
  const auto says = [&](const char* words) { return text.find(words) != text.npos; };
  return failure.GetOrtErrorCode() == ORT_NOT_IMPLEMENTED || says("is not a registered") ||
         says("Could not find an implementation") || says("Unsupported model IR version") ||
         says("under development") || says("is not supported");
}

Error cannot_open(const std::filesystem::path& file, const Ort::Exception& failure) {
  if (asks_too_much(failure)) {
    return Error{Code::kUnsupported,
                 fmt::format("{}: ONNX Runtime {} cannot run it; export it with an older opset or "
                             "with standard operators: {}",
                             file.string(), Ort::GetVersionString(), words_of(failure))};
  }
  const Code code =
      failure.GetOrtErrorCode() == ORT_NO_SUCHFILE ? Code::kNotFound : Code::kInvalidArgument;
  return Error{code, fmt::format("{}: not a valid ONNX model; export or copy it again: {}",
                                 file.string(), words_of(failure))};
}

/// The batch was checked, so what fails now is the model or this machine.
Error cannot_run(const Ort::Exception& failure) {
  const Code code = failure.GetOrtErrorCode() == ORT_INVALID_ARGUMENT  ? Code::kInvalidArgument
                    : failure.GetOrtErrorCode() == ORT_NOT_IMPLEMENTED ? Code::kUnsupported
                                                                       : Code::kInternal;
  return Error{code, "ONNX Runtime: " + words_of(failure)};
}

/// A tensor of no axis is [1] here: the house has no empty shape.
Result<TensorSpec> read_spec(std::string name, const Ort::TypeInfo& info) {
  if (info.GetONNXType() != ONNX_TYPE_TENSOR) {
    return Error{Code::kUnsupported,
                 fmt::format("'{}' is a sequence, a map or sparse; export it as a plain tensor "
                             "(scikit-learn: zipmap=False)",
                             name)};
  }
  const auto tensor = info.GetTensorTypeAndShapeInfo();
  const auto type = std::ranges::find(kTypes, tensor.GetElementType(),
                                      [](const auto& pair) { return pair.first; });
  if (type == std::end(kTypes)) {
    return Error{Code::kUnsupported,
                 fmt::format("'{}' has ONNX element type {}, which the protocol cannot carry", name,
                             static_cast<int>(tensor.GetElementType()))};
  }
  TensorSpec spec{.name = std::move(name), .dtype = type->second, .shape = tensor.GetShape()};
  if (spec.shape.empty()) {
    spec.shape = {1};
  }
  if (std::ranges::find(spec.shape, 0) != spec.shape.end()) {
    return Error{
        Code::kUnsupported,
        fmt::format("{} has an axis of 0; a tensor has at least one number", to_string(spec))};
  }
  return spec;
}

bool joins_rows(const ModelSpec& spec) {
  const auto varies = [](const TensorSpec& tensor) {
    return tensor.optional || tensor.shape.front() < 0;
  };
  return !spec.inputs.empty() && std::ranges::all_of(spec.inputs, varies) &&
         std::ranges::all_of(spec.outputs, varies);
}

Result<ModelSpec> read_spec(const Ort::Session& session) {
  const Ort::AllocatorWithDefaultOptions allocator;
  ModelSpec spec;
  spec.platform = kPlatform;
  for (std::size_t i = 0; i < session.GetInputCount(); ++i) {
    BRAID_TRY(TensorSpec input, read_spec(session.GetInputNameAllocated(i, allocator).get(),
                                          session.GetInputTypeInfo(i))
                                    .within("input"));
    spec.inputs.push_back(std::move(input));
  }
  for (std::size_t i = 0; i < session.GetOverridableInitializerCount(); ++i) {
    BRAID_TRY(TensorSpec input,
              read_spec(session.GetOverridableInitializerNameAllocated(i, allocator).get(),
                        session.GetOverridableInitializerTypeInfo(i))
                  .within("input"));
    input.optional = true;
    spec.inputs.push_back(std::move(input));
  }
  for (std::size_t i = 0; i < session.GetOutputCount(); ++i) {
    BRAID_TRY(TensorSpec output, read_spec(session.GetOutputNameAllocated(i, allocator).get(),
                                           session.GetOutputTypeInfo(i))
                                     .within("output"));
    spec.outputs.push_back(std::move(output));
  }
  if (spec.outputs.empty()) {
    return Error{Code::kInvalidArgument, "the model has no output"};
  }
  const Ort::ModelMetadata metadata = session.GetModelMetadata();
  for (const auto& key : metadata.GetCustomMetadataMapKeysAllocated(allocator)) {
    // Null when the key has a zero byte, at which the runtime's C interface cuts it off.
    if (const auto value = metadata.LookupCustomMetadataMapAllocated(key.get(), allocator)) {
      spec.metadata[key.get()] = value.get();
    }
  }
  spec.rows_max = joins_rows(spec) ? kRowsDefault : 0;
  return spec;
}

/// Lends the tensor's own bytes to the runtime; strings have to be copied into its own.
Ort::Value lend(const TensorView& view, std::span<const std::int64_t> shape,
                const OrtMemoryInfo* memory) {
  if (view.dtype == DType::kBytes) {
    const Ort::AllocatorWithDefaultOptions allocator;
    Ort::Value value = Ort::Value::CreateTensor(allocator, shape.data(), shape.size(),
                                                ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
    for (std::size_t i = 0; i < view.strings.size(); ++i) {
      char* into = value.GetResizedStringTensorElementBuffer(i, view.strings[i].size());
      std::ranges::copy(view.strings[i], into);
    }
    return value;
  }
  // The runtime takes a mutable pointer for every tensor but only reads its inputs.
  return Ort::Value::CreateTensor(memory, const_cast<std::byte*>(view.bytes.data()),
                                  view.bytes.size(), shape.data(), shape.size(),
                                  onnx_type(view.dtype));
}

Result<Tensor> take(const Ort::Value& value, const TensorSpec& spec) {
  const auto info = value.GetTensorTypeAndShapeInfo();
  Shape shape;
  for (const std::int64_t extent : info.GetShape()) {
    shape.push_back(static_cast<std::size_t>(extent));
  }
  if (shape.empty()) {
    shape = {1};
  }
  if (std::ranges::find(shape, 0U) != shape.end()) {
    return Error{Code::kUnsupported, fmt::format("output '{}' came out empty, {}; an answer has at "
                                                 "least one number",
                                                 spec.name, to_string(shape))};
  }
  if (spec.dtype != DType::kBytes) {
    const std::size_t size = info.GetElementCount() * element_size(spec.dtype);
    return Tensor::from_bytes(spec.dtype, shape,
                              {static_cast<const std::byte*>(value.GetTensorRawData()), size});
  }
  std::vector<std::string> strings(info.GetElementCount());
  for (std::size_t i = 0; i < strings.size(); ++i) {
    strings[i].resize(value.GetStringTensorElementLength(i));
    value.GetStringTensorElement(strings[i].size(), i, strings[i].data());
  }
  return Tensor::from_strings(shape, std::move(strings));
}

/// Throws as the runtime does.
std::unique_ptr<Ort::Session> open_file(const Ort::Env& runtime, const std::filesystem::path& file,
                                        std::size_t thread_count) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(static_cast<int>(thread_count));
  options.SetInterOpNumThreads(1);
  options.SetExecutionMode(ORT_SEQUENTIAL);
  options.AddConfigEntry("session.intra_op.allow_spinning", "0");
  options.AddConfigEntry("session.inter_op.allow_spinning", "0");
  return std::make_unique<Ort::Session>(runtime, file.c_str(), options);
}

class OnnxModel final : public Model {
 public:
  OnnxModel(std::shared_ptr<Ort::Env> runtime, std::filesystem::path file,
            std::unique_ptr<Ort::Session> session, ModelSpec spec, std::vector<std::string> scalars)
      : runtime_(std::move(runtime)),
        file_(std::move(file)),
        session_(std::move(session)),
        spec_(std::move(spec)),
        scalars_(std::move(scalars)) {}

  const ModelSpec& spec() const override { return spec_; }

  Result<std::unique_ptr<const Model>> widened(std::size_t thread_count) const override {
    try {
      return std::unique_ptr<const Model>(std::make_unique<OnnxModel>(
          runtime_, file_, open_file(*runtime_, file_, thread_count), spec_, scalars_));
    } catch (const Ort::Exception& failure) {
      return cannot_open(file_, failure);
    }
  }

  Result<RowResults> run(const Batch& batch) const override {
    if (Result<void> checked = check_batch(spec_, batch); !checked.has_value()) {
      return std::move(checked).error();
    }
    try {
      return run_checked(batch);
    } catch (const Ort::Exception& failure) {
      return cannot_run(failure);
    } catch (const std::exception& failure) {
      return Error{Code::kInternal, fmt::format("ONNX Runtime: {}", words_of(failure))};
    }
  }

 private:
  Result<RowResults> run_checked(const Batch& batch) const {
    std::vector<const char*> input_names;
    std::vector<Ort::Value> inputs;
    for (const NamedTensor& input : batch.inputs) {
      const bool scalar = std::ranges::find(scalars_, input.name) != scalars_.end();
      const Shape& shape = input.tensor.shape();
      const std::vector<std::int64_t> extents(shape.begin() + (scalar ? 1 : 0), shape.end());
      input_names.push_back(input.name.c_str());
      inputs.push_back(lend(input.tensor.view(), extents, memory_));
    }
    std::vector<const char*> output_names;
    for (const TensorSpec& output : spec_.outputs) {
      output_names.push_back(output.name.c_str());
    }
    const std::vector<Ort::Value> outputs =
        session_->Run(Ort::RunOptions(nullptr), input_names.data(), inputs.data(), inputs.size(),
                      output_names.data(), output_names.size());
    RowResults results;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      BRAID_TRY(Tensor output, take(outputs[i], spec_.outputs[i]));
      if (spec_.rows_max > 0 && output.row_count() != batch.row_count) {
        return Error{
            Code::kInternal,
            fmt::format("output '{}' has {} rows for a batch of {}; its axis 0 is no batch "
                        "axis: set max_batch_size: 0 in config.pbtxt",
                        output_names[i], output.row_count(), batch.row_count)};
      }
      results.outputs.push_back({spec_.outputs[i].name, std::move(output)});
    }
    return results;
  }

  const std::shared_ptr<Ort::Env> runtime_;  // outlives the session
  const std::filesystem::path file_;
  const std::unique_ptr<Ort::Session> session_;
  const ModelSpec spec_;
  const std::vector<std::string> scalars_;  // inputs that have no axis in the file
  const Ort::MemoryInfo memory_ = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
};

class Onnx final : public Backend {
 public:
  std::vector<std::string> file_names() const override { return {"model.onnx"}; }

  Result<std::unique_ptr<Model>> open(const ModelSource& source) const override {
    try {
      return open_session(source).within(source.file.string());
    } catch (const Ort::Exception& failure) {
      return cannot_open(source.file, failure);
    } catch (const std::exception& failure) {
      return Error{Code::kInvalidArgument, fmt::format("{}: not a valid ONNX model: {}",
                                                       source.file.string(), words_of(failure))};
    }
  }

 private:
  Result<std::unique_ptr<Model>> open_session(const ModelSource& source) const {
    auto session = open_file(*runtime_, source.file, 1);
    BRAID_TRY(ModelSpec file_spec, read_spec(*session));
    std::vector<std::string> scalars;
    for (std::size_t i = 0; i < session->GetInputCount(); ++i) {
      const Ort::TypeInfo info = session->GetInputTypeInfo(i);
      if (info.GetTensorTypeAndShapeInfo().GetDimensionsCount() == 0) {
        scalars.push_back(file_spec.inputs[i].name);
      }
    }
    BRAID_TRY(ModelSpec spec, complete_spec(std::move(file_spec), source.config));
    return std::unique_ptr<Model>(std::make_unique<OnnxModel>(
        runtime_, source.file, std::move(session), std::move(spec), std::move(scalars)));
  }

  static std::shared_ptr<Ort::Env> start() {
    // Fatal only: every error comes back as a value, and a second line about it would confuse.
    auto runtime = std::make_shared<Ort::Env>(ORT_LOGGING_LEVEL_FATAL, "braid");
    runtime->DisableTelemetryEvents();
    return runtime;
  }

  const std::shared_ptr<Ort::Env> runtime_ = start();
};

}  // namespace

void register_onnx(Registry<Backend>& registry) {
  registry.add(kPlatform, [](const NoSetup&) -> Result<std::unique_ptr<Backend>> {
    try {
      return std::unique_ptr<Backend>(std::make_unique<Onnx>());
    } catch (const Ort::Exception& failure) {
      return Error{Code::kUnavailable, "ONNX Runtime does not start: " + words_of(failure)};
    }
  });
}

}  // namespace braid
