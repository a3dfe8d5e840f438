// Figures A1 and A4: what the engine and the dispatcher cost a request beside the
// bare calls, on one thread. Prints rows of evidence as JSON.
//   engine_bench [ROUNDS]
// A round times the bare calls and the whole way call by call in turn, so that a busy machine slows
// both, and compares medians.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "model/xgboost.h"
#include "serve/engine.h"

namespace braid {
namespace {

constexpr int kRequestsARound = 2000;
constexpr const char* kRecord = R"({"a": 0.3, "b": 0.7})";

/// Plug-ins, store, dispatcher and engine over a folder that is removed at the end.
struct World {
  explicit World(const std::filesystem::path& where) : folder(where) {
    register_modality_preprocessors(preprocessors);
    register_model_backends(backends);
    register_fusion_ops(fusion_ops);
    register_policy_policies(policies);
  }
  ~World() { std::filesystem::remove_all(folder); }

  void write(const std::string& file, const std::string& text) const {
    const Result<void> written = write_file(folder / file, text);
    BRAID_CHECK(written.has_value());
  }
  void publish(const std::string& name) {
    auto pipeline = Pipeline::load(folder / name, {preprocessors, fusion_ops, policies, store});
    if (!pipeline.has_value()) {
      std::fprintf(stderr, "%s\n", pipeline.error().describe().c_str());
      std::exit(1);
    }
    engine.publish(*std::move(pipeline));
  }

  std::filesystem::path folder;
  SystemClock clock;
  Metrics metrics;
  Registry<Preprocessor> preprocessors{"modality"};
  Registry<Backend> backends{"model runtime"};
  Registry<FusionOp> fusion_ops{"fusion operator"};
  Registry<Policy> policies{"policy"};
  ModelStore store{{{folder}}, backends};
  Dispatcher dispatcher{{.slot_count = 2}, clock, metrics};
  Engine engine{{}, clock, dispatcher, metrics};
};

/// Median time of `whole` minus median time of `part`, in µs. Call by call in turn, so that
/// whatever else the machine does falls on both.
template <typename Part, typename Whole>
double median_more(const Clock& clock, const Part& part, const Whole& whole) {
  std::vector<Duration> parts;
  std::vector<Duration> wholes;
  for (int i = 0; i < kRequestsARound; ++i) {
    const TimePoint begin = clock.now();
    part();
    const TimePoint middle = clock.now();
    whole();
    parts.push_back(middle - begin);
    wholes.push_back(clock.now() - middle);
  }
  std::ranges::nth_element(parts, parts.begin() + kRequestsARound / 2);
  std::ranges::nth_element(wholes, wholes.begin() + kRequestsARound / 2);
  const std::chrono::duration<double, std::micro> more =
      wholes[kRequestsARound / 2] - parts[kRequestsARound / 2];
  return more.count();
}

void decide(World& world, const std::string& pipeline, const std::string& record, bool explain) {
  Request request{.pipeline = pipeline,
                  .id = "x",
                  .inputs = {{"record", record}},
                  .explain = explain,
                  .cancel = {},
                  .reply = {}};
  const Result<Decision> decision = world.engine.decide(std::move(request));
  BRAID_CHECK(decision.has_value());
}

void run_bare(const LoadedModel& model, const std::string& input, Tensor tensor) {
  Batch batch{.inputs = {}, .row_count = 1};
  batch.inputs.push_back({input, std::move(tensor)});
  const Result<RowResults> results = model.model->run(batch);
  BRAID_CHECK(results.has_value());
}

std::string row(const std::string& id, const std::string& what, std::vector<double> values,
                const std::string& goal, const std::string& note) {
  std::ranges::sort(values);
  return fmt::format(
      R"({{"id": "{}", "what": "{}", "value": {:.2f}, "low": {:.2f}, "high": {:.2f}, )"
      R"("unit": "µs", "goal": "{}", "note": "{}"}})",
      id, what, values[values.size() / 2], values.front(), values.back(), goal, note);
}

std::string pipeline_yaml(const std::string& name, int branch_count) {
  std::string yaml = fmt::format(
      "name: {}\ndecision: {{classes: [x, y]}}\n"
      "inputs: {{record: {{modality: table, schema: ../schema.json}}}}\nbranches:\n",
      name);
  for (int i = 0; i < branch_count; ++i) {
    yaml +=
        fmt::format("  b{}: {{inputs: [record], variants: [{{model: noop, name: n{}}}]}}\n", i, i);
  }
  return yaml;
}

/// Cost beside the bare calls, divided by the branches.
std::string measure_branches(World& world, int branch_count, int rounds, bool explain) {
  const std::string name = fmt::format("p{}", branch_count);
  world.write(name + "/pipeline.yaml", pipeline_yaml(name, branch_count));
  world.publish(name);
  const auto pipeline = *world.engine.pipeline(name);
  std::vector<double> costs;
  const ModelHandle model = *world.store.get("noop");
  const auto bare = [&] {
    Encoded encoded = *pipeline->preprocessors.front()->encode(kRecord);
    run_bare(*model, "features", std::move(encoded.tensors.front().tensor));
  };
  for (int round = -1; round < rounds; ++round) {
    const double more =
        median_more(world.clock, bare, [&] { decide(world, name, kRecord, explain); });
    if (round >= 0) {  // the first one warms up
      costs.push_back(more / branch_count);
    }
  }
  return row(fmt::format("A1.branches{}{}", branch_count, explain ? "_explained" : ""),
             fmt::format("engine and dispatcher, {} branch{}, a branch{}", branch_count,
                         branch_count == 1 ? "" : "es", explain ? ", with contributions" : ""),
             std::move(costs), explain ? "" : "<= 10 µs",
             "median, least and most of the rounds; no-op model, one thread, in place of one call");
}

constexpr std::size_t kColumns = 20;
constexpr std::size_t kClasses = 12;

std::string forest() {
  std::vector<float> rows;
  std::vector<float> labels;
  for (std::size_t i = 0; i < 600; ++i) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      rows.push_back(static_cast<float>((i * 7919 + c * 104729) % 1000) / 1000);
    }
    labels.push_back(static_cast<float>(i % kClasses));
  }
  return *train_xgboost(
      {.column_count = kColumns, .rows = rows, .labels = labels, .class_count = kClasses});
}

