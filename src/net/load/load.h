#pragma once
// Load: offers requests to a server for a while and says what came of them: the load generator of
// `braid bench`.
// Threads: run_load() blocks the caller, who samples the server while the lanes run on their own.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "net/load/arrivals.h"
#include "net/load/batch_counts.h"
#include "net/load/load_tally.h"
#include "net/load/server_address.h"

namespace braid {

struct LoadOptions {
  ServerAddress server;
  std::string model;                                         // for the metrics page only
  std::shared_ptr<const std::vector<std::string>> requests;  // bytes, sent in turn
  std::optional<Arrivals> arrivals;  // an open loop's, warm-up included; without: a closed loop
  std::size_t connection_count = 1;
  std::size_t thread_count = 1;
  Duration warm_up = std::chrono::seconds(1);  // not counted
  Duration window = std::chrono::seconds(5);   // counted
  Duration deadline = Duration::max();
  Duration timeout = std::chrono::seconds(30);
  std::optional<std::int64_t> pid;       // of the server, for its CPU
  std::optional<ServerAddress> metrics;  // for the realised batch
};

struct LoadResult {
  Duration window{};  // added over all parts, when results are merged
  LoadTally tally = {};
  std::optional<Duration> server_cpu = {};  // in the window
  std::optional<BatchCounts> batches = {};  // likewise

  void merge(const LoadResult& other);

  double good_per_second() const;
  double goodput_per_second() const;
  /// Of all answers. Unset without a process or an answer.
  std::optional<Duration> cpu_of_one() const;
  /// The mean of the window. Unset without a metrics page, or where nothing ran.
  std::optional<double> rows_a_run() const;
};

/// One request, by itself, before a load: kUnavailable when the server is not there; its refusal
/// with its text and status.
Result<void> try_one(const LoadOptions& options);

/// kUnavailable when the connections cannot be had or the server ends, kNotFound without process or
/// metrics.
Result<LoadResult> run_load(const LoadOptions& options, const Clock& clock);

}  // namespace braid
