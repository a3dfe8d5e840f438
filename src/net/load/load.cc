#include "net/load/load.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/mutex.h"
#include "base/worker_pool.h"
#include "net/grpc/grpc_load_client.h"
#include "net/grpc/grpc_load_request.h"
#include "net/load/fetch.h"
#include "net/load/http_load_client.h"
#include "net/load/load_lane.h"
#include "net/load/process_cpu.h"

namespace braid {
namespace {

constexpr Duration kPatience = std::chrono::seconds(10);  // to connect, and for the metrics page

/// Of the server, at one time.
struct Sample {
  std::optional<Duration> cpu;
  std::optional<BatchCounts> batches;
};

Result<Sample> sample(const LoadOptions& options) {
  Sample taken;
  if (options.metrics.has_value()) {
    BRAID_TRY(taken.batches, fetch_batch_counts(*options.metrics, options.model, kPatience));
  }
  if (options.pid.has_value()) {
    BRAID_TRY(taken.cpu, process_cpu(*options.pid));
  }
  return taken;
}

void wait_until(TimePoint until, const Clock& clock) {
  Mutex mutex;
  Condition never;
  const Lock lock(mutex);
  while (clock.now() < until) {
    clock.wait_until(never, mutex, until);
  }
}

/// Connections of a lane: as equal a share as there is.
std::size_t share_of(std::size_t all, std::size_t index, std::size_t count) {
  return all / count + (index < all % count ? 1 : 0);
}

Result<std::unique_ptr<LoadClient>> open_client(const LoadOptions& options,
                                                std::size_t connection_count) {
  if (options.server.protocol == LoadProtocol::kGrpc) {
    return GrpcLoadClient::open(options.server, connection_count, options.requests, kPatience);
  }
  return HttpLoadClient::open(options.server, connection_count, options.requests, kPatience);
}

/// Lanes with their clients, each run by a thread of its own.
class Lanes {
 public:
  static Result<Lanes> open(const LoadOptions& options) {
    Lanes lanes;
    const std::size_t count = std::clamp<std::size_t>(
        options.thread_count, 1, std::max<std::size_t>(options.connection_count, 1));
    for (std::size_t i = 0; i < count; ++i) {
      Lane& lane = lanes.lanes_.emplace_back();
      lane.connection_count = share_of(options.connection_count, i, count);
      BRAID_TRY(lane.client, open_client(options, lane.connection_count));
      if (options.arrivals.has_value()) {
        for (std::size_t k = i; k < options.arrivals->size(); k += count) {
          lane.arrivals.push_back((*options.arrivals)[k]);
        }
      }
    }
    return lanes;
  }

  void start(const LoadOptions& options, const Clock& clock, LaneOptions lane_options) {
    for (Lane& lane : lanes_) {
      lane_options.connection_count = lane.connection_count;
      lane.thread = std::thread([&lane, &clock, lane_options, open = options.arrivals.has_value()] {
        name_this_thread("load");
        LoadLane load(*lane.client, clock, lane_options);
        lane.outcome = open ? load.open_loop(lane.arrivals) : load.closed_loop();
      });
    }
  }

  /// Joins; the first lane's error, or all tallies in one.
  Result<LoadTally> join() {
    for (Lane& lane : lanes_) {
      lane.thread.join();
    }
    LoadTally all;
    for (Lane& lane : lanes_) {
      BRAID_TRY(const LoadTally tally, std::move(lane.outcome));
      all.merge(tally);
    }
    return all;
  }

 private:
  struct Lane {
    std::unique_ptr<LoadClient> client;
    std::size_t connection_count = 0;
    Arrivals arrivals;
    std::thread thread;
    Result<LoadTally> outcome = LoadTally();
  };
  std::vector<Lane> lanes_;
};

}  // namespace

void LoadResult::merge(const LoadResult& other) {
  window += other.window;
  tally.merge(other.tally);
  if (server_cpu.has_value() && other.server_cpu.has_value()) {
    *server_cpu += *other.server_cpu;
  }
  if (batches.has_value() && other.batches.has_value()) {
    batches->rows += other.batches->rows;
    batches->runs += other.batches->runs;
  }
}

double LoadResult::good_per_second() const {
  return static_cast<double>(tally.good) / std::chrono::duration<double>(window).count();
}

double LoadResult::goodput_per_second() const {
  return static_cast<double>(tally.in_deadline) / std::chrono::duration<double>(window).count();
}

std::optional<Duration> LoadResult::cpu_of_one() const {
  if (!server_cpu.has_value() || tally.answered() == 0) {
    return std::nullopt;
  }
  return *server_cpu / static_cast<Duration::rep>(tally.answered());
}

std::optional<double> LoadResult::rows_a_run() const {
  return batches.has_value() && batches->runs > 0 ? std::optional(batches->rows / batches->runs)
                                                  : std::nullopt;
}

Result<void> try_one(const LoadOptions& options) {
  if (options.server.protocol == LoadProtocol::kGrpc) {
    return try_grpc(options.server, options.requests->front(), options.timeout);
  }
  BRAID_TRY(const Fetched answer,
            fetch(options.server, options.requests->front(), options.timeout));
  if (answer.status < 200 || answer.status > 299) {
    return Error{answer.status < 500 ? Code::kInvalidArgument : Code::kUnavailable,
                 fmt::format("{} refuses the request: HTTP {}: {}", options.server.authority(),
                             answer.status, error_text(answer.body))};
  }
  return {};
}

Result<LoadResult> run_load(const LoadOptions& options, const Clock& clock) {
  BRAID_TRY_DO(sample(options));  // what cannot be sampled is known before the load
  BRAID_TRY(Lanes lanes, Lanes::open(options));
  const TimePoint begin = clock.now();
  LaneOptions lane_options;
  lane_options.request_count = options.requests->size();
  lane_options.begin = begin;
  lane_options.window_begin = begin + options.warm_up;
  lane_options.window_end = lane_options.window_begin + options.window;
  lane_options.deadline = options.deadline;
  lane_options.timeout = options.timeout;
  lane_options.drain = options.timeout;
  lanes.start(options, clock, lane_options);
  wait_until(lane_options.window_begin, clock);
  const Result<Sample> before = sample(options);
  wait_until(lane_options.window_end, clock);
  const Result<Sample> after = sample(options);
  BRAID_TRY(LoadTally tally, lanes.join());
  BRAID_TRY(const Sample first, before);
  BRAID_TRY(const Sample last, after);
  LoadResult result{.window = options.window, .tally = std::move(tally)};
  if (first.cpu.has_value() && last.cpu.has_value()) {
    result.server_cpu = *last.cpu - *first.cpu;
  }
  if (first.batches.has_value() && last.batches.has_value()) {
    result.batches = BatchCounts{.rows = last.batches->rows - first.batches->rows,
                                 .runs = last.batches->runs - first.batches->runs};
  }
  return result;
}

}  // namespace braid
