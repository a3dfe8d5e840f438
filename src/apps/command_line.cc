#include "apps/command_line.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace braid {

struct CommandLine::Parser {
  struct Bound {
    CLI::Option* option = nullptr;
    FromFile from_file;
  };

  std::string verb;
  CLI::App app;
  std::string group = "Options";
  std::map<std::string, Bound> bound;  // by name without dashes
  std::optional<std::string> config;   // has_value(): --config is known
};

CommandLine::CommandLine(const std::string& verb, const std::string& summary)
    : parser_(std::make_unique<Parser>()) {
  parser_->verb = verb;
  parser_->app.description(fmt::format("braid {}: {}", verb, summary));
  parser_->app.name("braid " + verb);
}

CommandLine::~CommandLine() = default;

void CommandLine::group(const std::string& title) { parser_->group = title; }

void CommandLine::bind(const std::string& name, FromFile from_file) {
  CLI::Option* option = parser_->app.get_option(name);
  option->group(parser_->group);
  parser_->bound[name.substr(name.find_first_not_of('-'))] = {option, std::move(from_file)};
}

void CommandLine::add(const std::string& name, std::string& into, const std::string& help,
                      bool required) {
  parser_->app.add_option(name, into, help)->required(required)->capture_default_str();
  bind(name, [&into](const Yaml& value) -> Result<void> {
    if (value.kind() != Yaml::Kind::kText) {
      return value.error("one value is wanted here");
    }
    into = value.text();
    return {};
  });
}

void CommandLine::add(const std::string& name, double& into, const std::string& help) {
  parser_->app.add_option(name, into, help)->capture_default_str();
  bind(name, [&into](const Yaml& value) -> Result<void> {
    BRAID_TRY(into, value.number());
    return {};
  });
}

void CommandLine::add(const std::string& name, std::int64_t& into, const std::string& help) {
  parser_->app.add_option(name, into, help)->capture_default_str();
  bind(name, [&into](const Yaml& value) -> Result<void> {
    BRAID_TRY(into, value.integer());
    return {};
  });
}

void CommandLine::add(const std::string& name, std::int64_t& into, const std::string& help,
                      std::int64_t min, std::int64_t max) {
  parser_->app.add_option(name, into, help)
      ->capture_default_str()
      ->check(CLI::Range(min, max).description(""));
  bind(name, [&into, min, max](const Yaml& value) -> Result<void> {
    BRAID_TRY(into, value.integer());
    return into >= min && into <= max
               ? Result<void>()
               : value.error(fmt::format("{} is not between {} and {}", into, min, max));
  });
}

void CommandLine::add_choice(const std::string& name, std::string& into,
                             std::vector<std::string> allowed, const std::string& help) {
  const std::string choices = fmt::format("{}", fmt::join(allowed, ", "));
  parser_->app.add_option(name, into, help)
      ->capture_default_str()
      ->check(CLI::IsMember(allowed).description(""))
      ->type_name(fmt::format("{}", fmt::join(allowed, "|")));
  bind(name, [&into, allowed = std::move(allowed), choices](const Yaml& value) -> Result<void> {
    if (std::ranges::find(allowed, value.text()) == allowed.end()) {
      return value.error(fmt::format("'{}' is none of {}", value.text(), choices));
    }
    into = value.text();
    return {};
  });
}

// One value an option, so that `--input a=1 case.json` does not swallow the next word.
void CommandLine::add(const std::string& name, std::vector<std::string>& into,
                      const std::string& help, bool required) {
  parser_->app.add_option(name, into, help)->required(required)->allow_extra_args(false);
  bind(name, [&into](const Yaml& value) -> Result<void> {
    BRAID_TRY(into, value.texts());
    return {};
  });
}

void CommandLine::add_flag(const std::string& name, bool& into, const std::string& help) {
  parser_->app.add_flag(name, into, help);
  bind(name, [&into](const Yaml& value) -> Result<void> {
    BRAID_TRY(into, value.flag());
    return {};
  });
}

void CommandLine::add_positional(const std::string& name, std::string& into,
                                 const std::string& help) {
  parser_->app.add_option(name, into, help)->required();
}

void CommandLine::add_repositories(std::vector<std::string>& into) {
  add("--repository", into, "folder of models and pipelines; may be given several times", true);
}

void CommandLine::add_config() {
  parser_->config.emplace();
  parser_->app
      .add_option("--config", *parser_->config,
                  "YAML file with any of these options, by name without dashes in front; what the "
                  "command line says too, it says instead")
      ->type_name("FILE")
      ->group(parser_->group);
}

void CommandLine::explain(const std::string& text) { parser_->app.footer("\n" + text); }

/// Before the whole line is parsed, since what the file has need not be on it.
Result<std::optional<Yaml>> CommandLine::read_config(
    const std::vector<std::string>& arguments) const {
  if (!parser_->config.has_value()) {
    return std::optional<Yaml>();
  }
  std::string file;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--config" && i + 1 < arguments.size()) {
      file = arguments[i + 1];
    } else if (arguments[i].starts_with("--config=")) {
      file = arguments[i].substr(std::string_view("--config=").size());
    }
  }
  if (file.empty()) {
    return std::optional<Yaml>();
  }
  BRAID_TRY(Yaml config, Yaml::read(file));
  if (config.kind() != Yaml::Kind::kMap && config.kind() != Yaml::Kind::kNull) {
    return config.error("a map from options to values is wanted, such as 'http-port: 8000'");
  }
  return std::optional(std::move(config));
}

/// Checks the keys; what the file has is no longer required of the command line.
Result<void> CommandLine::allow_from(const Yaml& config) {
  std::set<std::string> known;
  for (const auto& [name, bound] : parser_->bound) {
    known.insert(name);
  }
  for (const auto& [key, value] : config.entries()) {
    const auto found = parser_->bound.find(key);
    if (found == parser_->bound.end()) {
      const std::string nearest = nearest_word(key.substr(0, 100), known);
      return value.error(fmt::format(
          "no option '{}'; {}", key.substr(0, 100),
          nearest.empty() ? "--help lists them" : fmt::format("did you mean '{}'?", nearest)));
    }
    found->second.option->required(false);
  }
  return {};
}

Result<void> CommandLine::take_from(const Yaml& config) {
  for (const auto& [key, value] : config.entries()) {
    const Parser::Bound& bound = parser_->bound.at(key);
    if (bound.option->count() == 0) {
      BRAID_TRY_DO(bound.from_file(value).within(key));
    }
  }
  return {};
}

std::optional<Exit> CommandLine::parse(const std::vector<std::string>& arguments) {
  std::optional<Yaml> config;
  if (Result<std::optional<Yaml>> read = read_config(arguments); read.has_value()) {
    config = *std::move(read);
  } else {
    return fail(read.error());
  }
  if (config.has_value()) {
    if (const Result<void> allowed = allow_from(*config); !allowed.has_value()) {
      return fail(allowed.error());
    }
  }
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
  if (config.has_value()) {
    if (const Result<void> taken = take_from(*config); !taken.has_value()) {
      return fail(taken.error());
    }
  }
  return std::nullopt;
}

Exit CommandLine::fail(const Error& error) const {
  std::fprintf(stderr, "braid %s: %s\n", parser_->verb.c_str(), error.describe().c_str());
  return Exit::kWrongInput;
}

}  // namespace braid
