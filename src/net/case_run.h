#pragma once
// CaseRun: several cases of one request, a bounded number of them in the engine at once, so that
// one large batch cannot take all room that a pipeline has for requests in flight.
// Threads: replies come on any; `done` is called once, on the last one's. Keeps itself alive.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/task.h"
#include "serve/request.h"

namespace braid {

class CaseRun : public std::enable_shared_from_this<CaseRun> {
 public:
  using Done = MoveFunction<void(Result<std::vector<Decision>>)>;

  /// An error begins no further case; `done` then has the first error, by time.
  static void start(std::vector<Request> cases, std::function<void(Request)> submit, Done done);

  CaseRun(std::vector<Request> cases, std::function<void(Request)> submit, Done done);

 private:
  void advance();
  std::optional<std::size_t> next_case();
  void take(std::size_t index, Result<Decision> answer);

  const std::function<void(Request)> submit_;
  std::vector<Request> cases_;  // each moved out once, by whoever drew its index
  Done done_;                   // likewise

  Mutex mutex_;
  std::vector<Decision> decisions_ GUARDED_BY(mutex_);
  std::optional<Error> error_ GUARDED_BY(mutex_);
  std::size_t next_ GUARDED_BY(mutex_) = 0;
  std::size_t running_ GUARDED_BY(mutex_) = 0;
  bool advancing_ GUARDED_BY(mutex_) = false;
};

}  // namespace braid
