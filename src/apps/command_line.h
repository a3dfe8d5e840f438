#pragma once
// CommandLine: the options of one verb, the same way in all: names, help, exit codes, error lines.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/command.h"
#include "base/result.h"
#include "base/yaml.h"

namespace braid {

class CommandLine {
 public:
  CommandLine(const std::string& verb, const std::string& summary);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Of the options that are added after it, a heading in the manual page.
  void group(const std::string& title);

  /// `--name VALUE`; the default is what `into` holds. References stay valid until parse().
  void add(const std::string& name, std::string& into, const std::string& help,
           bool required = false);
  void add(const std::string& name, double& into, const std::string& help);
  void add(const std::string& name, std::int64_t& into, const std::string& help);
  void add(const std::string& name, std::vector<std::string>& into, const std::string& help,
           bool required = false);
  /// A whole number between `min` and `max`.
  void add(const std::string& name, std::int64_t& into, const std::string& help, std::int64_t min,
           std::int64_t max);
  /// One of `allowed`.
  void add_choice(const std::string& name, std::string& into, std::vector<std::string> allowed,
                  const std::string& help);
  /// `--name` alone.
  void add_flag(const std::string& name, bool& into, const std::string& help);
  /// A word without a name, such as FIT.yaml.
  void add_positional(const std::string& name, std::string& into, const std::string& help);
  /// `--repository FOLDER`, at least one.
  void add_repositories(std::vector<std::string>& into);
  /// `--config FILE`: a YAML map from the options' names, without dashes in front, to values. What
  /// the command line says too, it says instead. An unknown key is refused with its line.
  void add_config();
  /// The part of the manual page below the options.
  void explain(const std::string& text);

  /// Nothing when the verb should go on; else how it ended (help was asked for, wrong options).
  std::optional<Exit> parse(const std::vector<std::string>& arguments);

  /// One line on standard error, "braid check: …", and the exit code of wrong input.
  Exit fail(const Error& error) const;

 private:
  struct Parser;
  using FromFile = std::function<Result<void>(const Yaml&)>;

  /// How a config file sets the option that was added last.
  void bind(const std::string& name, FromFile from_file);
  Result<std::optional<Yaml>> read_config(const std::vector<std::string>& arguments) const;
  Result<void> allow_from(const Yaml& config);
  Result<void> take_from(const Yaml& config);

  std::unique_ptr<Parser> parser_;
};

}  // namespace braid
