#pragma once
// What `braid bench` prints of a load, for people and as JSON. Pure. Times in milliseconds.

#include <string>

#include "base/json.h"
#include "net/load/load_comparison.h"

namespace braid {

/// What was measured, in words, for the heading: "mlp at http://127.0.0.1:8000".
struct LoadFacts {
  std::string target;
  std::string load;  // "closed loop, 16 connections"
  Duration deadline = Duration::max();
  LoadProtocol protocol = LoadProtocol::kHttp;  // for the names of its status codes
};

std::string load_text(const LoadFacts& facts, const LoadResult& result);
std::string comparison_text(const LoadFacts& a, const LoadFacts& b, const Comparison& comparison);

Json load_json(const LoadFacts& facts, const LoadResult& result);
Json comparison_json(const LoadFacts& a, const LoadFacts& b, const Comparison& comparison);

}  // namespace braid
