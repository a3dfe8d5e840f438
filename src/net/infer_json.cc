#include "net/infer_json.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include "net/bytes_framing.h"
#include "net/tensor_json.h"

namespace braid {
namespace {

namespace ondemand = simdjson::ondemand;
using Keys = std::span<const std::string_view>;

constexpr std::size_t kRankMax = 32;
constexpr std::size_t kParametersMax = 1024;

Error wrong(std::string message) { return Error{Code::kInvalidArgument, std::move(message)}; }

Error wrong(simdjson::error_code code) {
  return wrong(fmt::format("not valid JSON: {}", simdjson::error_message(code)));
}

template <typename T>
Result<T> got(simdjson::simdjson_result<T> result) {
  T value;
  if (const auto code = std::move(result).get(value); code != simdjson::SUCCESS) {
    return wrong(code);
  }
  return value;
}

/// What an input says of itself; its numbers are read when the whole of it is known.
struct InputDraft {
  std::string name;
  std::optional<DType> dtype;
  std::optional<Shape> shape;
  std::optional<std::string_view> data;  // the list as it stands in the body
  std::optional<std::int64_t> binary_size;
};

/// Calls read(index of the key, value) for each key; an unknown one or a second one is an error.
template <typename Read>
Result<void> read_fields(ondemand::object& object, Keys keys, Read read) {
  unsigned seen = 0;
  for (auto field : object) {
    BRAID_TRY(const std::string_view key, got<std::string_view>(field.unescaped_key()));
    const auto known = std::ranges::find(keys, key);
    if (known == keys.end()) {
      return wrong(fmt::format("unknown key '{}'; known here: {}", key.substr(0, 100),
                               fmt::join(keys, ", ")));
    }
    const auto index = static_cast<std::size_t>(known - keys.begin());
    if ((seen & (1U << index)) != 0) {
      return wrong(fmt::format("key '{}' comes twice", key));
    }
    seen |= 1U << index;
    BRAID_TRY(ondemand::value value, got<ondemand::value>(field.value()));
    if (Result<void> done = read(index, value); !done.has_value()) {
      return std::move(done).within(std::string(*known));
    }
  }
  return {};
}

template <typename Read>
Result<void> read_object(ondemand::value value, Keys keys, Read read) {
  ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) {
    return wrong("a map is wanted here");
  }
  return read_fields(object, keys, read);
}

template <typename Read>
Result<void> read_items(ondemand::value value, std::string_view wanted, Read read) {
  ondemand::array array;
  if (value.get_array().get(array) != simdjson::SUCCESS) {
    return wrong(fmt::format("a list of {} is wanted here", wanted));
  }
  std::size_t index = 0;
  for (auto item : array) {
    BRAID_TRY(ondemand::value element, got<ondemand::value>(item));
    if (Result<void> done = read(element); !done.has_value()) {
      return std::move(done).within(fmt::format("[{}]", index));
    }
    ++index;
  }
  return {};
}

Result<void> read_text(ondemand::value value, std::string& into) {
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) {
    return wrong("a string is wanted here");
  }
  if (!simdjson::validate_utf8(text)) {
    return wrong(simdjson::UTF8_ERROR);  // half of a surrogate pair
  }
  into = text;
  return {};
}

Result<void> read_name(ondemand::value value, std::string& into) {
  BRAID_TRY_DO(read_text(value, into));
  return into.empty() ? Result<void>(wrong("a name is empty")) : Result<void>();
}

Result<Json> read_scalar(ondemand::value value) {
  BRAID_TRY(const ondemand::json_type type, got<ondemand::json_type>(value.type()));
  if (type == ondemand::json_type::string) {
    std::string text;
    BRAID_TRY_DO(read_text(value, text));
    return Json(std::move(text));
  }
  if (type == ondemand::json_type::boolean) {
    BRAID_TRY(const bool flag, got<bool>(value.get_bool()));
    return Json(flag);
  }
  if (type != ondemand::json_type::number) {
    return wrong("a parameter is a string, a number or a boolean");
  }
  BRAID_TRY(ondemand::number number, got<ondemand::number>(value.get_number()));
  if (number.is_int64()) {
    return Json(number.get_int64());
  }
  return number.is_uint64() ? Json(number.get_uint64()) : Json(number.get_double());
}

