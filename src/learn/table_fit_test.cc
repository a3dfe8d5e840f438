// Tables that `braid fit` fits and linear variants on sparse rows, through the whole of fit() and
// through what serves.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/json.h"
#include "learn/synthetic.h"
#include "serve/engine.h"

namespace braid {
namespace {

using testing::HasSubstr;

constexpr const char* kYaml =
    "name: desk\n"
    "manifest: manifest.csv\n"
    "inputs:\n"
    "  note: {modality: ngrams, fit: {ngram_range: [1, 2], min_df: 2}}\n"
    "  journal: {modality: log, length: 4, fit: {sim_th: 0.5}}\n"
    "branches:\n"
    "  words: {inputs: [note], variants: [{fit: linear, name: desk_words}]}\n"
    "  lines: {inputs: [journal], variants: [{fit: linear, tensor: counts}]}\n"
    "fit: {splits: [train], folds: 3}\n";

/// The label is told by one word of four of the note, and by one template of two of the log.
std::string manifest(std::size_t row_count) {
  std::string text = "id,split,group,label,note,journal\n";
  for (std::size_t i = 0; i < row_count; ++i) {
    const bool good = i % 2 == 0;
    const std::string log = good ? fmt::format("disk {} is fine\ntemperature {}", i, i)
                                 : fmt::format("link {} went down\ntemperature {}", i, i);
    text +=
        fmt::format("{},train,g{},{},the engine {} at noon {},{}\n", i, i, good ? "good" : "bad",
                    good ? "hums" : "rattles", i, i % 5 == 4 ? "" : "\"" + log + "\"");
  }
  return text;
}

class TableFit : public testing::Test {
 protected:
  explicit TableFit()  // a folder each, as they run at the same time
      : world(4) {
    world.write("manifest.csv", manifest(60));
    world.write("FIT.yaml", kYaml);
  }
  std::string file(const std::string& name) const {
    return *read_file(world.folder / "repository" / name);
  }
  void expect_refused(const std::string& from, const std::string& to, const std::string& words) {
    std::string yaml = kYaml;
    yaml.replace(yaml.find(from), from.size(), to);
    world.write("FIT.yaml", yaml);
    const auto report = world.fit();
    ASSERT_FALSE(report.has_value()) << to;
    EXPECT_THAT(report.error().describe(), HasSubstr(words));
    EXPECT_THAT(report.error().describe(), HasSubstr("FIT.yaml:"));
  }

  Synthetic world;
};

TEST_F(TableFit, WritesTablesThatThePipelineNamesByDigest) {
  const auto report = world.fit();
  ASSERT_TRUE(report.has_value()) << report.error().describe();
  const std::string yaml = file("desk/pipeline.yaml");
  for (const char* name : {"note.table.json", "journal.table.json"}) {
    EXPECT_THAT(yaml, HasSubstr(name));
    EXPECT_THAT(yaml, HasSubstr("digest: " + sha256(file(std::string("desk/") + name))));
  }
  EXPECT_THAT(yaml, testing::Not(HasSubstr("fit:")));
  EXPECT_FALSE(std::filesystem::exists(world.folder / "repository/.scratch"));
  const Json table = *Json::parse(file("desk/note.table.json"));
  EXPECT_THAT(table.find("terms")->dump(), HasSubstr("\"engine hums\""));
}

TEST_F(TableFit, ServesWhatWasFitted) {
  ASSERT_TRUE(world.fit().has_value());
  SystemClock clock;
  Metrics metrics;
  ModelStore store({{world.folder / "repository"}}, world.backends);
  for (const std::string& name : store.names()) {
    ASSERT_TRUE(store.load(name).has_value());
  }
  Dispatcher dispatcher({}, clock, metrics);
  Engine engine({}, clock, dispatcher, metrics);
  auto pipeline = Pipeline::load(world.folder / "repository/desk",
                                 {world.preprocessors, world.fusion_ops, world.policies, store});
  ASSERT_TRUE(pipeline.has_value()) << pipeline.error().describe();
  engine.publish(*std::move(pipeline));
  const auto label = [&](std::vector<RawInput> inputs) {
    Request request;
    request.pipeline = "desk";
    request.inputs = std::move(inputs);
    const auto decision = engine.decide(std::move(request));
    EXPECT_TRUE(decision.has_value()) << decision.error().describe();
    return decision.has_value() ? decision->label : "";
  };
  EXPECT_EQ(label({{"note", "Engine hums."}}), "good");
  EXPECT_EQ(label({{"note", "it RATTLES"}}), "bad");
  EXPECT_EQ(label({{"journal", "link 7777 went down\n"}}), "bad");
  EXPECT_EQ(label({{"note", "the engine hums"}, {"journal", "disk 5 is fine"}}), "good");
}

TEST_F(TableFit, GivesTheSameFilesFromTheSameData) {
  ASSERT_TRUE(world.fit("first").has_value());
  ASSERT_TRUE(world.fit("second").has_value());
  for (const char* name :
       {"desk/note.table.json", "desk/pipeline.yaml", "desk_words/1/model.onnx"}) {
    EXPECT_EQ(*read_file(world.folder / "first" / name), *read_file(world.folder / "second" / name))
        << name;
  }
}

// A table that changed under a fitted head would be wrong without a word.
TEST_F(TableFit, AChangedTableIsNotServed) {
  ASSERT_TRUE(world.fit().has_value());
  const std::string name = "repository/desk/note.table.json";
  world.write(name, *read_file(world.folder / name) + " ");
  ModelStore store({{world.folder / "repository"}}, world.backends);
  for (const std::string& model : store.names()) {
    ASSERT_TRUE(store.load(model).has_value());
  }
  const auto loaded =
      Pipeline::load(world.folder / "repository/desk",
                     {world.preprocessors, world.fusion_ops, world.policies, store});
  ASSERT_FALSE(loaded.has_value());
  EXPECT_THAT(loaded.error().describe(), HasSubstr("note.table.json"));
}

TEST_F(TableFit, MistakesHaveTheirLine) {
  expect_refused("min_df: 2", "min_fd: 2", "min_df");
  expect_refused("min_df: 2", "min_df: 1000", "min_df");
  expect_refused("sim_th: 0.5", "masks: [numbers]", "number");
  expect_refused("modality: ngrams", "modality: table", "no table to fit");
  expect_refused("modality: ngrams", "modality: ngrams, table: x.json", "leave one");
}

}  // namespace
}  // namespace braid
