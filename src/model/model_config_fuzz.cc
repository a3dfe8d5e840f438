// Any bytes as a config.pbtxt: a config or a typed error that names the file, never a crash.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "model/model_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto config = braid::parse_model_config(text, "m/config.pbtxt");
  if (!config.has_value()) {
    BRAID_CHECK(config.error().code != braid::Code::kInternal);
    BRAID_CHECK(config.error().describe().find("config.pbtxt") != std::string::npos);
  }
  return 0;
}
