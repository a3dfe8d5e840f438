#include "apps/command_line.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_folder.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Options {
  std::string address = "127.0.0.1";
  std::int64_t port = 8000;
  double rate = 1;
  std::string mode = "none";
  std::vector<std::string> repositories;
  bool strict = false;
};

class CommandLineTest : public testing::Test {
 protected:
  std::optional<Exit> parse(const std::string& yaml, std::vector<std::string> arguments) {
    std::ofstream(file_) << yaml;
    CommandLine line("test", "tests");
    line.add_repositories(options.repositories);
    line.add("--address", options.address, "where");
    line.add("--port", options.port, "which", 0, 65535);
    line.add("--rate", options.rate, "how fast");
    line.add_choice("--mode", options.mode, {"none", "explicit"}, "who");
    line.add_flag("--strict", options.strict, "all or nothing");
    line.add_config();
    if (!yaml.empty()) {
      arguments.insert(arguments.begin(), {"--config", file_.string()});
    }
    testing::internal::CaptureStderr();
    const auto ended = line.parse(arguments);
    error = testing::internal::GetCapturedStderr();
    return ended;
  }

  const TestFolder folder_;
  const std::filesystem::path file_ = folder_ / "braid_command_line.yaml";
  Options options;
  std::string error;
};

TEST_F(CommandLineTest, ReadsEveryKindOfOptionFromAFile) {
  EXPECT_FALSE(parse("repository: [a, b]\naddress: 0.0.0.0\nport: 9000\nrate: 2.5\n"
                     "mode: explicit\nstrict: true\n",
                     {})
                   .has_value())
      << error;
  EXPECT_THAT(options.repositories, ElementsAre("a", "b"));
  EXPECT_EQ(options.address, "0.0.0.0");
  EXPECT_EQ(options.port, 9000);
  EXPECT_EQ(options.rate, 2.5);
  EXPECT_EQ(options.mode, "explicit");
  EXPECT_TRUE(options.strict);
}

TEST_F(CommandLineTest, TheCommandLineWins) {
  EXPECT_FALSE(
      parse("repository: a\nport: 9000\nrate: 2\n", {"--port=1", "--repository", "c"}).has_value());
  EXPECT_THAT(options.repositories, ElementsAre("c"));
  EXPECT_EQ(options.port, 1);
  EXPECT_EQ(options.rate, 2);
}

TEST_F(CommandLineTest, AnUnknownKeyIsRefusedWithItsLineAndTheNearest) {
  EXPECT_EQ(parse("repository: a\nprot: 9000\n", {}), Exit::kWrongInput);
  EXPECT_THAT(error,
              HasSubstr("braid_command_line.yaml:2: no option 'prot'; did you mean 'port'?"));
  EXPECT_EQ(parse("config: other.yaml\nrepository: a\n", {}), Exit::kWrongInput);  // no chains
}

TEST_F(CommandLineTest, AWrongValueIsRefusedWithItsLine) {
  for (const auto& [yaml, what] :
       {std::pair("repository: a\nport: many\n", "yaml:2"),
        std::pair("repository: a\nport: 70000\n", "70000 is not between 0 and 65535"),
        std::pair("repository: a\nmode: poll\n", "'poll' is none of none, explicit"),
        std::pair("repository: a\nstrict: perhaps\n", "yaml:2"),
        std::pair("repository: a\naddress: [x]\n", "one value"),
        std::pair("- a\n", "a map from options to values"), std::pair("a: [\n", "yaml:")}) {
    EXPECT_EQ(parse(yaml, {}), Exit::kWrongInput) << yaml;
    EXPECT_THAT(error, HasSubstr(what)) << yaml;
  }
}

TEST_F(CommandLineTest, WhatNeitherHasIsStillRequired) {
  EXPECT_EQ(parse("port: 1\n", {}), Exit::kUsage);
  EXPECT_THAT(error, HasSubstr("--repository"));
  EXPECT_EQ(parse("", {"--config", "/none.yaml"}), Exit::kWrongInput);
  EXPECT_THAT(error, HasSubstr("/none.yaml"));
}

TEST_F(CommandLineTest, RangesAndChoicesHoldOnTheCommandLineToo) {
  EXPECT_EQ(parse("", {"--repository", "a", "--port", "65536"}), Exit::kUsage);
  EXPECT_THAT(error, HasSubstr("65535"));
  EXPECT_EQ(parse("", {"--repository", "a", "--mode", "poll"}), Exit::kUsage);
  EXPECT_THAT(error, HasSubstr("explicit"));
}

}  // namespace
}  // namespace braid
