#pragma once
// What `braid bench` was asked for, as words and numbers of the command line; and its manual.

#include <cstdint>
#include <string>
#include <vector>

#include "apps/command_line.h"
#include "base/result.h"

namespace braid {

/// One server.
struct BenchSide {
  std::string url;
  std::string model;
  std::string metrics_url;
  std::int64_t pid = 0;  // 0: not told
};

struct BenchOptions {
  BenchSide a{.url = "http://127.0.0.1:8000", .model = {}, .metrics_url = {}};
  BenchSide b;  // a URL: compare
  std::string path;
  std::vector<std::string> bodies;
  std::vector<std::string> inputs;
  std::vector<std::string> shapes;
  std::vector<std::string> outputs;
  std::vector<std::string> parameters;
  std::int64_t batch = 1;
  std::int64_t cases = 8;
  std::int64_t seed = 1;
  bool zeros = false;
  bool json_tensors = false;
  std::int64_t connections = 0;
  std::int64_t threads = 1;
  double rate = 0;
  std::string trace;
  double trace_speed = 1;
  double warm_up_s = 1;
  double duration_s = 5;
  double deadline_ms = 0;
  double timeout_ms = 30'000;
  std::int64_t rounds = 5;
  std::string json_file;

  bool is_open() const { return rate > 0 || !trace.empty(); }
  bool is_comparison() const { return !b.url.empty(); }
  std::size_t connection_count() const;
};

void declare(CommandLine& line, BenchOptions& options);

/// kInvalidArgument for options out of range or that do not go together.
Result<void> check(const BenchOptions& options);

}  // namespace braid
