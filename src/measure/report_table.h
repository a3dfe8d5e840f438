#pragma once
// The table of a summary, as a terminal shows it.

#include <string>

#include "measure/summary.h"

namespace braid {

/// Several lines, each ending in a line break; accuracy in per cent, differences in points. At most
/// 100 columns unless a title is long.
std::string report_table(const Summary& summary);

}  // namespace braid
