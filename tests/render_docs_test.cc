// tools/render_docs and tools/evidence.py, run as people run them.

#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "base/test_folder.h"

namespace braid {
namespace {

using testing::HasSubstr;

constexpr const char* kEvidence = R"({
  "command": "c", "commit": "abc", "date": "2025-01-31",
  "machine": {"cpu": "some CPU", "cores": 2, "memory_gib": 7.8},
  "rows": [
    {"id": "A1", "what": "cost a branch", "value": 8.25, "low": 8.1, "high": 9, "unit": "µs",
     "goal": "≤ 10 µs", "holds": true, "note": ""},
    {"id": "A3.text", "what": "ids a second", "value": 123456, "low": null, "high": null,
     "unit": "", "goal": "≥ 200 000", "holds": false, "note": "one | thread"},
    {"id": "A31", "what": "other", "value": 0.5, "low": null, "high": null, "unit": "", "goal": "",
     "holds": null, "note": ""}]})";

class RenderDocs : public testing::Test {
 protected:
  RenderDocs() {
    write("docs/evidence/skeleton.json", kEvidence);
    write("docs/page.md", "# P\n<!-- evidence skeleton A1 A3 -->\nold\n<!-- /evidence -->\nend\n");
  }

  void write(const std::string& name, const std::string& text) {
    EXPECT_TRUE(write_file(root_ / name, text).has_value());
  }
  std::string page() const { return *read_file(root_ / "docs/page.md"); }
  int run(const std::string& arguments) const {
    const int status = std::system(fmt::format("python3 tools/render_docs --root {} {} >{} 2>&1",
                                               root_.string(), arguments, log_.string())
                                       .c_str());
    return WEXITSTATUS(status);
  }

  const TestFolder own_;
  const std::filesystem::path& root_ = own_.path();
  const std::filesystem::path log_ = root_ / "log";
};

TEST_F(RenderDocs, FillsWhatStandsBetweenTheMarkers) {
  EXPECT_EQ(run(""), 0);
  EXPECT_EQ(
      page(),
      "# P\n"
      "<!-- evidence skeleton A1 A3 -->\n"
      "|  | figure | measured | goal |  | note |\n"
      "|---|---|---|---|---|---|\n"
      "| A1 | cost a branch | 8.25 [8.1, 9] µs | ≤ 10 µs | holds |  |\n"
      "| A3.text | ids a second | 123 456 | ≥ 200 000 | **falls short** | one \\| thread |\n"
      "\n"
      "2 × some CPU, 7.8 GiB; `docs/evidence/skeleton.json` holds command, commit and date of "
      "each row.\n"
      "<!-- /evidence -->\nend\n");
  EXPECT_EQ(run("--check"), 0);
}

// A page that tells an old figure is worse than one that tells none.
TEST_F(RenderDocs, CheckNamesAStalePageAndChangesNothing) {
  const std::string before = page();
  EXPECT_EQ(run("--check"), 1);
  EXPECT_EQ(page(), before);
  EXPECT_THAT(*read_file(log_), HasSubstr("docs/page.md: stale"));
}

TEST_F(RenderDocs, RefusesWhatItCannotRender) {
  write("docs/page.md", "<!-- evidence none -->\n<!-- /evidence -->\n");
  EXPECT_EQ(run(""), 1);
  EXPECT_THAT(*read_file(log_), HasSubstr("none.json is not there"));
  write("docs/page.md", "<!-- evidence skeleton A9 -->\n<!-- /evidence -->\n");
  EXPECT_EQ(run("--check"), 1);
  EXPECT_THAT(*read_file(log_), HasSubstr("no row A9"));
  write("docs/page.md", "<!-- evidence skeleton -->\nno end\n");
  EXPECT_EQ(run(""), 1);
}

TEST_F(RenderDocs, EvidenceOfAScriptIsMergedByIdAndJudgedByItsGoal) {
  const auto merge = [&](const std::string& rows) {
    write("rows.json", rows);
    return std::system(fmt::format("python3 tools/evidence.py skeleton --command 'bench/x.sh' "
                                   "--commit def --date 2025-02-01 --file {0}/rows.json "
                                   "--folder {0}/docs/evidence >{0}/log 2>&1",
                                   root_.string())
                           .c_str());
  };
  EXPECT_EQ(merge(R"([{"id": "A1", "what": "cost", "value": 12, "goal": "≤ 10 µs"},
                      {"id": "A2", "what": "new", "value": 2, "goal": ">= 1"}])"),
            0);
  const Json json = *Json::parse(*read_file(root_ / "docs/evidence/skeleton.json"));
  const Json::List& rows = *json.find("rows")->list();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_FALSE(*rows[0].find("holds")->boolean());
  EXPECT_EQ(*rows[0].find("commit")->text(), "def");
  EXPECT_EQ(rows[1].find("commit"), nullptr);  // not ours: as it was
  EXPECT_TRUE(*rows[3].find("holds")->boolean());
  EXPECT_NE(merge(R"([{"id": "A1", "what": "cost", "value": "12"}])"), 0);
  EXPECT_NE(merge(R"([{"id": "A1", "what": "cost", "value": 1, "gaol": ""}])"), 0);
}

}  // namespace
}  // namespace braid
