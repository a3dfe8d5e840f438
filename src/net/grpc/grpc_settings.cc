#include "net/grpc/grpc_settings.h"

#include <utility>

namespace braid {

Result<inference::LogSettingsResponse> change_logging(const inference::LogSettingsRequest& message,
                                                      Protocol& protocol) {
  Json wanted{Json::Map()};
  for (const auto& [key, value] : message.settings()) {
    wanted.set(key, value.has_bool_param()     ? Json(value.bool_param())
                    : value.has_uint32_param() ? Json(std::int64_t{value.uint32_param()})
                                               : Json(value.string_param()));
  }
  BRAID_TRY_DO(protocol.settings().set_logging(wanted));
  inference::LogSettingsResponse reply;
  const Json settings = protocol.settings().logging();
  for (const auto& [key, value] : *settings.map()) {
    auto& setting = (*reply.mutable_settings())[key];
    if (value.boolean() != nullptr) {
      setting.set_bool_param(*value.boolean());
    } else if (value.text() != nullptr) {
      setting.set_string_param(*value.text());
    } else {
      setting.set_uint32_param(static_cast<std::uint32_t>(value.number()));
    }
  }
  return reply;
}

Result<inference::TraceSettingResponse> change_trace(const inference::TraceSettingRequest& message,
                                                     Protocol& protocol) {
  if (!message.model_name().empty()) {
    BRAID_TRY([[maybe_unused]] const auto found,
              protocol.catalogue().find(message.model_name(), {}));
  }
  Json wanted{Json::Map()};
  for (const auto& [key, value] : message.settings()) {
    wanted.set(key, value.value_size() == 0
                        ? Json()
                        : Json(Json::List(value.value().begin(), value.value().end())));
  }
  BRAID_TRY_DO(protocol.settings().set_trace(wanted));
  inference::TraceSettingResponse reply;
  const Json settings = protocol.settings().trace();
  for (const auto& [key, value] : *settings.map()) {
    auto& setting = (*reply.mutable_settings())[key];
    if (value.list() != nullptr) {
      for (const Json& each : *value.list()) {
        setting.add_value(*each.text());
      }
    } else {
      setting.add_value(*value.text());
    }
  }
  return reply;
}

}  // namespace braid
