#include "apps/command_line.h"

#include <algorithm>
#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace braid {

struct CommandLine::Parser {
  std::string verb;
  CLI::App app;
};

CommandLine::CommandLine(const std::string& verb, const std::string& summary)
    : parser_(std::make_unique<Parser>()) {
  parser_->verb = verb;
  parser_->app.description(fmt::format("braid {}: {}", verb, summary));
  parser_->app.name("braid " + verb);
}

CommandLine::~CommandLine() = default;

void CommandLine::add(const std::string& name, std::string& into, const std::string& help,
                      bool required) {
  parser_->app.add_option(name, into, help)->required(required)->capture_default_str();
}

void CommandLine::add(const std::string& name, double& into, const std::string& help) {
  parser_->app.add_option(name, into, help)->capture_default_str();
}

void CommandLine::add(const std::string& name, std::int64_t& into, const std::string& help) {
  parser_->app.add_option(name, into, help)->capture_default_str();
}

// One value an option, so that `--input a=1 case.json` does not swallow the next word.
void CommandLine::add(const std::string& name, std::vector<std::string>& into,
                      const std::string& help, bool required) {
  parser_->app.add_option(name, into, help)->required(required)->allow_extra_args(false);
}

void CommandLine::add_flag(const std::string& name, bool& into, const std::string& help) {
  parser_->app.add_flag(name, into, help);
}

void CommandLine::add_positional(const std::string& name, std::string& into,
                                 const std::string& help) {
  parser_->app.add_option(name, into, help)->required();
}

void CommandLine::add_repositories(std::vector<std::string>& into) {
  add("--repository", into, "folder of models and pipelines; may be given several times", true);
}

void CommandLine::explain(const std::string& text) { parser_->app.footer("\n" + text); }

std::optional<Exit> CommandLine::parse(const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    parser_->app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    std::fputs(parser_->app.help().c_str(), stdout);
    return Exit::kDone;
  } catch (const CLI::ParseError& failure) {
    std::fprintf(stderr, "braid %s: %s; `braid %s --help` lists the options\n",
                 parser_->verb.c_str(), failure.what(), parser_->verb.c_str());
    return Exit::kUsage;
  }
  return std::nullopt;
}

Exit CommandLine::fail(const Error& error) const {
  std::fprintf(stderr, "braid %s: %s\n", parser_->verb.c_str(), error.describe().c_str());
  return Exit::kWrongInput;
}

}  // namespace braid
