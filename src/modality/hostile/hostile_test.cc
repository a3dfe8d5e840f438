// Each hostile file is answered by a typed error that names the matter, and holds 64 MB at most
// while it is looked at. How long that takes, bench/kinds.sh measures.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "modality/hostile/all.h"
#include "modality/hostile/allocations.h"

namespace braid::hostile {
namespace {

class Hostile : public testing::TestWithParam<HostileFile> {};

TEST_P(Hostile, IsRefusedByNameWithinItsMemory) {
  const HostileFile& file = GetParam();
  const std::string raw = file.make();
  const auto preprocessor = preprocessor_for(file);
  open_modules();
  Allocations allocations;
  const auto encoded = preprocessor->encode(raw);
  const std::size_t held_max = allocations.held_max();
  ASSERT_FALSE(encoded.has_value());
  const Error& error = encoded.error();
  EXPECT_EQ(error.code, file.code) << error.describe();
  EXPECT_THAT(error.describe(), testing::HasSubstr(file.says));
  EXPECT_LE(held_max, kMemoryMax) << error.describe();
  RecordProperty("held_bytes", std::to_string(held_max));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Hostile, testing::ValuesIn(all()),
                         [](const auto& each) { return std::string(each.param.id); });

}  // namespace
}  // namespace braid::hostile
