#include "net/load/load_inputs.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <random>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/yaml.h"

namespace braid {
namespace {

constexpr std::size_t kBytesMax = std::size_t{1} << 30;  // of all cases
constexpr std::size_t kCasesMax = 100'000;

Error wrong(std::string message) { return Error{Code::kInvalidArgument, std::move(message)}; }

Error no_input(const ServedModel& model, const std::string& name, const char* option) {
  std::set<std::string> known;
  for (const TensorSpec& spec : model.inputs) {
    known.insert(spec.name);
  }
  const std::string nearest = nearest_word(name, known);
  return wrong(fmt::format("{} {}: '{}' has no such input; {}", option, name, model.name,
                           nearest.empty() ? fmt::format("it has: {}", fmt::join(known, ", "))
                                           : fmt::format("did you mean '{}'?", nearest)));
}

bool has_input(const ServedModel& model, const std::string& name) {
  return std::ranges::any_of(model.inputs,
                             [&](const TensorSpec& spec) { return spec.name == name; });
}

Result<void> check_names(const ServedModel& model, const LoadInputOptions& options) {
  for (const auto& [name, shape] : options.shapes) {
    if (!has_input(model, name)) {
      return no_input(model, name, "--shape");
    }
  }
  for (const auto& [name, bytes] : options.own) {
    if (!has_input(model, name)) {
      return no_input(model, name, "--input");
    }
  }
  if (options.row_count == 0 || options.case_count == 0 || options.case_count > kCasesMax) {
    return wrong(fmt::format("--batch is at least 1, --cases from 1 to {}", kCasesMax));
  }
  if (model.is_pipeline() && options.own.empty()) {
    return wrong(fmt::format(
        "the inputs of pipeline '{}' are raw data that cannot be made up; give at least one, such "
        "as --input {}=@FILE",
        model.name, model.inputs.empty() ? "NAME" : model.inputs.front().name));
  }
  return {};
}

Error too_large() {
  return Error{
      Code::kExhausted,
      fmt::format("the inputs take more than {} bytes; fewer --cases, a smaller --batch or "
                  "--shape",
                  kBytesMax)};
}

/// Before anything is allocated.
Result<void> check_size(const TensorSpec& spec, const Shape& shape, const std::string* own) {
  BRAID_TRY(const std::size_t count, element_count(shape).within("input '" + spec.name + "'"));
  const std::size_t text_size = sizeof(std::string) + (own == nullptr ? 0 : own->size());
  const std::size_t size = spec.dtype == DType::kBytes ? text_size : element_size(spec.dtype);
  return count > kBytesMax / size ? Result<void>(too_large()) : Result<void>();
}

/// Of one input: as given, else the model's with the rows in place of axis 0.
Result<Shape> shape_of(const TensorSpec& spec, const LoadInputOptions& options) {
  if (const auto given = options.shapes.find(spec.name); given != options.shapes.end()) {
    return given->second;
  }
  Shape shape;
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
    if (spec.shape[axis] < 0 && axis > 0) {
      return wrong(fmt::format("{} has an axis that varies; give its size: --shape {}={},…",
                               to_string(spec), spec.name, options.row_count));
    }
    shape.push_back(spec.shape[axis] < 0 ? options.row_count
                                         : static_cast<std::size_t>(spec.shape[axis]));
  }
  return shape;
}

/// One value after the other, of any type.
class Values {
 public:
  Values(std::uint64_t seed, bool zeros) : random_(seed), zeros_(zeros) {}

  Result<Tensor> tensor(DType dtype, const Shape& shape) {
    if (dtype == DType::kBytes) {
      BRAID_TRY(const std::size_t count, element_count(shape));
      std::vector<std::string> texts(count);
      std::ranges::generate(texts, [this] { return text(); });
      return Tensor::from_strings(shape, std::move(texts));
    }
    BRAID_TRY(Tensor tensor, Tensor::zeros(dtype, shape));
    if (!zeros_) {
      fill(tensor);
    }
    return tensor;
  }

 private:
  std::string text() {
    std::string letters(8, 'a');
    for (char& letter : letters) {
      letter = zeros_ ? 'a' : static_cast<char>('a' + random_() % 26);
    }
    return letters;
  }
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-52 - 1; }  // in [-1, 1)

