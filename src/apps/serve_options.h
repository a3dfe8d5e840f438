#pragma once
// ServeOptions: what `braid serve` can be told, by flags or by a file, and its manual page.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/command_line.h"
#include "base/result.h"

namespace braid {

struct ServeOptions {
  struct Models {
    std::vector<std::string> repositories;
    std::string control_mode = "none";
    std::vector<std::string> load;
    bool control_from_anywhere = false;
    bool strict = false;
    std::int64_t slots = 0;
    bool no_wide_runs = false;
  };
  struct Listen {
    std::string http_address = "127.0.0.1";
    std::int64_t http_port = 8000;
    std::string grpc_address;  // empty: as http_address; so is the next
    std::int64_t grpc_port = 8001;
    std::string metrics_address;
    std::int64_t metrics_port = 8002;
    std::int64_t net_threads = 1;
  };
  struct Limits {  // bytes, unless the name says otherwise
    std::int64_t header_size = 64 << 10;
    std::int64_t body_size = 64 << 20;
    std::int64_t inflated_size = 0;  // 0: as body_size
    std::int64_t in_flight = std::int64_t{1} << 30;
    std::int64_t json_depth = 64;
    std::int64_t tensor_elements = std::int64_t{1} << 30;
    std::int64_t connections = 4096;
    std::int64_t header_timeout_s = 10;
    std::int64_t idle_timeout_s = 75;
  };

  Models models;
  Listen listen;
  Limits limits;
  std::int64_t exit_timeout_s = 30;
  std::string access_log = "off";

  bool is_explicit() const { return models.control_mode == "explicit"; }
  /// What is loaded at the start: unset is all.
  std::optional<std::vector<std::string>> names_to_load() const;
};

void declare(CommandLine& line, ServeOptions& options);

/// What two options say together. kInvalidArgument names both.
Result<void> check(const ServeOptions& options);

}  // namespace braid
