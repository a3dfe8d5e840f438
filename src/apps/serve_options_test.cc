#include "apps/serve_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Parsed {
  ServeOptions options;
  std::optional<Exit> ended;
  std::string out;
};

Parsed parse(const std::vector<std::string>& arguments) {
  Parsed parsed;
  CommandLine line("serve", "serve");
  declare(line, parsed.options);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  parsed.ended = line.parse(arguments);
  std::fflush(stdout);
  parsed.out = testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
  return parsed;
}

TEST(ServeOptions, KeepTritonsNames) {
  const Parsed parsed = parse(
      {"--repository",         "a",        "--repository",    "b", "--http-address",   "0.0.0.0",
       "--http-port",          "1",        "--grpc-port",     "2", "--metrics-port",   "3",
       "--model-control-mode", "explicit", "--load-model",    "x", "--load-model",     "y",
       "--exit-timeout",       "4",        "--max-body-size", "5", "--header-timeout", "6"});
  ASSERT_FALSE(parsed.ended.has_value()) << parsed.out;
  EXPECT_THAT(parsed.options.models.repositories, ElementsAre("a", "b"));
  EXPECT_THAT(*parsed.options.names_to_load(), ElementsAre("x", "y"));
  EXPECT_EQ(parsed.options.listen.http_address, "0.0.0.0");
  EXPECT_EQ(parsed.options.listen.grpc_port, 2);
  EXPECT_EQ(parsed.options.exit_timeout_s, 4);
  EXPECT_EQ(parsed.options.limits.body_size, 5);
  EXPECT_EQ(parsed.options.limits.header_timeout_s, 6);
  EXPECT_TRUE(check(parsed.options).has_value());
}

TEST(ServeOptions, StarAndModeNoneLoadEverything) {
  const std::vector<std::string> explicit_mode = {"--repository", "a", "--model-control-mode",
                                                  "explicit"};
  EXPECT_TRUE(parse(explicit_mode).options.names_to_load()->empty());
  auto star = explicit_mode;
  star.insert(star.end(), {"--load-model", "*"});
  EXPECT_FALSE(parse(star).options.names_to_load().has_value());
  EXPECT_FALSE(parse({"--repository", "a"}).options.names_to_load().has_value());
}

TEST(ServeOptions, RefuseWhatContradictsItself) {
  ServeOptions options;
  options.models.load = {"x"};
  EXPECT_THAT(check(options).error().message, HasSubstr("--model-control-mode"));
  options = {};
  options.limits.in_flight = 10;
  EXPECT_THAT(check(options).error().message, HasSubstr("--max-body-size"));
}

TEST(ServeOptions, RefuseNegativesAndTheEnormous) {
  for (const char* name : {"--header-timeout", "--idle-timeout", "--exit-timeout", "--http-port",
                           "--max-connections", "--max-body-size", "--max-header-size",
                           "--max-in-flight-bytes", "--max-json-depth", "--max-tensor-elements"}) {
    EXPECT_EQ(parse({"--repository", "a", name, "-1"}).ended, Exit::kUsage) << name;
    EXPECT_EQ(parse({"--repository", "a", name, "99999999999999"}).ended, Exit::kUsage) << name;
  }
}

// The page has every option under a heading, what stops and limits mean, and examples.
TEST(ServeOptions, HelpReadsLikeAManual) {
  const Parsed help = parse({"--help"});
  EXPECT_EQ(help.ended, Exit::kDone);
  for (const char* part : {"Models:", "Addresses:", "Limits:", "Running:", "--config FILE",
                           "none|explicit=none", "Stopping", "Examples", "Exit code 0", "=8000"}) {
    EXPECT_THAT(help.out, HasSubstr(part));
  }
}

}  // namespace
}  // namespace braid
