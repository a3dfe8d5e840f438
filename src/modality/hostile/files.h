#pragma once
// HostileFile: a file that strangers send to make a server crash, wait or fill its memory. Each is
// made in memory and has to be refused by a typed error, within 64 MB and, as the benchmark
// measures, 100 ms. For tests and benchmarks.

#include <string>
#include <vector>

#include "base/result.h"

namespace braid::hostile {

inline constexpr std::size_t kMemoryMax = std::size_t{64} << 20;  // beside the file itself

struct HostileFile {
  const char* id = "";    // of its row in docs/evidence/kinds.json
  const char* what = "";  // in words
  const char* modality = "";
  const char* settings = "";
  std::string (*make)() = nullptr;
  Code code = Code::kInvalidArgument;
  const char* says = "";  // in the error's text
};

using HostileFiles = std::vector<HostileFile>;

}  // namespace braid::hostile
