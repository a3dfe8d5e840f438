// Logs against Drain3. Goldens: tools/oracles/log_goldens.py.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/test_folder.h"
#include "modality/log/drain_fit.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path kFolder = "tests/data/modality/log";

Result<std::unique_ptr<Preprocessor>> make_log(const std::string& settings,
                                               const std::filesystem::path& folder = kFolder) {
  Registry<Preprocessor> registry("modality");
  register_modality_preprocessors(registry);
  return registry.make("log", *Settings::parse(settings, folder));
}

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> all;
  for (const Json& item : *list.list()) {
    all.push_back(*item.text());
  }
  return all;
}

std::vector<Json> cases() {
  std::vector<Json> all;
  const std::string lines = *read_file(kFolder / "cases.jsonl");
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    all.push_back(*Json::parse(std::string_view(lines).substr(at, end - at)));
    at = end + 1;
  }
  return all;
}

DrainRules rules_of(const std::string& settings) {
  return *DrainRules::from(*Settings::parse(settings));
}

LogTable fitted(const std::string& settings, const std::vector<std::string>& lines) {
  DrainFit fit(rules_of(settings));
  for (const std::string& line : lines) {
    BRAID_CHECK(fit.add(line).has_value());
  }
  return *std::move(fit).finish();
}

/// Drain3's id of what match() says; 0 for nothing.
double id_of(const LogTable& table, const std::string& line, bool everywhere) {
  const std::uint32_t number = table.match(LogWords(table.rules(), line), everywhere);
  return number == LogTable::kUnknown ? 0 : table.numbered(number).id;
}

TEST(LogGolden, MasksAreThoseOfTheExpressions) {
  const Json masks = *Json::parse(*read_file(kFolder / "masks.json"));
  for (const Json& each : *masks.list()) {
    const std::vector<std::string> golden = texts(each);
    EXPECT_EQ(LogMasks::of({golden[0]})->apply(golden[1]), golden[2]) << golden[0];
  }
}

TEST(LogGolden, EveryLineJoinsTheClusterThatDrain3Gives) {
  const std::vector<std::string> lines =
      texts(*Json::parse(*read_file(kFolder / "lines.json"))->find("fit"));
  for (const Json& each : cases()) {
    const std::string settings = each.find("settings")->dump();
    DrainFit fit(rules_of(settings));
    const Json::List& ids = *each.find("ids")->list();
    ASSERT_EQ(ids.size(), lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      ASSERT_EQ(*fit.add(lines[i]), ids[i].number()) << settings << " line " << i << lines[i];
    }
    const LogTable table = *std::move(fit).finish();
    const Json::List& templates = *each.find("templates")->list();
    ASSERT_EQ(table.template_count(), templates.size()) << settings;
    for (std::uint32_t i = 0; i < templates.size(); ++i) {
      const Json::List& golden = *templates[i].list();
      const LogTemplate& ours = table.numbered(i + 1);
      EXPECT_EQ(ours.id, golden[0].number()) << settings;
      EXPECT_EQ(static_cast<double>(ours.size), golden[1].number()) << settings;
      EXPECT_EQ(ours.text(), *golden[2].text()) << settings;
    }
  }
}

// Through the file, as it is served.
TEST(LogGolden, MatchesAsDrain3DoesAlsoFromTheFile) {
  const Json given = *Json::parse(*read_file(kFolder / "lines.json"));
  const std::vector<std::string> lines = texts(*given.find("fit"));
  const std::vector<std::string> matched = texts(*given.find("match"));
  for (const Json& each : cases()) {
    const std::string settings = each.find("settings")->dump();
    const LogTable first = fitted(settings, lines);
    const auto table = LogTable::parse(first.to_json(), "table");
    ASSERT_TRUE(table.has_value()) << table.error().describe();
    EXPECT_EQ(table->to_json(), first.to_json());
    for (std::size_t i = 0; i < matched.size(); ++i) {
      EXPECT_EQ(id_of(*table, matched[i], false), (*each.find("path")->list())[i].number())
          << settings << matched[i];
      EXPECT_EQ(id_of(*table, matched[i], true), (*each.find("full")->list())[i].number())
          << settings << matched[i];
    }
  }
}

/// A folder with a table of three templates: 1 "up <*>", 2 "down", 3 "left right".
class SmallTable : public testing::Test {
 protected:
  SmallTable() {
    const LogTable table = fitted("{sim_th: 0.5}", {"up one", "down", "up two", "left right"});
    EXPECT_EQ(table.template_count(), 3U);
    EXPECT_EQ(table.numbered(1).text(), "up <*>");
    BRAID_CHECK(write_file(folder_ / "small_table.json", table.to_json()).has_value());
  }

  const TestFolder own_;
  const std::filesystem::path& folder_ = own_.path();
};

TEST_F(SmallTable, CountsTemplatesAndKeepsTheirOrder) {
  const auto log = *make_log("{table: small_table.json, length: 6}", folder_);
  const Encoded encoded = *log->encode("down\r\nup here\n\n  \nsideways\nup there");
  const auto values = [&](std::size_t i) {
    return encoded.tensors[i].tensor.values<std::int64_t>();
  };
  EXPECT_THAT(encoded.tensors[0].tensor.values<float>(), ElementsAre(1, 2, 1, 0));
  EXPECT_THAT(values(1), ElementsAre(2, 1, 0, 1, 0, 0));
  EXPECT_THAT(values(2), ElementsAre(1, 1, 1, 1, 0, 0));
  EXPECT_THAT(encoded.quality, testing::Contains(std::pair<std::string, double>("lines", 4)));
}