std::string measure_forest(World& world, int rounds) {
  std::string columns;
  std::string record;
  for (std::size_t c = 0; c < kColumns; ++c) {
    columns += fmt::format(R"({}{{"name": "c{}", "type": "numeric"}})", c == 0 ? "" : ", ", c);
    record += fmt::format(R"({}"c{}": 0.{})", c == 0 ? "" : ", ", c, c + 1);
  }
  record = "{" + record + "}";
  std::string classes = "c0";
  for (std::size_t c = 1; c < kClasses; ++c) {
    classes += fmt::format(", c{}", c);
  }
  world.write("forest/1/model.json", forest());
  world.write("wide.json", R"({"columns": [)" + columns + "]}");
  world.write("f/pipeline.yaml",
              fmt::format("name: f\ndecision: {{classes: [{}]}}\ninputs: {{record: {{modality: "
                          "table, schema: ../wide.json}}}}\nbranches: {{b: {{inputs: [record], "
                          "variants: [forest]}}}}\n",
                          classes));
  BRAID_CHECK(world.store.load("forest").has_value());
  world.publish("f");
  const auto pipeline = *world.engine.pipeline("f");
  const ModelHandle model = *world.store.get("forest");
  const Encoded encoded = *pipeline->preprocessors.front()->encode(record);
  std::vector<double> costs;
  const auto bare = [&] { run_bare(*model, "features", encoded.tensors.front().tensor.clone()); };
  for (int round = -1; round < rounds; ++round) {
    const double more = median_more(world.clock, bare, [&] { decide(world, "f", record, false); });
    if (round >= 0) {
      costs.push_back(more);
    }
  }
  return row("A4", "XGBoost row through the pipeline minus the bare call", std::move(costs),
             "<= 30 µs", "JSON record of 20 columns, 100 rounds of 12 trees; parsing included");
}

int run(int rounds) {
  World world(std::filesystem::temp_directory_path() /
              fmt::format("braid-engine-bench-{}", ::getpid()));
  world.write(
      "schema.json",
      R"({"columns": [{"name": "a", "type": "numeric"}, {"name": "b", "type": "numeric"}]})");
  world.write("noop/1/model.reference.yaml",
              "kind: identity\nwidth: 2\ninput: features\noutput: probabilities\n");
  const Result<void> loaded = world.store.load("noop");
  if (!loaded.has_value()) {
    std::fprintf(stderr, "%s\n", loaded.error().describe().c_str());
    return 1;
  }
  std::string rows;
  for (const int branch_count : {1, 2, 4}) {
    rows += measure_branches(world, branch_count, rounds, false) + ",\n ";
  }
  rows += measure_branches(world, 2, rounds, true) + ",\n ";
  rows += measure_forest(world, rounds);
  fmt::print("[{}]\n", rows);
  return 0;
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) { return braid::run(argc > 1 ? std::atoi(argv[1]) : 9); }
