// Any bytes as a record: an answer or a typed error, never a crash, never a value that no float
// holds. Corpus: tests/data/modality/table.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "modality/preprocessor.h"

namespace braid {
namespace {

using Preprocessors = std::vector<std::unique_ptr<Preprocessor>>;

constexpr const char* kColumns =
    "columns: [age, weight, {name: sex, categories: [f, m]}, {name: grade, categories: [1, 2]}]\n";

Preprocessors open_all() {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  Preprocessors all;
  for (const char* more :
       {"", "encoding: one_hot\nextra: ignore", "missing_values: [0, -999, NA]\nunknown: error"}) {
    const auto settings = Settings::parse(std::string(kColumns) + more);
    all.push_back(*registry.make("table", *settings));
  }
  return all;
}

void try_once(Bytes raw) {
  static const Preprocessors all = open_all();
  for (const auto& preprocessor : all) {
    const auto encoded = preprocessor->encode(raw);
    if (!encoded.has_value()) {
      BRAID_CHECK(encoded.error().code != Code::kInternal);
      continue;
    }
    for (const float value : encoded->tensors.front().tensor.values<float>()) {
      BRAID_CHECK(!std::isinf(value));
    }
  }
}

}  // namespace
}  // namespace braid

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::try_once({reinterpret_cast<const char*>(data), size});
  return 0;
}
