#include "model/store.h"

#include <atomic>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/test_folder.h"

namespace braid {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

Registry<Backend> all_backends() {
  Registry<Backend> registry("backend");
  register_model_backends(registry);
  return registry;
}

class Store : public testing::Test {
 protected:
  /// A copy of a model that the ONNX tests use.
  void add(const std::string& path, const char* onnx = "mlp.onnx") {
    fs::create_directories((repository_ / path).parent_path());
    fs::copy_file(fs::path("tests/data/model/onnx") / onnx, repository_ / path,
                  fs::copy_options::overwrite_existing);
  }
  void write(const std::string& path, std::string_view text) {
    ASSERT_TRUE(write_file(repository_ / path, text).has_value());
  }
  std::string failure(const std::string& name) { return store_.load(name).error().describe(); }

  const TestFolder own_;
  const fs::path& repository_ = own_.path();
  const Registry<Backend> backends_ = all_backends();
  ModelStore store_{{{repository_}}, backends_};
};

TEST_F(Store, LoadsTheHighestVersionByItsNumber) {
  add("mlp/2/model.onnx");
  add("mlp/10/model.onnx");
  add("mlp/draft/model.onnx");
  add("mlp/011/model.onnx");

  ASSERT_TRUE(store_.load("mlp").has_value());

  const ModelHandle model = *store_.get("mlp");
  EXPECT_EQ(model->version, 10);
  EXPECT_EQ(model->file, repository_ / "mlp/10/model.onnx");
  EXPECT_EQ(model->digest, sha256(*read_file("tests/data/model/onnx/mlp.onnx")));
  EXPECT_EQ(model->spec().inputs.at(0).name, "x");
  EXPECT_EQ(model->config.batching->rows_max, 32U);
  EXPECT_EQ(store_.get("mlp", 2).error().message, "model 'mlp' has no version 2; loaded: 10");
  EXPECT_EQ(store_.get("mlp", 2).error().code, Code::kNotFound);
}

TEST_F(Store, FollowsTheVersionPolicy) {
  for (const char* version : {"1", "2", "3"}) {
    add(std::string("mlp/") + version + "/model.onnx");
  }
  const auto loaded_under = [&](const char* policy) {
    write("mlp/config.pbtxt", policy);
    EXPECT_TRUE(store_.load("mlp").has_value());
    std::vector<std::int64_t> versions;
    for (const ModelStatus& status : store_.index()) {
      if (status.ready) {
        versions.push_back(status.version);
      }
    }
    return versions;
  };
  EXPECT_THAT(loaded_under("version_policy { all {} }"), ElementsAre(1, 2, 3));
  EXPECT_THAT(loaded_under("version_policy { latest { num_versions: 2 } }"), ElementsAre(2, 3));
  EXPECT_THAT(loaded_under("version_policy { specific { versions: [3, 1] } }"), ElementsAre(1, 3));
  write("mlp/config.pbtxt", "version_policy { specific { versions: 7 } }");
  EXPECT_THAT(failure("mlp"), HasSubstr("asks for version 7; there are: 1, 2, 3"));
}

// Whoever serves must go on serving: a bad upload takes nothing away.
TEST_F(Store, KeepsWhatIsLoadedWhenTheNextLoadFails) {
  add("mlp/1/model.onnx");
  ASSERT_TRUE(store_.load("mlp").has_value());
  write("mlp/2/model.onnx", "this is no model");

  EXPECT_THAT(failure("mlp"), testing::AllOf(HasSubstr("mlp/2/model.onnx"), HasSubstr("valid")));

  EXPECT_EQ((*store_.get("mlp"))->version, 1);
  const std::vector<ModelStatus> index = store_.index();
  ASSERT_EQ(index.size(), 2U);
  EXPECT_TRUE(index[0].ready);
  EXPECT_FALSE(index[1].ready);
  EXPECT_THAT(index[1].reason, HasSubstr("mlp/2/model.onnx"));
}

TEST_F(Store, AHandleOutlivesItsUnload) {
  add("mlp/1/model.onnx");
  ASSERT_TRUE(store_.load("mlp").has_value());
  const ModelHandle held = *store_.get("mlp");
  ASSERT_TRUE(store_.unload("mlp").has_value());

  EXPECT_EQ(store_.get("mlp").error().message, "model 'mlp' is not loaded: unloaded");
  EXPECT_EQ(store_.get("mlp").error().code, Code::kUnavailable);
  Batch batch;
  batch.row_count = 1;
  batch.inputs.push_back({"x", *Tensor::from(Shape{1, 4}, std::vector<float>(4, 1))});
  EXPECT_TRUE(held->model->run(batch).has_value());
  EXPECT_EQ(store_.unload("mlp").error().code, Code::kNotFound);
}

TEST_F(Store, ListsModelsAndNotPipelines) {
  add("b/1/model.onnx");
  write("a/note.txt", "a model that someone has begun");
  write("c/pipeline.yaml", "name: c");
  write(".git/config", "");

  EXPECT_THAT(store_.names(), ElementsAre("a", "b"));
  EXPECT_EQ(store_.get("c").error().code, Code::kNotFound);
  EXPECT_THAT(failure("a"), HasSubstr("put the file into a folder named 1"));
  EXPECT_EQ(store_.index().at(0).version, 0);
}

TEST_F(Store, NamesTheNearestModel) {
  add("record_xgb/1/model.onnx");
  EXPECT_EQ(store_.get("record_xbg").error().message,
            "no model 'record_xbg'; did you mean 'record_xgb'?");
  EXPECT_EQ(store_.get("zebra").error().code, Code::kNotFound);
}

// A reader holds either the old version or the next one, whole, and never waits for a load.
TEST_F(Store, SwapsVersionsUnderItsReaders) {
  add("mlp/1/model.onnx");
  ASSERT_TRUE(store_.load("mlp").has_value());
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&] {
      while (!done) {
        const Result<ModelHandle> model = store_.get("mlp");
        const bool whole =
            model.has_value() && (*model)->model != nullptr &&
            (*model)->file.parent_path().filename() == std::to_string((*model)->version);
        wrong += whole ? 0 : 1;
      }
    });
  }
  for (const char* next : {"2", "3", "4", "5"}) {
    add(std::string("mlp/") + next + "/model.onnx");
    EXPECT_TRUE(store_.load("mlp").has_value());
  }
  done = true;
  readers.clear();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ((*store_.get("mlp"))->version, 5);
}

