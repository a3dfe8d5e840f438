// braid run: one case from the command line, through the same engine as a server's requests.

#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/command_line.h"
#include "apps/print_decision.h"
#include "apps/repository.h"
#include "base/file.h"

namespace braid {
namespace {

/// "title=a red shoe", or "photo=@shoe.jpg" for a file; a value that begins with @ is written @@.
Result<RawInput> parse_input(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Error{Code::kInvalidArgument,
                 fmt::format("--input {}: NAME=VALUE or NAME=@FILE is wanted", word)};
  }
  RawInput input{word.substr(0, equals), word.substr(equals + 1)};
  if (input.bytes.starts_with("@@")) {
    input.bytes.erase(0, 1);
  } else if (input.bytes.starts_with("@")) {
    BRAID_TRY(input.bytes, read_file(input.bytes.substr(1)));
  }
  return input;
}

Result<Request> make_request(const std::vector<std::string>& words, const std::string& pipeline) {
  Request request{.pipeline = pipeline, .id = {}, .inputs = {}, .cancel = {}, .reply = {}};
  for (const std::string& word : words) {
    BRAID_TRY(RawInput input, parse_input(word));
    request.inputs.push_back(std::move(input));
  }
  return request;
}

class Run final : public Command {
 public:
  std::string summary() const override { return "decide one case from the command line"; }

  Exit run(const std::vector<std::string>& arguments) const override {
    std::vector<std::string> folders;
    std::vector<std::string> inputs;
    std::string pipeline;
    std::string plan;
    bool as_json = false;
    CommandLine line("run", summary());
    line.add_repositories(folders);
    line.add("--pipeline", pipeline, "which one; may be left out when there is only one");
    line.add("--input", inputs, "NAME=VALUE or NAME=@FILE; once for each input");
    line.add("--plan", plan, "run exactly this plan instead of asking the policy");
    line.add_flag("--json", as_json, "print the decision as JSON");
    line.explain(
        "Example: braid run --repository shop --input photo=@shoe.jpg --input title='a red shoe'\n"
        "An input that is not given is absent. A value that begins with @ is written @@.");
    if (const auto ended = line.parse(arguments)) {
      return *ended;
    }
    auto opened = OpenRepository::open({.folders = {folders.begin(), folders.end()}});
    if (!opened.has_value()) {
      return line.fail(opened.error());
    }
    Engine& engine = *(*opened)->engine;
    if (pipeline.empty() && engine.pipeline_names().size() == 1) {
      pipeline = engine.pipeline_names().front();
    }
    if (const auto found = engine.pipeline(pipeline); !found.has_value()) {
      const Result<void> loaded = (*opened)->all_loaded();
      return line.fail(loaded.has_value() ? found.error() : loaded.error());
    }
    auto request = make_request(inputs, pipeline);
    if (!request.has_value()) {
      return line.fail(request.error());
    }
    Request wanted = *std::move(request);
    if (!plan.empty()) {
      wanted.plan = plan;
    }
    const Result<Decision> decision = engine.decide(std::move(wanted));
    if (!decision.has_value()) {
      return line.fail(decision.error());
    }
    fmt::print("{}\n", as_json ? to_json(*decision).dump(2) : readable(*decision));
    return Exit::kDone;
  }
};

}  // namespace

void register_run(Registry<Command>& registry) {
  registry.add("run",
               [](const NoSetup&) -> std::unique_ptr<Command> { return std::make_unique<Run>(); });
}

}  // namespace braid
