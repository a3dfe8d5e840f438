#include "model/warmup.h"

#include <cstring>
#include <random>

#include <fmt/format.h>

#include "base/file.h"

namespace braid {
namespace {

constexpr std::size_t kFileMax = std::size_t{1} << 30;

/// The bytes of the number 1, little-endian.
std::vector<std::byte> one(DType dtype) {
  std::vector<std::byte> bytes(element_size(dtype));
  const auto store = [&](auto number) { std::memcpy(bytes.data(), &number, sizeof(number)); };
  switch (dtype) {
    case DType::kFp16:
      store(std::uint16_t{0x3C00});
      break;
    case DType::kBf16:
      store(std::uint16_t{0x3F80});
      break;
    case DType::kFp32:
      store(1.0F);
      break;
    case DType::kFp64:
      store(1.0);
      break;
    default:
      bytes.front() = std::byte{1};
  }
  return bytes;
}

/// Zeros and ones: other numbers would be no token id, no mask and no index for most models.
void fill_at_random(Tensor& tensor) {
  if (tensor.dtype() == DType::kBytes) {
    return;
  }
  std::minstd_rand random;
  const std::vector<std::byte> number = one(tensor.dtype());
  const std::span<std::byte> bytes = tensor.mutable_bytes();
  for (std::size_t at = 0; at < bytes.size(); at += number.size()) {
    if (random() % 2 == 1) {
      std::ranges::copy(number, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

/// Each string is its length in four little-endian bytes, then itself.
Result<std::vector<std::string>> read_strings(std::string_view bytes) {
  std::vector<std::string> strings;
  while (!bytes.empty()) {
    std::uint32_t length = 0;
    if (bytes.size() < sizeof(length)) {
      return Error{Code::kInvalidArgument, "the file ends inside the length of a string"};
    }
    std::memcpy(&length, bytes.data(), sizeof(length));
    bytes.remove_prefix(sizeof(length));
    if (bytes.size() < length) {
      return Error{Code::kInvalidArgument, "the file ends inside a string"};
    }
    strings.emplace_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return strings;
}

/// The file holds one row (or, without a batch axis, the whole tensor); every row gets a copy.
Result<void> fill_from_file(Tensor& tensor, std::size_t copies, const std::filesystem::path& file) {
  BRAID_TRY(const std::string bytes, read_file(file, kFileMax));
  const auto wrong_size = [&](std::size_t came, std::size_t wanted, const char* what) {
    return Error{Code::kInvalidArgument,
                 fmt::format("{} has {} {}, but {} are wanted", file.string(), came, what, wanted)};
  };
  if (tensor.dtype() == DType::kBytes) {
    BRAID_TRY(const std::vector<std::string> strings, read_strings(bytes).within(file.string()));
    const std::span<std::string> into = tensor.mutable_strings();
    if (strings.size() * copies != into.size()) {
      return wrong_size(strings.size(), into.size() / copies, "strings");
    }
    for (std::size_t i = 0; i < into.size(); ++i) {
      into[i] = strings[i % strings.size()];
    }
    return {};
  }
  const std::span<std::byte> into = tensor.mutable_bytes();
  if (bytes.size() * copies != into.size()) {
    return wrong_size(bytes.size(), into.size() / copies, "bytes");
  }
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] = static_cast<std::byte>(bytes[i % bytes.size()]);
  }
  return {};
}

Result<Tensor> make_input(const Warmup::Input& input, std::size_t copies,
                          const std::filesystem::path& folder) {
  const Shape shape(input.spec.shape.begin(), input.spec.shape.end());
  BRAID_TRY(Tensor tensor, Tensor::zeros(input.spec.dtype, shape));
  if (input.filling == Warmup::Filling::kRandom) {
    fill_at_random(tensor);
  } else if (input.filling == Warmup::Filling::kFile) {
    BRAID_TRY_DO(fill_from_file(tensor, copies, folder / "warmup" / input.file_name));
  }
  return tensor;
}

Result<void> run_one(const Model& model, const Warmup& warmup,
                     const std::filesystem::path& folder) {
  Batch batch;
  batch.row_count = warmup.row_count;
  const std::size_t copies = model.spec().rows_max > 0 ? warmup.row_count : 1;
  for (const Warmup::Input& input : warmup.inputs) {
    BRAID_TRY(Tensor tensor, make_input(input, copies, folder).within(input.spec.name));
    batch.inputs.push_back({input.spec.name, std::move(tensor)});
  }
  for (std::size_t run = 0; run < warmup.run_count; ++run) {
    BRAID_TRY([[maybe_unused]] const RowResults results, model.run(batch));
  }
  return {};
}

}  // namespace

Result<void> warm_up(const Model& model, const std::vector<Warmup>& warmups,
                     const std::filesystem::path& folder) {
  for (const Warmup& warmup : warmups) {
    BRAID_TRY_DO(run_one(model, warmup, folder).within("model_warmup '" + warmup.name + "'"));
  }
  return {};
}

}  // namespace braid
