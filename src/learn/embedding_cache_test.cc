#include "learn/embedding_cache.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/test_folder.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class EmbeddingCacheTest : public testing::Test {
 protected:
  std::unique_ptr<EmbeddingCache> open(std::size_t width = 2) const {
    auto cache = EmbeddingCache::open(folder_, encoder_, width);
    EXPECT_TRUE(cache.has_value()) << cache.error().describe();
    return *std::move(cache);
  }

  /// A cache on disk with an embedding for each word; closed again.
  std::filesystem::path written(const std::vector<std::string>& words) const {
    const auto cache = open();
    for (const std::string& word : words) {
      const auto size = static_cast<float>(word.size());
      EXPECT_TRUE(cache->add(sha256(word), {{size, -size}, 1.5F}).has_value());
    }
    return cache->file();
  }

  const TestFolder own_;
  const std::filesystem::path& folder_ = own_.path();
  const std::string encoder_ = sha256("encoder");
};

TEST_F(EmbeddingCacheTest, KeepsWhatWasAddedAcrossRuns) {
  written({"a", "four"});

  const auto cache = open();

  const auto found = cache->find(sha256("four"));
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(found->values, ElementsAre(4, -4));
  EXPECT_EQ(found->milliseconds, 1.5F);
  EXPECT_FALSE(cache->find(sha256("other")).has_value());
}

// A process that is killed leaves half a record behind.
TEST_F(EmbeddingCacheTest, DropsATailThatWasCutOffAndGoesOn) {
  const auto file = written({"a", "four"});
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 3);
  {
    const auto cache = open();
    EXPECT_EQ(cache->size(), 1U);
    EXPECT_TRUE(cache->add(sha256("again"), {{1, 2}, 0}).has_value());
  }

  EXPECT_EQ(open()->size(), 2U);
}

TEST_F(EmbeddingCacheTest, DropsRecordsFromTheFirstDamagedOne) {
  const auto file = written({"a", "four", "seven77"});
  const std::size_t header_bytes = 12;  // 8 of magic, 4 of width
  const std::size_t record_bytes = 32 + 4 + 2 * 4 + 8;
  {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(header_bytes + record_bytes + 40));
    stream.put('\x7f');
  }

  const auto cache = open();

  EXPECT_TRUE(cache->find(sha256("a")).has_value());
  EXPECT_FALSE(cache->find(sha256("four")).has_value());
  EXPECT_FALSE(cache->find(sha256("seven77")).has_value());
}

TEST_F(EmbeddingCacheTest, StartsAnewWhenTheWidthDiffers) {
  written({"a"});

  EXPECT_EQ(open(3)->size(), 0U);
}

TEST_F(EmbeddingCacheTest, ForgetsOnRequestOnDiskToo) {
  written({"a"});
  EXPECT_TRUE(open()->clear().has_value());

  EXPECT_EQ(open()->size(), 0U);
}

// Two fits that append to one file would mix their records.
TEST_F(EmbeddingCacheTest, RefusesAFileThatAnotherFitIsFilling) {
  const auto first = open();

  const auto second = EmbeddingCache::open(folder_, encoder_, 2);

  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Code::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr("--cache"));
}

TEST_F(EmbeddingCacheTest, NamesTheFolderThatCannotBeWritten) {
  std::ofstream(folder_ / "file") << "x";

  const auto cache = EmbeddingCache::open(folder_ / "file", encoder_, 2);

  ASSERT_FALSE(cache.has_value());
  EXPECT_THAT(cache.error().message, HasSubstr((folder_ / "file").string()));
}

}  // namespace
}  // namespace braid
