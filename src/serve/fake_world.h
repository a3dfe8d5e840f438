#pragma once
// A small world for the tests of pipelines and the engine: a folder of models whose files say what
// they do, numbers as raw inputs, the real operators and policies.
//
// modality "number": "0.7" becomes x = [[0.7]]; text that is no number is refused.
// model.fake holds one word: "binary" gives probabilities [x, 1 - x] and embedding [x]; "sum" is a
// head over `a.embedding`, `b.embedding` with presence masks and logits [a + b, 0]; "fail" fails;
// "hang" waits until release() is called. A second word is the space of part a that it was fitted
// on.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/alarm.h"
#include "base/test_folder.h"
#include "serve/engine.h"

namespace braid {

/// Shut until it is opened; then open for good.
class Door {
 public:
  void open() {
    const Lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait() {
    const SystemClock clock;
    const Lock lock(mutex_);
    while (!open_) {
      clock.wait_until(changed_, mutex_, TimePoint::max());
    }
  }

 private:
  Mutex mutex_;
  Condition changed_;
  bool open_ GUARDED_BY(mutex_) = false;
};

class FakeWorld {
 public:
  explicit FakeWorld(const Clock& clock);
  ~FakeWorld();

  void add_model(const std::string& name, const std::string& what);
  void write(const std::string& file, const std::string& text);
  /// Loads the pipeline from `yaml` and publishes it.
  Result<void> publish(const std::string& yaml);
  Result<std::shared_ptr<const Pipeline>> load(const std::string& yaml);

  /// Lets every hanging model go on.
  void release() { door_->open(); }

  const TestFolder own;
  const std::filesystem::path& folder = own.path();
  Metrics metrics;
  Registry<Preprocessor> preprocessors{"modality"};
  Registry<Backend> backends{"model runtime"};
  Registry<FusionOp> fusion_ops{"fusion operator"};
  Registry<Policy> policies{"policy"};
  std::unique_ptr<ModelStore> store;
  std::unique_ptr<Dispatcher> dispatcher;
  std::unique_ptr<Engine> engine;

 private:
  std::shared_ptr<Door> door_ = std::make_shared<Door>();
};

/// A request of pipeline "test" with these inputs.
Request request_of(std::vector<RawInput> inputs);

}  // namespace braid
