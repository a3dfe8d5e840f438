// Two hundred mutants of files of each kind, always the same ones: an answer or a typed error, and
// never more memory than the settings explain. tests/conformance mutates bytes of any sample; here
// what a checksum would give away is mended, so that the mutant reaches the reader behind it.
// DICOM and clips have theirs in dicom_test.cc and video_test.cc.

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "modality/hostile/all.h"
#include "modality/hostile/allocations.h"

namespace braid::hostile {
namespace {

constexpr int kMutants = 200;

using Chance = std::mt19937;

std::string mutated(std::string bytes, Chance& chance) {
  for (auto edit = chance() % 8 + 1; edit > 0; --edit) {
    // Mostly in what describes the rest.
    const std::size_t range =
        chance() % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 400);
    bytes[chance() % range] = static_cast<char>(chance());
  }
  if (chance() % 8 == 0) {
    bytes.resize(chance() % bytes.size() + 1);
  }
  return bytes;
}

/// In gzip with a right checksum, stored.
std::string mutated_in_gzip(std::string bytes, Chance& chance) {
  bytes = mutated(std::move(bytes), chance);
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\3\1", 11) + stored(bytes) + little(crc32(bytes), 4) +
         little(bytes.size(), 4);
}

/// A PNG whose chunks have right checksums again, as far as they can be followed.
std::string mutated_png(std::string bytes, Chance& chance) {
  bytes = mutated(std::move(bytes), chance);
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
    const std::size_t size = std::size_t{byte(0)} << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
    if (size > bytes.size() - at - 12) {
      break;
    }
    bytes.replace(at + 8 + size, 4, big(crc32(Bytes(bytes).substr(at + 4, size + 4)), 4));
    at += size + 12;
  }
  return bytes;
}

struct Kind {
  const char* name = "";
  const char* modality = "";
  const char* settings = "";
  std::vector<const char*> files;
  std::string (*mutate)(std::string bytes, Chance& chance) = mutated;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kinds = {
      {"wav",
       "audio",
       "{rate: 8000, seconds_max: 5}",
       {"audio/mono16.wav", "audio/four.wav", "audio/pcm24_behind.wav", "audio/adpcm.wav"}},
      {"flac", "audio", "{rate: 8000, seconds_max: 5}", {"audio/stereo.flac"}},
      {"mp3", "audio", "{rate: 8000, seconds_max: 5}", {"audio/wide.mp3"}},
      {"nifti",
       "volume",
       "{size: 6, voxels_max: 100000}",
       {"volume/ct_ras.nii", "volume/nifti2_big.nii", "volume/f8_big.nii", "volume/qform.nii"}},
      {"nifti_gz",
       "volume",
       "{size: 6, voxels_max: 100000}",
       {"volume/ct_ras.nii", "volume/ct_big.nii", "volume/i4_little.nii"},
       mutated_in_gzip},
      {"npy",
       "volume",
       "{size: 6, voxels_max: 100000}",
       {"volume/array.npy", "volume/array_big.npy", "volume/array_fortran.npy"}},
      {"jpeg",
       "image",
       "{size: 8, pixels_max: 100000}",
       {"image/rgb.jpg", "image/progressive.jpg", "image/cmyk.jpg", "image/restarts.jpg"}},
      {"png",
       "image",
       "{size: 8, pixels_max: 100000}",
       {"image/rgb.png", "image/palette_alpha.png", "image/rgba_interlaced.png", "image/grey1.png"},
       mutated_png},
  };
  return kinds;
}

class Mutants : public testing::TestWithParam<Kind> {};

TEST_P(Mutants, AreAnsweredOrRefusedWithinTheirMemory) {
  const Kind& kind = GetParam();
  HostileFile settings;
  settings.modality = kind.modality;
  settings.settings = kind.settings;
  const auto preprocessor = preprocessor_for(settings);
  std::vector<std::string> files;
  for (const char* file : kind.files) {
    files.push_back(shipped(file));
  }
  Chance chance(20261203);
  int refused = 0;
  for (int i = 0; i < kMutants; ++i) {
    const std::string& whole = files[static_cast<std::size_t>(i) % files.size()];
    const std::string mutant = kind.mutate(whole, chance);
    Allocations allocations;
    const auto encoded = preprocessor->encode(mutant);
    ASSERT_LE(allocations.held_max(), std::size_t{16} << 20) << "mutant " << i;
    if (!encoded.has_value()) {
      ++refused;
      ASSERT_THAT(encoded.error().code,
                  testing::AnyOf(Code::kInvalidArgument, Code::kUnsupported, Code::kExhausted))
          << "mutant " << i << ": " << encoded.error().describe();
    }
  }
  EXPECT_GT(refused, kMutants / 20);
  RecordProperty("refused", refused);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Mutants, testing::ValuesIn(kinds()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace braid::hostile
