#include "measure/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "base/test_folder.h"

namespace braid {
namespace {

const EvidenceSource kFirst{.command = "braid first", .commit = "aaa", .date = "2025-01-01"};
const EvidenceSource kSecond{.command = "braid second", .commit = "bbb", .date = "2025-01-02"};
const Machine kMachine{.cpu = "some CPU", .cores = 2, .memory_gib = 7.8};

class EvidenceTest : public testing::Test {
 protected:
  Json read() const { return *Json::parse(*read_file(file_)); }
  const Json& row(const Json& json, std::size_t index) const {
    return (*json.find("rows")->list())[index];
  }

  const TestFolder folder_;
  const std::filesystem::path file_ = folder_ / "evidence.json";
};

TEST_F(EvidenceTest, ALaterCommandReplacesItsOwnRowsOnly) {
  const EvidenceRow slow{.id = "A1", .what = "cost", .value = 9, .unit = "µs", .holds = true};
  const EvidenceRow share{
      .id = "A5.saving", .what = "saved", .value = 0.3, .low = 0.2, .high = 0.4};
  ASSERT_TRUE(merge_evidence(file_, kFirst, kMachine, {slow, share}).has_value());
  EvidenceRow worse = slow;
  worse.value = 11;
  worse.holds = false;
  const EvidenceRow added{.id = "A2", .what = "more", .value = 1};
  ASSERT_TRUE(merge_evidence(file_, kSecond, kMachine, {worse, added}).has_value());

  const Json json = read();
  EXPECT_EQ(*json.find("command")->text(), "braid second");
  EXPECT_EQ(*json.find("machine")->find("cpu")->text(), "some CPU");
  ASSERT_EQ(json.find("rows")->list()->size(), 3U);
  EXPECT_EQ(row(json, 0).find("value")->number(), 11);
  EXPECT_FALSE(*row(json, 0).find("holds")->boolean());
  EXPECT_EQ(*row(json, 0).find("commit")->text(), "bbb");
  EXPECT_EQ(row(json, 1).find("low")->number(), 0.2);
  EXPECT_EQ(*row(json, 1).find("command")->text(), "braid first");
  EXPECT_TRUE(row(json, 1).find("holds")->is_null());
  EXPECT_EQ(*row(json, 2).find("id")->text(), "A2");
}

// Overwriting a file that happens to have this name would lose somebody's work.
TEST_F(EvidenceTest, LeavesAFileThatIsNotEvidenceAlone) {
  for (const char* text : {"{}", "[]", "{\"rows\": [{}]}", "not JSON"}) {
    ASSERT_TRUE(write_file(file_, text).has_value());
    const auto merged = merge_evidence(file_, kFirst, kMachine, {});
    EXPECT_EQ(merged.error().code, Code::kInvalidArgument) << text;
    EXPECT_EQ(*read_file(file_), text);
  }
}

TEST(Machine, IsDescribed) {
  const Machine machine = this_machine();
  EXPECT_FALSE(machine.cpu.empty());
  EXPECT_GE(machine.cores, 1U);
  EXPECT_GT(machine.memory_gib, 0.1);
}

}  // namespace
}  // namespace braid