TEST_F(SmallTable, KeepsTheEndOrTheBeginning) {
  const auto end = *make_log("{table: small_table.json, length: 2}", folder_);
  const auto begin = *make_log("{table: small_table.json, length: 2, keep: begin}", folder_);
  const Encoded last = *end->encode("down\nup a\nup b");
  const Encoded first = *begin->encode("down\nup a\nup b");
  EXPECT_THAT(last.tensors[1].tensor.values<std::int64_t>(), ElementsAre(1, 1));
  EXPECT_THAT(first.tensors[1].tensor.values<std::int64_t>(), ElementsAre(2, 1));
  EXPECT_THAT(last.tensors[0].tensor.values<float>(), ElementsAre(0, 2, 1, 0));
}

TEST_F(SmallTable, HostileLogsHaveAnAnswerOrALimit) {
  const auto log = *make_log("{table: small_table.json, lines_max: 1000}", folder_);
  for (const std::string_view filler :
       {"a", "a ", "1 ", "/a", "0x", "\xFF", "\u4E2D", "-", "1.", ":", "deadbeef1-"}) {
    std::string line;
    while (line.size() + filler.size() <= 1 << 20) {
      line += filler;
    }
    const Encoded encoded = *log->encode(line);
    EXPECT_THAT(encoded.quality, testing::Contains(std::pair<std::string, double>("cut_lines", 1)))
        << filler;
  }
  EXPECT_TRUE(log->encode(std::string(1'000'000, '\n')).has_value());  // blank lines do not count
  std::string many;
  for (int i = 0; i < 1001; ++i) {
    many += "x\n";
  }
  EXPECT_THAT(log->encode(many).error().message, HasSubstr("lines_max"));
  EXPECT_EQ(log->encode(std::string((4 << 20) + 1, 'a')).error().code, Code::kExhausted);
}

// A line is cut at 16,384 bytes, never inside of a character, so long lines cost bounded memory.
TEST(Log, ALongLineIsCutBetweenCharacters) {
  const DrainRules rules = rules_of("{masks: []}");
  std::string line(DrainRules::kLineBytesMax - 1, 'a');
  const LogWords cut(rules, line + "\u4E2D");
  ASSERT_EQ(cut.words().size(), 1U);
  EXPECT_EQ(cut.words()[0].text, line);
  EXPECT_TRUE(cut.cut());
  EXPECT_FALSE(LogWords(rules, line + "a").cut());
}

// A million different words and lengths: no more templates than asked for.
TEST(DrainFit, RemembersNoMoreThanItIsAskedFor) {
  DrainFit fit(rules_of("{max_clusters: 50, masks: [], parametrize_numeric_tokens: false}"));
  for (int i = 0; i < 100'000; ++i) {
    const std::string n = std::to_string(i);
    ASSERT_TRUE(fit.add("a" + n + " b" + n + " c" + n).has_value());
  }
  const LogTable table = *std::move(fit).finish();
  EXPECT_EQ(table.template_count(), 50U);
  EXPECT_EQ(table.numbered(50).id, 100'000U);
}

TEST(LogTable, RefusesWhatIsNoTable) {
  const std::string good = fitted("{}", {"up one", "down"}).to_json();
  ASSERT_TRUE(LogTable::parse(good, "it").has_value());
  const auto broken = [&](const std::string& from, const std::string& to, const char* words) {
    std::string json = good;
    const std::size_t place = json.find(from);
    ASSERT_NE(place, std::string::npos) << from << json;
    json.replace(place, from.size(), to);
    const auto table = LogTable::parse(json, "it");
    ASSERT_FALSE(table.has_value()) << json;
    EXPECT_EQ(table.error().code, Code::kInvalidArgument);
    EXPECT_THAT(table.error().describe(), HasSubstr(words));
  };
  broken("braid.log.1", "braid.ngrams.1", "kind");
  broken("\"depth\": 4", "\"depth\": 3", "depth");
  broken("\"sim_th\": 0.4", "\"sim_th\": 2", "sim_th");
  broken("\"id\": 1", "\"id\": 0", "id of 0");
  broken("\"id\": 1", "\"id\": 2", "rise");
  broken("\"up one\"", "\"up  one\"", "empty word");
  broken("\"words\": 2", "\"words\": 3", "3 words");
  broken("\"max_clusters\": 1024", "\"max_clusters\": 1", "max_clusters");
}

TEST_F(SmallTable, ATableUnderAnotherDigestIsRefused) {
  const std::string digest = sha256(*read_file(folder_ / "small_table.json"));
  EXPECT_TRUE(make_log("{table: small_table.json, digest: " + digest + "}", folder_).has_value());
  const std::string other = "{table: small_table.json, digest: 0" + digest.substr(1) + "x}";
  EXPECT_THAT(make_log(other, folder_).error().message, HasSubstr("fit"));
}

}  // namespace
}  // namespace braid
