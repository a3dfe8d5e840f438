// Any bytes as a volume, through several settings chosen by the last byte: no crash, no leak, no
// more time or memory than the limits allow. Corpus: tests/data/modality/volume.

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
       {"{size: [4, 5, 6], voxels_max: 100000}",
        "{spacing: 2, size: 8, window: [-100, 400], normalise: zscore, voxels_max: 100000}",
        "{spacing: [1, 2, 3], grid: origin, fill: -7, orientation: SPL, voxels_max: 100000}",
        "{size: 7, grid: edges, resample: nearest, normalise: zscore_nonzero, voxels_max: 100000}",
        "{channels: 2, orientation: file, voxels_max: 100000}"}) {
    const auto settings = Settings::parse(text);
    all.push_back(*registry.make("volume", *settings));
  }
  return all;
}

void try_once(Bytes raw) {
  static const Preprocessors all = open_all();
  if (raw.empty()) {
    return;
  }
  const std::size_t choice = static_cast<unsigned char>(raw.back()) % all.size();
  const auto encoded = all[choice]->encode(raw);
  if (encoded.has_value()) {
    BRAID_CHECK(check_fits(all[choice]->outputs().front(), encoded->tensors.front().tensor.view())
                    .has_value());
  }
}

}  // namespace
}  // namespace braid

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::try_once({reinterpret_cast<const char*>(data), size});
  return 0;
}
