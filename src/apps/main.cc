// braid: hybrid multimodal inference, one program with a verb a job.

#include <cstdio>
#include <string>
#include <vector>

#include "apps/command.h"
#include "base/registry.h"

namespace braid {
namespace {

void print_help(const Registry<Command>& commands) {
  std::puts("Usage: braid VERB [OPTIONS]\n\nVerbs (braid VERB --help says more):");
  for (const std::string& name : commands.names()) {
    const auto command = *commands.make(name, {});
    std::printf("  %-10s %s\n", name.c_str(), command->summary().c_str());
  }
}

int run(const std::vector<std::string>& words) {
  Registry<Command> commands("verb");
  register_apps_commands(commands);
  if (words.empty() || words.front() == "--help" || words.front() == "help") {
    print_help(commands);
    return static_cast<int>(words.empty() ? Exit::kUsage : Exit::kDone);
  }
  if (words.front() == "--version") {
    std::puts("braid 0.1.0");
    return 0;
  }
  const auto command = commands.make(words.front(), {});
  if (!command.has_value()) {
    std::fprintf(stderr, "braid: %s\n", command.error().describe().c_str());
    return static_cast<int>(Exit::kUsage);
  }
  return static_cast<int>((*command)->run({words.begin() + 1, words.end()}));
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) { return braid::run({argv + 1, argv + argc}); }
