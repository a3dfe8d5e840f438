#pragma once
// control: whether a client's load or unload may go on, before anything is touched.

#include "base/json.h"
#include "net/repository_control.h"

namespace braid {

/// kInvalidArgument when nobody loads for clients, or not for those of other machines.
Result<void> check_control(const RepositoryControl* control, bool client_may);

/// The body of a load or unload: `parameters` with nothing that changes the model. kUnsupported for
/// overrides of config and files, kInvalidArgument for what is unknown or of a wrong type.
Result<void> check_control_parameters(const Json& body, bool is_load);

}  // namespace braid
