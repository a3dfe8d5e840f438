#pragma once
// CommandLine: the options of one verb, the same way in all: names, help, exit codes, error lines.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/command.h"
#include "base/result.h"

namespace braid {

class CommandLine {
 public:
  CommandLine(const std::string& verb, const std::string& summary);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// `--name VALUE`; the default is what `into` holds. References stay valid until parse().
  void add(const std::string& name, std::string& into, const std::string& help,
           bool required = false);
  void add(const std::string& name, double& into, const std::string& help);
  void add(const std::string& name, std::int64_t& into, const std::string& help);
  void add(const std::string& name, std::vector<std::string>& into, const std::string& help,
           bool required = false);
  /// `--name` alone.
  void add_flag(const std::string& name, bool& into, const std::string& help);
  /// A word without a name, such as FIT.yaml.
  void add_positional(const std::string& name, std::string& into, const std::string& help);
  /// `--repository FOLDER`, at least one.
  void add_repositories(std::vector<std::string>& into);
  /// The part of the manual page below the options.
  void explain(const std::string& text);

  /// Nothing when the verb should go on; else how it ended (help was asked for, wrong options).
  std::optional<Exit> parse(const std::vector<std::string>& arguments);

  /// One line on standard error, "braid check: …", and the exit code of wrong input.
  Exit fail(const Error& error) const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace braid
