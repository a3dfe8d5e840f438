// Any bytes as DICOM or as a zip of DICOM: no crash, no leak, no more time or memory than the
// limits allow. Bytes that do not begin like either are made one slice of a zip, so that the fuzzer
// need not find out checksums. Corpus: tests/data/modality/volume/dicom and its folder refused.

#include <cstddef>
#include <cstdint>
#include <string>

#include "modality/preprocessor.h"
#include "modality/volume/dicom/read_dicom.h"

namespace braid {
namespace {

/// A directory, a file that is stored in it, and the checksum that is asked for.
std::string zip_of(Bytes file) {
  std::string zip;
  const auto number = [&](std::uint64_t value, int byte_count) {
    for (int i = 0; i < byte_count; ++i) {
      zip += static_cast<char>(value >> (8 * i) & 0xFF);
    }
  };
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : file) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ (crc % 2 == 1 ? 0xEDB88320 : 0);
    }
  }
  const auto facts = [&] {
    number(20, 2);
    number(0, 2 + 2 + 4);
    number(~crc & 0xFFFFFFFF, 4);
    number(file.size(), 4);
    number(file.size(), 4);
    number(0, 2 + 2);
  };
  zip += "PK\3\4";
  facts();
  zip += file;
  const std::size_t directory = zip.size();
  zip += "PK\1\2";
  number(20, 2);
  facts();
  number(0, 2 + 2 + 2);
  number(0, 8);
  const std::size_t size = zip.size() - directory;
  zip += "PK\5\6";
  number(0, 4);
  number(1, 2);
  number(1, 2);
  number(size, 4);
  number(directory, 4);
  number(0, 2);
  return zip;
}

void try_once(Bytes raw) {
  static const std::unique_ptr<Preprocessor> preprocessor = [] {
    Registry<Preprocessor> registry("modality");
    register_modality_preprocessors(registry);
    const auto settings =
        Settings::parse("{size: [4, 5, 6], monochrome1: inverted, voxels_max: 300000}");
    return *registry.make("volume", *settings);
  }();
  const std::string zip = begins_like_dicom(raw) ? std::string(raw) : zip_of(raw);
  const auto encoded = preprocessor->encode(zip);
  if (encoded.has_value()) {
    BRAID_CHECK(check_fits(preprocessor->outputs().front(), encoded->tensors.front().tensor.view())
                    .has_value());
  }
}

}  // namespace
}  // namespace braid

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  braid::try_once({reinterpret_cast<const char*>(data), size});
  return 0;
}
