#pragma once
// LoadLane: one thread's share of a load: when a request is sent, what its latency counts from, and
// what counts at all. Closed loop: each connection sends its next request when it has an answer.
// Open loop: requests have their times beforehand; one that finds no free connection waits, and its
// latency counts from its time all the same, so that a server that stalls cannot hide how many it
// would have kept waiting (coordinated omission).
// Threads: one runs it.

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "net/load/load_client.h"
#include "net/load/load_tally.h"

namespace braid {

struct LaneOptions {
  std::size_t connection_count = 1;
  std::size_t request_count = 1;        // that were prepared; they take turns
  TimePoint begin{};                    // of the load, warm-up included; arrivals count from here
  TimePoint window_begin{};             // what happens before does not count
  TimePoint window_end{};               // nothing is sent from here on
  Duration deadline = Duration::max();  // of a good answer, for goodput
  Duration timeout = std::chrono::seconds(30);  // then a request is given up
  Duration drain = std::chrono::seconds(30);    // for what is under way at the end
};

class LoadLane {
 public:
  LoadLane(LoadClient& client, const Clock& clock, LaneOptions options);

  /// kUnavailable when the server is gone: nothing but lost connections for a while.
  Result<LoadTally> closed_loop();
  /// `arrivals` are ascending. A request counts when its time lies in the window, whenever its
  /// answer comes; one that is unanswered after the drain counts as timed out.
  Result<LoadTally> open_loop(std::span<const Duration> arrivals);

 private:
  struct Flight {
    bool busy = false;
    TimePoint meant{};
    TimePoint sent{};
  };

  void send(std::size_t connection, TimePoint meant, TimePoint now);
  /// Waits, at most until `until`, and takes what has come.
  Result<void> step(TimePoint until);
  void finish(const LoadAnswer& answer, TimePoint now);
  void add_failure(int code, std::string_view text);
  void give_up(std::size_t connection);
  void count_unsent(TimePoint meant);
  void sweep();
  bool counts(TimePoint meant, TimePoint now) const;
  Result<void> drain();
  std::optional<std::size_t> take_idle();

  LoadClient& client_;
  const Clock& clock_;
  const LaneOptions options_;
  bool by_arrival_ = false;  // open loop: the window is of arrivals, not of answers
  std::vector<Flight> flights_;
  std::deque<std::size_t> idle_;  // longest idle first
  std::vector<LoadAnswer> answers_;
  std::size_t under_way_ = 0;
  std::size_t next_request_ = 0;
  std::size_t lost_in_a_row_ = 0;
  TimePoint next_sweep_{};
  LoadTally tally_;
};

}  // namespace braid