  void fill(Tensor& tensor) {
    if (tensor.dtype() == DType::kFp32) {
      std::ranges::generate(tensor.mutable_values<float>(),
                            [this] { return static_cast<float>(unit()); });
    } else if (tensor.dtype() == DType::kFp64) {
      std::ranges::generate(tensor.mutable_values<double>(), [this] { return unit(); });
    } else if (tensor.dtype() == DType::kFp16 || tensor.dtype() == DType::kBf16) {
      fill_halves(tensor);
    } else {  // 0 or 1 fits every whole type, and is a mask, an identifier, a flag
      const std::size_t step = element_size(tensor.dtype());
      for (std::size_t i = 0; i < tensor.mutable_bytes().size(); i += step) {
        tensor.mutable_bytes()[i] = static_cast<std::byte>(random_() & 1);
      }
    }
  }
  /// ±[0.5, 1): a sign, the exponent of one half, a random mantissa.
  void fill_halves(Tensor& tensor) {
    const bool is_bf16 = tensor.dtype() == DType::kBf16;
    for (std::size_t i = 0; i < tensor.mutable_bytes().size(); i += 2) {
      const std::uint64_t draw = random_();
      const std::uint64_t mantissa = is_bf16 ? 0x3F00U | (draw & 0x7FU) : 0x3800U | (draw & 0x3FFU);
      const std::uint64_t bits = mantissa | (draw & 0x8000U);
      tensor.mutable_bytes()[i] = static_cast<std::byte>(bits & 0xFFU);
      tensor.mutable_bytes()[i + 1] = static_cast<std::byte>(bits >> 8);
    }
  }

  std::mt19937_64 random_;
  const bool zeros_;
};

Result<Tensor> own_tensor(const TensorSpec& spec, const Shape& shape, const std::string& bytes) {
  BRAID_TRY(const std::size_t count, element_count(shape));
  if (spec.dtype == DType::kBytes) {
    return Tensor::from_strings(shape, std::vector<std::string>(count, bytes));
  }
  const std::size_t wanted = count * element_size(spec.dtype);
  if (bytes.size() != wanted) {
    return wrong(
        fmt::format("{} bytes, but {} of shape {} has {}; raw little-endian numbers are "
                    "wanted",
                    bytes.size(), to_string(spec.dtype), to_string(shape), wanted));
  }
  return Tensor::from_bytes(spec.dtype, shape, std::as_bytes(std::span(bytes)));
}

/// The n-th own input of that name, in turn; null when there is none.
const std::string* own_input(const LoadInputOptions& options, const std::string& name,
                             std::size_t index) {
  std::vector<const std::string*> given;
  for (const auto& [each, bytes] : options.own) {
    if (each == name) {
      given.push_back(&bytes);
    }
  }
  return given.empty() ? nullptr : given[index % given.size()];
}

Result<NamedTensors> make_case(const ServedModel& model, const LoadInputOptions& options,
                               std::size_t index, Values& values) {
  NamedTensors tensors;
  for (const TensorSpec& spec : model.inputs) {
    const std::string* own = own_input(options, spec.name, index);
    const bool may_be_absent = spec.optional || model.is_pipeline();
    if (own == nullptr && may_be_absent && !options.shapes.contains(spec.name)) {
      continue;
    }
    BRAID_TRY(const Shape shape, shape_of(spec, options));
    BRAID_TRY_DO(check_size(spec, shape, own));
    Result<Tensor> tensor =
        own != nullptr ? own_tensor(spec, shape, *own) : values.tensor(spec.dtype, shape);
    BRAID_TRY(Tensor made, std::move(tensor).within("input '" + spec.name + "'"));
    tensors.push_back({spec.name, std::move(made)});
  }
  return tensors;
}

/// One case of own inputs only would be the same each time.
std::size_t case_count(const ServedModel& model, const LoadInputOptions& options) {
  std::map<std::string, std::size_t> counts;
  std::size_t most = 0;
  for (const auto& [name, bytes] : options.own) {
    most = std::max(most, ++counts[name]);
  }
  const bool all_own = model.is_pipeline() || counts.size() == model.inputs.size();
  return all_own || most > options.case_count ? std::max<std::size_t>(most, 1) : options.case_count;
}

}  // namespace

Result<std::vector<NamedTensors>> make_cases(const ServedModel& model,
                                             const LoadInputOptions& options) {
  BRAID_TRY_DO(check_names(model, options));
  Values values(options.seed, options.zeros);
  std::vector<NamedTensors> cases;
  std::size_t size_bytes = 0;
  const std::size_t count = case_count(model, options);
  while (cases.size() < count) {
    BRAID_TRY(NamedTensors made, make_case(model, options, cases.size(), values));
    for (const NamedTensor& each : made) {
      size_bytes += each.tensor.size_bytes();
    }
    if (size_bytes > kBytesMax) {
      return too_large();
    }
    cases.push_back(std::move(made));
  }
  return cases;
}

Result<std::pair<std::string, Shape>> parse_shape_option(std::string_view text) {
  const std::size_t equals = text.find('=');
  Shape shape;
  bool good = equals != std::string_view::npos && equals > 0;
  for (std::string_view rest = good ? text.substr(equals + 1) : text; good;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    std::size_t extent = 0;
    const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), extent);
    good = failure == std::errc() && end == part.data() + part.size() && extent > 0;
    shape.push_back(extent);
    if (comma == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(comma + 1);
  }
  if (!good) {
    return wrong(fmt::format("--shape {}: NAME=SIZE,SIZE,… is wanted, axis 0 first", text));
  }
  return std::pair(std::string(text.substr(0, equals)), shape);
}

}  // namespace braid
