#include "base/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Yaml, KnowsKindAndLineOfEachNode) {
  const auto yaml = Yaml::parse("a: 1\nb:\n  - x\n  - {c: d}\nempty:\n", "p.yaml");
  ASSERT_TRUE(yaml.has_value()) << yaml.error().describe();
  EXPECT_EQ(yaml->kind(), Yaml::Kind::kMap);
  EXPECT_EQ(yaml->entries()[1].first, "b");
  const Yaml& list = *yaml->find("b");
  ASSERT_EQ(list.items().size(), 2U);
  EXPECT_EQ(list.items()[1].find("c")->text(), "d");
  EXPECT_EQ(list.items()[1].where(), "p.yaml:4");
  EXPECT_EQ(yaml->find("empty")->kind(), Yaml::Kind::kNull);
  EXPECT_EQ(yaml->find("none"), nullptr);
  EXPECT_THAT(list.items()[0].error("bad").describe(), HasSubstr("p.yaml:3: bad"));
}

TEST(Yaml, RefusesWhatHidesAMistake) {
  const std::pair<const char*, const char*> bad[] = {
      {"a: 1\nb: 2\na: 3\n", "p.yaml:3: key 'a' comes twice"},
      {"a: [1, 2\n", "not valid YAML"},
      {"a: 1\n--- \nb: 2\n", "2 documents"},
      {"x: 0\na: &x 1\nb: *x\n", "p.yaml:2: anchors"},
      {"a: !tag 1\n", "p.yaml:1: tags"},
      {"a: !!python/object {}\n", "p.yaml:1: tags"},
      {"[a]: 1\n", "a key must be a word"},
  };
  for (const auto& [text, message] : bad) {
    const auto yaml = Yaml::parse(text, "p.yaml");
    ASSERT_FALSE(yaml.has_value()) << text;
    EXPECT_THAT(yaml.error().describe(), HasSubstr(message));
  }
  EXPECT_FALSE(Yaml::parse(std::string(70, '[') + std::string(70, ']'), "p").has_value());
}

// Thirty levels of nine aliases each stand for more nodes than there are atoms in a house.
TEST(Yaml, ABillionLaughsAreRefusedBeforeTheyAreTold) {
  std::string text = "a0: &a0 [x, x]\n";
  for (int level = 1; level <= 30; ++level) {
    text += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " [";
    for (int copy = 0; copy < 9; ++copy) {
      text += (copy > 0 ? ", *a" : "*a") + std::to_string(level - 1);
    }
    text += "]\n";
  }
  EXPECT_THAT(Yaml::parse(text, "p.yaml").error().describe(), HasSubstr("p.yaml:1: anchors"));
}

TEST(Yaml, QuotedWordsAreWords) {
  EXPECT_EQ(Yaml::parse("a: '!not a tag'", "p")->find("a")->text(), "!not a tag");
}

TEST(Yaml, ReadsNumbersWhole) {
  const auto yaml = *Yaml::parse("[1.5, 2x, 1e3, .inf, 12, true, yes]", "p");
  EXPECT_EQ(*yaml.items()[0].number(), 1.5);
  EXPECT_FALSE(yaml.items()[1].number().has_value());
  EXPECT_EQ(*yaml.items()[2].number(), 1000);
  EXPECT_FALSE(yaml.items()[3].number().has_value());
  EXPECT_EQ(*yaml.items()[4].integer(), 12);
  EXPECT_FALSE(yaml.items()[0].integer().has_value());
  EXPECT_TRUE(*yaml.items()[5].flag());
  EXPECT_FALSE(yaml.items()[6].flag().has_value());  // one spelling, so that files look alike
}

TEST(Yaml, AListOfOneMayBeWrittenWithoutBrackets) {
  const auto yaml = *Yaml::parse("{one: a, many: [a, b], bad: {a: b}, n: [1, 2]}", "p");
  EXPECT_THAT(*yaml.find("one")->texts(), ElementsAre("a"));
  EXPECT_THAT(*yaml.find("many")->texts(), ElementsAre("a", "b"));
  EXPECT_FALSE(yaml.find("bad")->texts().has_value());
  EXPECT_THAT(*yaml.find("n")->numbers(), ElementsAre(1, 2));
  EXPECT_FALSE(yaml.find("many")->numbers().has_value());
}

TEST(Yaml, NamesAFileThatIsNotThere) {
  EXPECT_EQ(Yaml::read("no/such.yaml").error().code, Code::kNotFound);
}

}  // namespace
}  // namespace braid
