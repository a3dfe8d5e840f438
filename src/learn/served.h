#pragma once
// Served: what Synthetic's fit wrote, loaded and answering, for tests. Threads: one owns it.

#include <vector>

#include "base/check.h"
#include "learn/synthetic.h"
#include "serve/engine.h"

namespace braid {

class Served {
 public:
  /// The fitted repository must load.
  explicit Served(const Synthetic& world)
      : store_({{world.folder / "repository"}}, world.backends) {
    for (const std::string& name : store_.names()) {
      BRAID_CHECK(store_.load(name).has_value());
    }
    auto pipeline = Pipeline::load(world.folder / "repository" / "made_up",
                                   {world.preprocessors, world.fusion_ops, world.policies, store_});
    BRAID_CHECK(pipeline.has_value());
    engine_.publish(*std::move(pipeline));
  }

  Result<Decision> decide(const std::vector<RawInput>& inputs) {
    Request request;
    request.pipeline = "made_up";
    request.inputs = inputs;
    return engine_.decide(std::move(request));
  }

 private:
  SystemClock clock_;
  Metrics metrics_;
  ModelStore store_;
  Dispatcher dispatcher_{{}, clock_, metrics_};
  Engine engine_{{}, clock_, dispatcher_, metrics_};
};

}  // namespace braid
