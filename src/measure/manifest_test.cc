#include "measure/manifest.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/test_folder.h"

namespace braid {
namespace {

using testing::HasSubstr;

/// A folder of its own for each test, with one file and one array in it.
class ManifestTest : public testing::Test {
 protected:
  ManifestTest() {
    EXPECT_TRUE(write_file(folder_ / "images/a.png", "picture bytes").has_value());
    std::filesystem::copy_file("tests/data/tensor/singles.npy", folder_ / "rows.npy");
  }

  Result<Manifest> read(const std::string& text, bool skip_bad = false) {
    EXPECT_TRUE(write_file(folder_ / "m.csv", text).has_value());
    return read_manifest(folder_ / "m.csv", {.skip_bad = skip_bad});
  }

  const TestFolder own_;
  const std::filesystem::path& folder_ = own_.path();
};

TEST_F(ManifestTest, ReadsEachKindOfCell) {
  const auto manifest = read(
      "id,split,group,label,weight,photo,title,record\n"
      "1,test,g,cat,0.5,@images/a.png,\"a \"\"big\"\" cat\",@rows.npy#1\n"
      "2,train,,dog,,,@@home,@rows.npy#0\n");
  ASSERT_TRUE(manifest.has_value()) << manifest.error().describe();
  EXPECT_EQ(manifest->inputs, (std::vector<std::string>{"photo", "title", "record"}));
  ASSERT_EQ(manifest->rows.size(), 2U);

  const ManifestRow& first = manifest->rows[0];
  EXPECT_EQ(first.line, 2U);
  EXPECT_EQ(first.group, "g");
  EXPECT_EQ(first.weight, 0.5);
  EXPECT_EQ(*load_cell(first.inputs[0].second), "picture bytes");
  EXPECT_EQ(*load_cell(first.inputs[1].second), "a \"big\" cat");
  EXPECT_EQ(*load_cell(first.inputs[2].second), "[1,2,3,4]");

  const ManifestRow& second = manifest->rows[1];
  EXPECT_EQ(second.group, "2");  // a case without a group is one of its own
  EXPECT_FALSE(second.inputs[0].second.present());
  EXPECT_EQ(*load_cell(second.inputs[1].second), "@home");
  EXPECT_THAT(*load_cell(second.inputs[2].second), HasSubstr(",null]"));  // NaN
}

TEST_F(ManifestTest, ReadsWhatDialoguesAndRankingsNeed) {
  const auto manifest = read("id,split,group,label,sequence,order,query\n1,a,g,x,talk,7,q1\n");
  ASSERT_TRUE(manifest.has_value()) << manifest.error().describe();
  EXPECT_EQ(manifest->rows[0].sequence, "talk");
  EXPECT_EQ(manifest->rows[0].order, 7);
  EXPECT_EQ(manifest->rows[0].query, "q1");
}

TEST_F(ManifestTest, NamesTheLineAndTheCureOfABadRow) {
  std::filesystem::create_directory(folder_ / "folder");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const std::pair<const char*, const char*> bad[] = {
      {"1,a,g,x,@none.png,1", "none.png is not there; paths are relative to the manifest"},
      {"1,a,g,x,@folder,1", "not a regular file"},
      {"1,a,g,x,@pipe,1", "not a regular file"},
      {"1,a,g,x,@,1", "not a regular file"},
      {"1,a,g,x,@rows.npy#3,1", "has no row 3; it has 3"},
      {"1,a,g,x,@rows.npy#-1,1", "'-1' is not a row"},
      {"1,a,g,x,t", "5 cells where the header has 6"},
      {",a,g,x,t,1", "the id is empty"},
      {"1,a,g,x,t,many", "weight 'many'"},
      {"1,a,g,x,t,-1", "weight '-1'"},
      {"1,a,g,x,t,inf", "weight 'inf'"},
  };
  for (const auto& [row, message] : bad) {
    const auto manifest =
        read(fmt::format("id,split,group,label,photo,weight\n0,a,g,x,,\n{}\n", row));
    ASSERT_FALSE(manifest.has_value()) << row;
    EXPECT_EQ(manifest.error().code, Code::kInvalidArgument);
    EXPECT_THAT(manifest.error().describe(), HasSubstr("m.csv: line 3: "));
    EXPECT_THAT(manifest.error().describe(), HasSubstr(message));
  }
}

TEST_F(ManifestTest, SkipsBadRowsOnlyWhenAskedTo) {
  const char* text = "id,split,group,label,photo\n1,a,g,x,@none\n2,a,g,x,ok\n";
  EXPECT_FALSE(read(text).has_value());
  const auto manifest = read(text, true);
  ASSERT_TRUE(manifest.has_value());
  ASSERT_EQ(manifest->rows.size(), 1U);
  EXPECT_EQ(manifest->rows[0].id, "2");
  ASSERT_EQ(manifest->skipped.size(), 1U);
  EXPECT_THAT(manifest->skipped[0].describe(), HasSubstr("line 2: input 'photo'"));
}

// Nobody can say which of the two is right, so leaving one out would be a guess.
TEST_F(ManifestTest, AnIdThatComesTwiceIsNeverSkipped) {
  const auto manifest = read("id,split,group,label\n1,a,g,x\n1,b,g,x\n", true);
  EXPECT_THAT(manifest.error().describe(), HasSubstr("line 3: id '1' is also that of line 2"));
}

TEST_F(ManifestTest, RefusesAHeaderThatItCannotRead) {
  EXPECT_THAT(read("id,split,label\n").error().describe(), HasSubstr("'group' is missing"));
  EXPECT_THAT(read("id,split,group,label,a,a\n").error().describe(), HasSubstr("'a' comes twice"));
  EXPECT_THAT(read("id,split,group,label,\n").error().describe(), HasSubstr("column 5"));
  EXPECT_THAT(read("").error().describe(), HasSubstr("empty"));
  EXPECT_EQ(read_manifest(folder_ / "none.csv").error().code, Code::kNotFound);
}

TEST_F(ManifestTest, ASplitThatIsNotThereIsAnsweredWithThoseThatAre) {
  const auto manifest = *read("id,split,group,label\n1,train,g,x\n2,test,g,x\n3,test,g,x\n");
  EXPECT_EQ(rows_of_split(manifest, "test")->size(), 2U);
  const Error missing = rows_of_split(manifest, "tests").error();
  EXPECT_EQ(missing.code, Code::kNotFound);
  EXPECT_THAT(missing.describe(), HasSubstr("test, train"));
}

}  // namespace
}  // namespace braid
