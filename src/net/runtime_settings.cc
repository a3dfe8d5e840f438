#include "net/runtime_settings.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::int64_t kVerboseMax = 1'000'000;

Error wrong(std::string_view key, const char* wanted) {
  return Error{Code::kInvalidArgument,
               fmt::format("'{}': {} is wanted", key.substr(0, 100), wanted)};
}

Result<void> check_map(const Json& wanted) {
  return wanted.map() == nullptr
             ? Result<void>(Error{Code::kInvalidArgument, "a map of settings is wanted"})
             : Result<void>();
}

/// Nothing is traced, in the protocol's words.
const std::pair<const char*, const char*> kTrace[] = {{"trace_level", "OFF"},
                                                      {"trace_rate", "1000"},
                                                      {"trace_count", "-1"},
                                                      {"log_frequency", "0"},
                                                      {"trace_mode", "triton"}};

/// A value of the trace extension: a string, or a list of one.
const std::string* text_of(const Json& value) {
  const Json::List* list = value.list();
  return list != nullptr && list->size() == 1 ? list->front().text() : value.text();
}

}  // namespace

Json RuntimeSettings::logging() const {
  const Lock lock(mutex_);
  Json json;
  json.set("log_file", "");
  json.set("log_info", info_);
  json.set("log_warning", warning_);
  json.set("log_error", error_);
  json.set("log_verbose_level", verbose_);
  json.set("log_format", "default");
  return json;
}

Result<void> RuntimeSettings::set_logging(const Json& wanted) {
  BRAID_TRY_DO(check_map(wanted));
  const Lock lock(mutex_);
  bool info = info_;
  bool warning = warning_;
  bool error = error_;
  std::int64_t verbose = verbose_;
  for (const auto& [key, value] : *wanted.map()) {
    bool* flag = key == "log_info"      ? &info
                 : key == "log_warning" ? &warning
                 : key == "log_error"   ? &error
                                        : nullptr;
    if (flag != nullptr) {
      if (value.boolean() == nullptr) {
        return wrong(key, "true or false");
      }
      *flag = *value.boolean();
    } else if (key == "log_verbose_level") {
      if (!value.integer(verbose) || verbose < 0 || verbose > kVerboseMax) {
        return wrong(key, "a whole number from 0");
      }
    } else if (key == "log_format") {
      if (value.text() == nullptr || *value.text() != "default") {
        return wrong(key, "\"default\"");
      }
    } else if (key == "log_file") {
      return Error{Code::kInvalidArgument,
                   "'log_file': the log goes to standard error; a client cannot name a file"};
    } else {
      return wrong(key, "log_info, log_warning, log_error or log_verbose_level");
    }
  }
  info_ = info;
  warning_ = warning;
  error_ = error;
  verbose_ = verbose;
  logs_requests_ = verbose > 0;
  return {};
}

Json RuntimeSettings::trace() const {
  Json json;
  for (const auto& [key, value] : kTrace) {
    if (std::string_view(key) == "trace_level") {
      json.set(key, Json::List{value});
    } else {
      json.set(key, value);
    }
  }
  json.set("trace_file", "");
  return json;
}

Result<void> RuntimeSettings::set_trace(const Json& wanted) const {
  BRAID_TRY_DO(check_map(wanted));
  for (const auto& [key, value] : *wanted.map()) {
    if (key == "trace_file") {
      return Error{Code::kInvalidArgument,
                   "'trace_file': nothing is traced; a client cannot name a file"};
    }
    const auto* known = std::ranges::find(kTrace, std::string_view(key), [](const auto& pair) {
      return std::string_view(pair.first);
    });
    if (known == std::end(kTrace)) {
      return wrong(key, "trace_level, trace_rate, trace_count, log_frequency or trace_mode");
    }
    const std::string* text = text_of(value);
    if (value.is_null() || (text != nullptr && *text == known->second)) {
      continue;
    }
    if (text == nullptr) {
      return wrong(key, "a string");
    }
    return Error{Code::kUnsupported,
                 fmt::format("'{}': tracing is not offered; it stays {}", key, known->second)};
  }
  return {};
}

}  // namespace braid