Result<Json> read_parameter_map(ondemand::value value) {
  ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) {
    return wrong("parameters are a map");
  }
  Json::Map map;
  std::set<std::string> seen;
  for (auto field : object) {
    BRAID_TRY(const std::string_view key, got<std::string_view>(field.unescaped_key()));
    if (!seen.insert(std::string(key)).second || seen.size() > kParametersMax) {
      return wrong(fmt::format("parameter '{}' comes twice, or there are more than {}",
                               key.substr(0, 100), kParametersMax));
    }
    std::string name(key);
    BRAID_TRY(ondemand::value item, got<ondemand::value>(field.value()));
    BRAID_TRY(Json scalar, read_scalar(item).within(name.substr(0, 100)));
    map.emplace_back(std::move(name), std::move(scalar));
  }
  return Json(std::move(map));
}

Result<void> read_shape(ondemand::value value, std::optional<Shape>& into) {
  into.emplace();
  return read_items(value, "sizes", [&](ondemand::value element) -> Result<void> {
    std::int64_t extent = 0;
    if (element.get_int64().get(extent) != simdjson::SUCCESS || extent < 0) {
      return wrong("the size of an axis is a whole number that is not negative");
    }
    if (into->size() == kRankMax) {
      return wrong(fmt::format("a shape has {} axes at most", kRankMax));
    }
    into->push_back(static_cast<std::size_t>(extent));
    return {};
  });
}

Result<void> read_dtype(ondemand::value value, std::optional<DType>& into) {
  std::string name;
  BRAID_TRY_DO(read_text(value, name));
  BRAID_TRY(into, dtype_from(name.substr(0, 100)));
  return {};
}

Result<void> read_input_parameters(ondemand::value value, InputDraft& draft) {
  BRAID_TRY(const Json parameters, read_parameter_map(value));
  for (const auto& [name, content] : *parameters.map()) {
    if (name == "binary_data_size") {
      std::int64_t size = 0;
      if (!content.integer(size) || size < 0) {
        return wrong("binary_data_size is a whole number that is not negative");
      }
      draft.binary_size = size;
    } else if (name.starts_with("shared_memory_")) {
      return Error{Code::kUnsupported, "shared memory is not offered here; send the data"};
    }
  }
  return {};
}

Result<void> read_input(ondemand::value value, InputDraft& draft) {
  static constexpr std::string_view kKeys[] = {"name", "shape", "datatype", "parameters", "data"};
  return read_object(value, kKeys, [&](std::size_t key, ondemand::value content) -> Result<void> {
    switch (key) {
      case 0:
        return read_name(content, draft.name);
      case 1:
        return read_shape(content, draft.shape);
      case 2:
        return read_dtype(content, draft.dtype);
      case 3:
        return read_input_parameters(content, draft);
      default:
        break;
    }
    ondemand::array list;
    if (content.get_array().get(list) != simdjson::SUCCESS) {
      return wrong("data must be a list");
    }
    BRAID_TRY(draft.data, got<std::string_view>(list.raw_json()));
    return {};
  });
}

Result<void> read_output(ondemand::value value, RequestedOutput& output) {
  static constexpr std::string_view kKeys[] = {"name", "parameters"};
  std::optional<Json> parameters;
  if (Result<void> read =
          read_object(value, kKeys,
                      [&](std::size_t key, ondemand::value content) -> Result<void> {
                        if (key == 0) {
                          return read_name(content, output.name);
                        }
                        BRAID_TRY(parameters, read_parameter_map(content));
                        return {};
                      });
      !read.has_value()) {
    return read;
  }
  if (output.name.empty()) {
    return wrong("an output has no name");
  }
  return parameters.has_value() ? read_output_parameters(*parameters, output) : Result<void>();
}

struct Draft {
  InferRequest request;
  std::vector<InputDraft> inputs;
};

