#include "learn/yaml_flow.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_folder.h"

namespace braid {
namespace {

using testing::ElementsAre;

TEST(YamlFlow, WritesWhatReadsBackTheSame) {
  const char* text =
      "a: [1, 2.5, 'x: y', \"#\"]\n"
      "'key with blank': {deep: [[a], []], none: , quoted: 'null', dash: '-'}\n"
      "path: models/vocab.txt\n"
      "empty: ''\n"
      "line: \"two\\nlines\"\n";
  const Yaml yaml = *Yaml::parse(text, "text");

  const std::string flow = yaml_flow(yaml);
  const Yaml again = *Yaml::parse(flow, "flow");

  EXPECT_EQ(flow.find('\n'), std::string::npos);
  EXPECT_EQ(yaml_flow(again), flow);
  EXPECT_EQ(again.find("a")->items()[2].text(), "x: y");
  EXPECT_EQ(again.find("line")->text(), "two\nlines");
  EXPECT_EQ(again.find("empty")->kind(), Yaml::Kind::kText);
  const Yaml* nested = again.find("key with blank");
  EXPECT_EQ(nested->find("none")->kind(), Yaml::Kind::kNull);
  EXPECT_EQ(nested->find("quoted")->kind(), Yaml::Kind::kText);
  EXPECT_EQ(nested->find("dash")->text(), "-");
}

TEST(YamlFlow, PlainWordsStayPlain) {
  const Yaml yaml = *Yaml::parse("{size: [224, 224], background: white}", "text");

  EXPECT_EQ(yaml_flow(yaml), "{size: [224, 224], background: white}");
}

TEST(YamlFlow, RenamesScalars) {
  const Yaml yaml = *Yaml::parse("{vocab: models/vocab.txt}", "text");

  EXPECT_EQ(yaml_flow(yaml,
                      [](const std::string& text) {
                        return text == "models/vocab.txt" ? std::string("vocab.txt") : text;
                      }),
            "{vocab: vocab.txt}");
}

TEST(YamlFlow, FindsTheFilesThatSettingsName) {
  const TestFolder folder;
  std::ofstream(folder / "vocab.txt") << "x";
  std::ofstream(folder / "white") << "x";  // a word, not meant as a file
  const Yaml yaml = *Yaml::parse("{a: vocab.txt, b: [white, 0.5, missing.txt, vocab.txt]}", "text");

  EXPECT_THAT(files_named(yaml, folder.path()), ElementsAre("vocab.txt"));
}

}  // namespace
}  // namespace braid
