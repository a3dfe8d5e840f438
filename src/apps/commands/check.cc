// braid check: loads a repository, checks everything, says what is wrong with file, line and cure.

#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/command_line.h"
#include "apps/repository.h"

namespace braid {
namespace {

class Check final : public Command {
 public:
  std::string summary() const override {
    return "check a repository whole: files, shapes, classes, spaces; runs nothing";
  }

  Exit run(const std::vector<std::string>& arguments) const override {
    std::vector<std::string> folders;
    CommandLine line("check", summary());
    line.add_repositories(folders);
    line.explain(
        "Loads every model and every pipeline of the repository as `serve` would and prints one\n"
        "line for each thing that is wrong: the file, the line and what to do about it.\n"
        "Exit code 0: all is right. 1: something is wrong. 2: wrong options.");
    if (const auto ended = line.parse(arguments)) {
      return *ended;
    }
    const auto opened = OpenRepository::open({.folders = {folders.begin(), folders.end()}});
    if (!opened.has_value()) {
      return line.fail(opened.error());
    }
    for (const ModelStatus& model : (*opened)->store->index()) {
      if (model.ready) {
        fmt::print("ok     model     {} version {}\n", model.name, model.version);
      }
    }
    for (const std::string& name : (*opened)->engine->pipeline_names()) {
      fmt::print("ok     pipeline  {}\n", name);
    }
    for (const OpenRepository::Failure& failure : (*opened)->failures()) {
      fmt::print("WRONG  {}: {}\n", failure.name, failure.error.describe());
    }
    return (*opened)->failures().empty() ? Exit::kDone : Exit::kWrongInput;
  }
};

}  // namespace

void register_check(Registry<Command>& registry) {
  registry.add("check", [](const NoSetup&) -> std::unique_ptr<Command> {
    return std::make_unique<Check>();
  });
}

}  // namespace braid
