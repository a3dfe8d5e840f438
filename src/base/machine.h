#pragma once
// Machine: what figures were measured on, from /proc.

#include <cstddef>
#include <string>

namespace braid {

struct Machine {
  std::string cpu;
  std::size_t cores = 0;
  double memory_gib = 0;
};
Machine this_machine();

/// Memory of this process that is in use, in MiB; 0 where /proc does not say.
double resident_mib();

}  // namespace braid
