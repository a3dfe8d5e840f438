#pragma once
// From the options of `braid bench` to a load: asks the server what it serves and makes the
// requests.

#include "apps/bench_options.h"
#include "net/load/load.h"
#include "net/load/load_report.h"

namespace braid {

struct BenchLoad {
  LoadOptions load;
  LoadFacts facts;
};

/// Of one side. Errors say which option, file or server and what helps.
Result<BenchLoad> make_bench_load(const BenchOptions& options, const BenchSide& side);

}  // namespace braid
