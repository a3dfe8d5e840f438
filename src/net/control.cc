#include "net/control.h"

#include <fmt/format.h>

namespace braid {

Result<void> check_control(const RepositoryControl* control, bool client_may) {
  if (control == nullptr) {
    return Error{Code::kInvalidArgument,
                 "clients may not load or unload here; start the server with --model-control-mode "
                 "explicit"};
  }
  if (!client_may) {
    return Error{Code::kInvalidArgument,
                 "only clients on the server's own machine may load or unload; start the server "
                 "with --control-from-anywhere to change that"};
  }
  return {};
}

Result<void> check_control_parameters(const Json& body, bool is_load) {
  for (const auto& [key, value] : *body.map()) {
    if (key != "parameters" || value.map() == nullptr) {
      return Error{Code::kInvalidArgument,
                   fmt::format("'{}' is {}; only a map 'parameters' is known here",
                               key.substr(0, 100), value.kind())};
    }
    for (const auto& [name, content] : *value.map()) {
      if (is_load && (name == "config" || name.starts_with("file:"))) {
        return Error{Code::kUnsupported,
                     fmt::format("parameter '{}': a load takes what lies in the repository; "
                                 "overrides are not offered",
                                 name.substr(0, 100))};
      }
      if (is_load || name != "unload_dependents" || content.boolean() == nullptr) {
        return Error{Code::kInvalidArgument,
                     fmt::format("parameter '{}' is not known here", name.substr(0, 100))};
      }
    }
  }
  return {};
}

}  // namespace braid
