#pragma once
// decide: a person's request for one decision, as multipart/form-data (curl -F photo=@shoe.jpg) or
// as JSON, to a Request. docs/protocol.md has both forms.

#include <cstddef>
#include <string_view>

#include "base/clock.h"
#include "net/pipeline_facts.h"
#include "serve/request.h"

namespace braid {

/// Without reply and cancel flag. kInvalidArgument names the input or parameter and, for a name
/// that is not known, the nearest one.
Result<Request> parse_decide(const PipelineFacts& facts, std::string_view content_type,
                             std::string_view body, const Clock& clock,
                             std::size_t json_depth_max = 64);

}  // namespace braid
