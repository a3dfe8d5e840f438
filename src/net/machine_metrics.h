#pragma once
// MachineMetrics: processor, memory and descriptors of the machine and of this process, read from
// /proc when they are asked for. Linux only; what cannot be read is left out of the page.
// Threads: collect() from any.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "net/metrics_page.h"

namespace braid {

/// Of the first line of /proc/stat, in ticks since the machine started.
struct ProcessorTicks {
  std::uint64_t busy = 0;
  std::uint64_t all = 0;
};
std::optional<ProcessorTicks> parse_processor_ticks(std::string_view stat);

/// The number behind "MemTotal:", in bytes.
std::optional<double> parse_memory_bytes(std::string_view meminfo, std::string_view key);

/// Of /proc/self/stat (proc(5)): fields 14 and 15, 22, 23 and 24.
struct ProcessStat {
  std::uint64_t processor_ticks = 0;
  std::uint64_t start_ticks = 0;  // after the machine's start
  std::uint64_t virtual_bytes = 0;
  std::uint64_t resident_pages = 0;
};
std::optional<ProcessStat> parse_process_stat(std::string_view stat);

class MachineMetrics {
 public:
  explicit MachineMetrics(std::filesystem::path proc = "/proc") : proc_(std::move(proc)) {}

  /// nv_cpu_… as Triton has them, process_… as Prometheus' clients have them.
  std::vector<SampledFamily> collect();

 private:
  void add_machine(std::vector<SampledFamily>& into);
  void add_process(std::vector<SampledFamily>& into) const;

  const std::filesystem::path proc_;
  Mutex mutex_;
  ProcessorTicks last_ GUARDED_BY(mutex_);  // utilisation is counted from one look to the next
};

}  // namespace braid
