#include "net/infer_request.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::int64_t kClassesMax = 1 << 20;
constexpr double kCenturyUs = 3.15e15;

Error wrong(std::string_view name, const Json& value, const char* wanted) {
  return Error{Code::kInvalidArgument,
               fmt::format("parameter '{}' is {}, but {} is wanted", name, value.kind(), wanted)};
}

Result<bool> flag_of(std::string_view name, const Json& value) {
  if (value.boolean() == nullptr) {
    return wrong(name, value, "true or false");
  }
  return *value.boolean();
}

Result<double> number_of(std::string_view name, const Json& value, double max) {
  if (!value.is_number()) {
    return wrong(name, value, "a number");
  }
  if (!(value.number() >= 0 && value.number() <= max)) {
    return Error{
        Code::kInvalidArgument,
        fmt::format("parameter '{}' is {}; it lies between 0 and {}", name, value.number(), max)};
  }
  return value.number();
}

/// 0 means none, as it does elsewhere.
Result<std::optional<Duration>> timeout_of(const Json& value) {
  std::int64_t microseconds = 0;
  if (!value.integer(microseconds)) {
    return wrong("timeout", value, "a whole number of microseconds");
  }
  if (Result<double> checked = number_of("timeout", value, kCenturyUs); !checked.has_value()) {
    return std::move(checked).error();
  }
  return microseconds == 0 ? std::optional<Duration>()
                           : std::optional<Duration>(std::chrono::microseconds(microseconds));
}

/// 1 is the first, 0 says none.
Result<std::size_t> priority_of(const Json& value) {
  std::int64_t level = 0;
  if (!value.integer(level)) {
    return wrong("priority", value, "a whole number");
  }
  BRAID_TRY_DO(number_of("priority", value, 1e9));
  return static_cast<std::size_t>(level);
}

Result<void> read_parameter(std::string_view name, const Json& value, InferRequest& into) {
  if (name == "timeout") {
    BRAID_TRY(const std::optional<Duration> timeout, timeout_of(value));
    if (timeout.has_value()) {
      into.timeout = std::min(into.timeout.value_or(*timeout), *timeout);
    }
  } else if (name == "binary_data_output") {
    BRAID_TRY(into.binary_output, flag_of(name, value));
  } else if (name == "latency_slo_ms") {
    BRAID_TRY(const double ms, number_of(name, value, kCenturyUs / 1000));
    const auto slo =
        std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms));
    into.timeout = std::min(into.timeout.value_or(slo), slo);
  } else if (name == "min_confidence") {
    BRAID_TRY(into.min_confidence, number_of(name, value, 1));
  } else if (name == "cost_budget_core_ms") {
    BRAID_TRY(into.cost_budget_core_ms, number_of(name, value, 1e12));
  } else if (name == "priority") {
    BRAID_TRY(into.priority, priority_of(value));
  } else if (name == "triton_enable_empty_final_response") {
    // Perf Analyzer sends it with every request over gRPC; here one answer is the final one.
    BRAID_TRY([[maybe_unused]] const bool checked, flag_of(name, value));
  } else if (name.starts_with("triton_") || name == "headers") {
    return Error{Code::kInvalidArgument,
                 fmt::format("parameter '{}' is reserved for servers; leave it out", name)};
  }
  return {};
}

}  // namespace

Result<void> read_parameters(const Json& parameters, InferRequest& into) {
  for (const auto& [name, value] : *parameters.map()) {
    BRAID_TRY_DO(read_parameter(name, value, into));
  }
  return {};
}

Result<void> read_output_parameters(const Json& parameters, RequestedOutput& into) {
  for (const auto& [name, value] : *parameters.map()) {
    if (name == "binary_data") {
      BRAID_TRY(into.binary, flag_of(name, value));
    } else if (name == "classification") {
      std::int64_t count = 0;
      if (!value.integer(count) || count < 1 || count > kClassesMax) {
        return Error{Code::kInvalidArgument,
                     fmt::format("output '{}': classification is the number of classes to name, 1 "
                                 "to {}",
                                 into.name, kClassesMax)};
      }
      into.class_count = static_cast<std::size_t>(count);
    } else if (name.starts_with("shared_memory_")) {
      return Error{Code::kUnsupported,
                   fmt::format("output '{}': parameter '{}' belongs to an extension that is not "
                               "offered here; GET /v2 lists those that are",
                               into.name, name)};
    }
  }
  return {};
}

}  // namespace braid
