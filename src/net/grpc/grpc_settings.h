#pragma once
// grpc_settings: the logging and trace extensions over gRPC.

#include "net/inference.pb.h"
#include "net/protocol.h"

namespace braid {

/// Empty settings only read.
Result<inference::LogSettingsResponse> change_logging(const inference::LogSettingsRequest& message,
                                                      Protocol& protocol);
Result<inference::TraceSettingResponse> change_trace(const inference::TraceSettingRequest& message,
                                                     Protocol& protocol);

}  // namespace braid
