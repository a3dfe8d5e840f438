// Any bytes as a series, through several settings chosen by the last byte: no crash, no leak, no
// more time or memory than the limits allow, no infinity. Corpus: tests/data/modality/series.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "modality/preprocessor.h"

namespace braid {
namespace {

using Preprocessors = std::vector<std::unique_ptr<Preprocessor>>;

Preprocessors open_all() {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  Preprocessors all;
  for (const char* text :
       {"{channels: [pulse, level], time: time, mask: true, length: 20}",
        "{channels: [pulse, level], time: time, every: 1.5, resample: linear, gap_max: 3, "
        "fill: linear, samples_max: 2000, unsorted: sort}",
        "{channels: [pulse, level], time: time, time_unit: iso8601, every: 2, samples_max: 2000, "
        "normalise: standard, fill: previous}",
        "{channels: pulse, fill: mean, features: statistics, statistics: [basic, dynamics]}",
        "{channels: [pulse, level], extra: refuse, normalise: range, window: 9, step: 2, "
        "features: statistics, statistics: [dynamics]}"}) {
    const auto settings = Settings::parse(text);
    all.push_back(*registry.make("series", *settings));
  }
  return all;
}

void try_once(Bytes raw) {
  static const Preprocessors all = open_all();
  if (raw.empty()) {
    return;
  }
  const std::size_t choice = static_cast<unsigned char>(raw.back()) % all.size();
  raw.remove_suffix(1);
  const auto encoded = all[choice]->encode(raw);
  if (!encoded.has_value()) {
    return;
  }
  const auto specs = all[choice]->outputs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Tensor& tensor = encoded->tensors[i].tensor;
    BRAID_CHECK(check_fits(specs[i], tensor.view()).has_value());
    for (const float value : tensor.values<float>()) {
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