// Names come from clients.
TEST_F(Store, StaysInsideTheRepository) {
  add("mlp/1/model.onnx");
  for (const char* name : {"../braid_store_test/mlp", "mlp/1", ".", "..", "", "/etc"}) {
    EXPECT_EQ(store_.load(name).error().code, Code::kNotFound) << name;
    EXPECT_EQ(store_.get(name).error().code, Code::kNotFound) << name;
  }
}

TEST_F(Store, SaysWhatAVersionLacks) {
  write("mlp/1/model.pt", "");
  EXPECT_THAT(failure("mlp"), testing::AllOf(HasSubstr("mlp/1 has no "), HasSubstr("model.onnx")));
  write("mlp/config.pbtxt", "platform: \"pytorch_libtorch\"");
  EXPECT_THAT(failure("mlp"), HasSubstr("no backend 'pytorch_libtorch'; this build has:"));
}

TEST_F(Store, OpensTheFileThatTheConfigNames) {
  add("mlp/1/net.onnx");
  write("mlp/config.pbtxt", "default_model_filename: \"net.onnx\"");
  EXPECT_TRUE(store_.load("mlp").has_value());
  write("mlp/config.pbtxt", "name: \"other\"");
  EXPECT_THAT(failure("mlp"), HasSubstr("name is 'other', but the folder is 'mlp'"));
}

TEST_F(Store, RunsItsWarmupsBeforeItPublishes) {
  add("mlp/1/model.onnx");
  write("mlp/warmup/sample", std::string(16, '\0'));
  const std::string begin =
      "max_batch_size: 4 model_warmup { name: 'first' batch_size: 2 inputs { "
      "key: 'x' value { data_type: TYPE_FP32 dims: 4 ";
  for (const char* filling :
       {"zero_data: true", "random_data: true", "input_data_file: 'sample'"}) {
    write("mlp/config.pbtxt", begin + filling + " } } }");
    EXPECT_TRUE(store_.load("mlp").has_value()) << filling;
  }
  write("mlp/config.pbtxt", begin + "input_data_file: 'other' } } }");
  EXPECT_THAT(failure("mlp"), HasSubstr("warmup/other"));
  write("mlp/warmup/sample", std::string(15, '\0'));
  write("mlp/config.pbtxt", begin + "input_data_file: 'sample' } } }");
  EXPECT_THAT(failure("mlp"), HasSubstr("15 bytes, but 16"));
  write("mlp/config.pbtxt", "max_batch_size: 4 model_warmup { name: 'w' batch_size: 1 }");
  EXPECT_THAT(failure("mlp"), HasSubstr("model_warmup 'w': input 'x' is missing"));
}

TEST_F(Store, TheFirstRepositoryWins) {
  add("near/mlp/1/model.onnx");
  add("far/mlp/2/model.onnx");
  add("far/other/1/model.onnx");
  ModelStore store({{repository_ / "near", repository_ / "far"}}, backends_);
  ASSERT_TRUE(store.check_repositories().has_value());
  ASSERT_TRUE(store.load("mlp").has_value());
  EXPECT_EQ((*store.get("mlp"))->version, 1);
  EXPECT_THAT(store.names(), ElementsAre("mlp", "other"));
}

TEST_F(Store, NamesARepositoryThatIsNotThere) {
  ModelStore store({{repository_ / "nowhere"}}, backends_);
  EXPECT_EQ(store.check_repositories().error().code, Code::kNotFound);
  EXPECT_THAT(store.check_repositories().error().message, HasSubstr("nowhere"));
  EXPECT_TRUE(store.names().empty());
}

}  // namespace
}  // namespace braid
