// Any bytes as a person's request for a decision, a form or JSON: the first line is the
// Content-Type. Only inputs that the pipeline has are taken, and each once.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

#include "base/check.h"
#include "base/clock.h"
#include "net/decide.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const braid::PipelineFacts facts{"p", "1", {"photo", "title", "id"}, {"no", "yes"}};
  static const braid::ManualClock clock;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t line = bytes.find('\n');
  if (line == std::string_view::npos) {
    return 0;
  }
  const auto request =
      braid::parse_decide(facts, bytes.substr(0, line), bytes.substr(line + 1), clock);
  if (request.has_value()) {
    std::set<std::string_view> seen;
    for (const braid::RawInput& input : request->inputs) {
      BRAID_CHECK(std::ranges::count(facts.inputs, input.name) == 1);
      BRAID_CHECK(seen.insert(input.name).second);
    }
  }
  return 0;
}