Result<void> read_request(std::size_t key, ondemand::value value, Draft& draft) {
  switch (key) {
    case 0:
      return read_text(value, draft.request.id);
    case 1: {
      BRAID_TRY(const Json parameters, read_parameter_map(value));
      return read_parameters(parameters, draft.request);
    }
    case 2:
      return read_items(value, "inputs", [&](ondemand::value item) {
        return read_input(item, draft.inputs.emplace_back());
      });
    default:
      return read_items(value, "outputs", [&](ondemand::value item) {
        return read_output(item, draft.request.outputs.emplace_back());
      });
  }
}

Result<Draft> read_draft(PaddedText json) {
  static constexpr std::string_view kKeys[] = {"id", "parameters", "inputs", "outputs"};
  const std::string_view text = json.text();
  if (text.empty()) {
    return wrong("the body is empty; an inference request is a JSON map with inputs");
  }
  ondemand::parser parser;
  BRAID_TRY(ondemand::document document,
            got<ondemand::document>(parser.iterate(text.data(), text.size(),
                                                   text.size() + simdjson::SIMDJSON_PADDING)));
  BRAID_TRY(ondemand::object object, got<ondemand::object>(document.get_object()));
  Draft draft;
  if (Result<void> read = read_fields(
          object, kKeys,
          [&](std::size_t key, ondemand::value value) { return read_request(key, value, draft); });
      !read.has_value()) {
    return std::move(read).error();
  }
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    return wrong("something follows the JSON map");
  }
  return draft;
}

Result<Tensor> make_tensor(const InputDraft& draft, PaddedText json, Bytes& blobs) {
  if (!draft.dtype.has_value() || !draft.shape.has_value()) {
    return wrong(draft.shape.has_value() ? "it has no datatype" : "it has no shape");
  }
  if (!draft.binary_size.has_value()) {
    if (!draft.data.has_value()) {
      return wrong("it has neither data nor a binary_data_size");
    }
    return tensor_from_json(json.part(*draft.data), *draft.dtype, *draft.shape);
  }
  if (draft.data.has_value()) {
    return wrong("it has both data and a binary_data_size");
  }
  const auto size = static_cast<std::uint64_t>(*draft.binary_size);
  if (size > blobs.size()) {
    return wrong(
        fmt::format("its binary_data_size is {}, but {} bytes are left behind the JSON; "
                    "Inference-Header-Content-Length says where that ends",
                    size, blobs.size()));
  }
  const Bytes blob = blobs.substr(0, size);
  blobs.remove_prefix(size);
  return tensor_from_bytes(blob, *draft.dtype, *draft.shape);
}

/// Names must differ; of 10,000 a set finds that sooner than comparing all.
template <typename Named>
Result<void> check_names(const std::vector<Named>& list, const char* what) {
  std::set<std::string_view> seen;
  for (const Named& each : list) {
    if (each.name.empty()) {
      return wrong(fmt::format("an {} has no name", what));
    }
    if (!seen.insert(each.name).second) {
      return wrong(fmt::format("{} '{}' comes twice", what, each.name));
    }
  }
  return {};
}

}  // namespace

Result<InferRequest> parse_infer(const Body& body, std::optional<std::size_t> json_size) {
  if (json_size.value_or(0) > body.size()) {
    return wrong(fmt::format("Inference-Header-Content-Length is {}, the body only {} bytes",
                             *json_size, body.size()));
  }
  const PaddedText json = PaddedText(body).first(json_size.value_or(body.size()));
  BRAID_TRY(Draft draft, read_draft(json));
  if (draft.inputs.empty()) {
    return wrong("there are no inputs");
  }
  for (Result<void> checked :
       {check_names(draft.inputs, "input"), check_names(draft.request.outputs, "output")}) {
    if (!checked.has_value()) {
      return std::move(checked).error();
    }
  }
  Bytes blobs = body.bytes().substr(json.text().size());
  for (const InputDraft& input : draft.inputs) {
    BRAID_TRY(Tensor tensor, make_tensor(input, json, blobs)
                                 .within(fmt::format("input '{}'", input.name.substr(0, 100))));
    draft.request.inputs.push_back({input.name, std::move(tensor)});
  }
  if (!blobs.empty()) {
    return wrong(fmt::format("{} bytes are left over after the inputs", blobs.size()));
  }
  return std::move(draft.request);
}

}  // namespace braid
