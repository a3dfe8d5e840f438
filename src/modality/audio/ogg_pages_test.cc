#include "modality/audio/ogg_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace braid {
namespace {

// The checksums in the file are libogg's own.
TEST(OggPages, AreWholeInARealFileAndInNoDamagedOne) {
  const std::string good = *read_file("tests/data/modality/audio/wide.ogg");
  EXPECT_TRUE(check_ogg_pages(good).has_value());
  EXPECT_THAT(check_ogg_pages(good.substr(0, good.size() - 1)).error().describe(),
              testing::HasSubstr("cut short"));
  EXPECT_THAT(check_ogg_pages(good + "x").error().describe(), testing::HasSubstr("other bytes"));
  for (std::size_t at = 0; at < good.size(); at += 97) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    EXPECT_FALSE(check_ogg_pages(bad).has_value()) << at;
  }
}

}  // namespace
}  // namespace braid
