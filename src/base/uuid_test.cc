#include "base/uuid.h"

#include <set>

#include <gtest/gtest.h>

namespace braid {
namespace {

// RFC 9562, appendix A.6: 1645557742000 ms, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F.
TEST(Uuid, IsTheExampleOfTheStandard) {
  EXPECT_EQ(uuid_v7(1645557742000, 0xCC3, 0x18C4DC0C0C07398F),
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

// Whatever the random bits are, version and variant stand.
TEST(Uuid, KeepsVersionAndVariant) {
  for (const std::uint64_t random : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    const std::string id = uuid_v7(~std::uint64_t{0} >> 16, random, random);
    EXPECT_EQ(id.size(), 36U);
    EXPECT_EQ(id[14], '7');
    EXPECT_TRUE(id[19] == '8' || id[19] == 'b') << id;
  }
}

TEST(Uuid, NewOnesDifferAndCarryAPresentTime) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) {
    ids.insert(new_uuid_v7());
  }
  EXPECT_EQ(ids.size(), 1000U);
  EXPECT_GT(*ids.begin(), "0193");  // later than November 2024
}

}  // namespace
}  // namespace braid
