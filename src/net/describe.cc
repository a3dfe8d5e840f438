#include "net/describe.h"

#include <utility>

namespace braid {
namespace {

Json tensors(const std::vector<TensorSpec>& specs) {
  Json::List list;
  for (const TensorSpec& spec : specs) {
    Json::List shape(spec.shape.begin(), spec.shape.end());
    Json tensor;
    tensor.set("name", spec.name);
    tensor.set("datatype", to_string(spec.dtype));
    tensor.set("shape", std::move(shape));
    if (spec.optional) {
      tensor.set("optional", true);  // the protocol has no word for it; others may be added
    }
    list.push_back(std::move(tensor));
  }
  return list;
}

}  // namespace

Json server_metadata(const std::string& version) {
  Json json;
  json.set("name", "braid");
  json.set("version", version);
  json.set("extensions", Json::List{"binary_tensor_data"});
  return json;
}

Json model_metadata(const std::string& name, const std::vector<std::string>& versions,
                    const std::string& platform, const std::vector<TensorSpec>& inputs,
                    const std::vector<TensorSpec>& outputs) {
  Json json;
  json.set("name", name);
  json.set("versions", Json::List(versions.begin(), versions.end()));
  json.set("platform", platform);
  json.set("inputs", tensors(inputs));
  json.set("outputs", tensors(outputs));
  return json;
}

}  // namespace braid
