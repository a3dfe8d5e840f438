#include "modality/image/kernels.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "modality/image/picture.h"

namespace braid {
namespace {

// The goldens run what this machine's CPU can; the other half must give the same bits.
TEST(Kernels, GiveTheSameBitsWithAndWithoutVectors) {
  std::mt19937 chance(1);
  for (const std::size_t from : {1, 2, 3, 7, 40, 333}) {
    for (const std::size_t to : {1, 3, 8, 50, 401}) {
      for (const auto interpolation : {Interpolation::kBilinear, Interpolation::kBicubic}) {
        const AxisWeights axis({from, to, 0, to}, {interpolation});
        const std::size_t length = (to * kPixelBytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
        std::vector<std::uint8_t> source((from + 1) * kPixelBytes);
        std::ranges::generate(source, [&] { return static_cast<std::uint8_t>(chance()); });
        std::vector<std::uint8_t> fast(length);
        std::vector<std::uint8_t> slow(length);
        along_row(PairedWeights(axis), source.data(), fast.data());
        portable::along_row(PairedWeights(axis), source.data(), slow.data());
        fast.resize(to * kPixelBytes);
        slow.resize(to * kPixelBytes);
        EXPECT_EQ(fast, slow) << from << " to " << to;

        const auto weights = axis.weights(to / 2);
        std::vector<std::vector<std::uint8_t>> rows(weights.size());
        std::vector<const std::uint8_t*> starts;
        for (std::vector<std::uint8_t>& row : rows) {
          row.resize(length);
          std::ranges::generate(row, [&] { return static_cast<std::uint8_t>(chance()); });
          starts.push_back(row.data());
        }
        fast.resize(length);
        slow.resize(length);
        along_columns(weights, starts, fast);
        portable::along_columns(weights, starts, slow);
        EXPECT_EQ(fast, slow) << from << " to " << to;
      }
    }
  }
}

}  // namespace
}  // namespace braid
