#include "net/machine_metrics.h"

#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/file.h"

namespace braid {
namespace {

using Kind = Metrics::Kind;

/// The next number separated by blanks; what it took is removed from `text`.
std::optional<std::uint64_t> next_number(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) {
    return std::nullopt;
  }
  text.remove_prefix(begin);
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Removes so many words separated by single blanks.
void skip_words(std::string_view& text, int count) {
  for (int i = 0; i < count; ++i) {
    const std::size_t blank = text.find(' ');
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
  }
}

void add(std::vector<SampledFamily>& into, const char* name, const char* help, Kind kind,
         double value) {
  into.push_back({name, help, kind, {{{}, value}}});
}

/// "btime 1700000000": when the machine started.
std::optional<std::uint64_t> boot_seconds(std::string_view stat) {
  const std::size_t at = stat.find("btime ");
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  stat.remove_prefix(at + 6);
  return next_number(stat);
}

}  // namespace

std::optional<ProcessorTicks> parse_processor_ticks(std::string_view stat) {
  if (!stat.starts_with("cpu ")) {
    return std::nullopt;
  }
  stat.remove_prefix(4);
  ProcessorTicks ticks;
  for (int field = 0; field < 8; ++field) {  // user nice system idle iowait irq softirq steal
    const auto number = next_number(stat);
    if (!number.has_value()) {
      return std::nullopt;
    }
    const bool is_idle = field == 3 || field == 4;
    ticks.all += *number;
    ticks.busy += is_idle ? 0 : *number;
  }
  return ticks;
}

std::optional<double> parse_memory_bytes(std::string_view meminfo, std::string_view key) {
  const std::size_t at = meminfo.find(key);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  meminfo.remove_prefix(at + key.size());
  const auto kibibytes = next_number(meminfo);
  return kibibytes.has_value() ? std::optional(static_cast<double>(*kibibytes) * 1024)
                               : std::nullopt;
}

// The second field is the program's name in parentheses, which may hold blanks and parentheses.
std::optional<ProcessStat> parse_process_stat(std::string_view stat) {
  const std::size_t close = stat.rfind(')');
  if (close == std::string_view::npos || close + 2 > stat.size()) {
    return std::nullopt;
  }
  stat.remove_prefix(close + 2);
  skip_words(stat, 11);  // fields 3 to 13
  const auto user = next_number(stat);
  const auto system = next_number(stat);
  stat.remove_prefix(stat.empty() ? 0 : 1);
  skip_words(stat, 6);  // 16 to 21
  const auto start = next_number(stat);
  const auto bytes = next_number(stat);
  const auto pages = next_number(stat);
  if (!user || !system || !start || !bytes || !pages) {
    return std::nullopt;
  }
  return ProcessStat{*user + *system, *start, *bytes, *pages};
}

void MachineMetrics::add_machine(std::vector<SampledFamily>& into) {
  const Result<std::string> stat = read_file(proc_ / "stat");
  const auto ticks = stat.has_value() ? parse_processor_ticks(*stat) : std::nullopt;
  if (ticks.has_value()) {
    const Lock lock(mutex_);
    const ProcessorTicks last = std::exchange(last_, *ticks);
    const bool moved = ticks->all > last.all && ticks->busy >= last.busy;
    add(into, "nv_cpu_utilization", "CPU utilization rate [0.0 - 1.0]", Kind::kGauge,
        moved ? static_cast<double>(ticks->busy - last.busy) /
                    static_cast<double>(ticks->all - last.all)
              : 0);
  }
  const Result<std::string> memory = read_file(proc_ / "meminfo");
  if (memory.has_value()) {
    const auto total = parse_memory_bytes(*memory, "MemTotal:");
    const auto available = parse_memory_bytes(*memory, "MemAvailable:");
    if (total.has_value() && available.has_value()) {
      add(into, "nv_cpu_memory_total_bytes", "CPU total memory (RAM), in bytes", Kind::kGauge,
          *total);
      add(into, "nv_cpu_memory_used_bytes", "CPU used memory (RAM), in bytes", Kind::kGauge,
          *total - *available);
    }
  }
}

void MachineMetrics::add_process(std::vector<SampledFamily>& into) const {
  const Result<std::string> text = read_file(proc_ / "self/stat");
  const auto stat = text.has_value() ? parse_process_stat(*text) : std::nullopt;
  if (!stat.has_value()) {
    return;
  }
  const auto ticks_a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  add(into, "process_cpu_seconds_total", "User and system processor time of this process.",
      Kind::kCounter, static_cast<double>(stat->processor_ticks) / ticks_a_second);
  add(into, "process_resident_memory_bytes", "Memory of this process that lies in RAM.",
      Kind::kGauge,
      static_cast<double>(stat->resident_pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  add(into, "process_virtual_memory_bytes", "Address space of this process.", Kind::kGauge,
      static_cast<double>(stat->virtual_bytes));
  const Result<std::string> machine = read_file(proc_ / "stat");
  if (const auto boot = machine.has_value() ? boot_seconds(*machine) : std::nullopt) {
    add(into, "process_start_time_seconds", "When this process started, seconds since 1970.",
        Kind::kGauge,
        static_cast<double>(*boot) + static_cast<double>(stat->start_ticks) / ticks_a_second);
  }
  std::error_code failed;
  const std::filesystem::directory_iterator descriptors(proc_ / "self/fd", failed);
  if (!failed) {
    add(into, "process_open_fds", "Descriptors that this process has open.", Kind::kGauge,
        static_cast<double>(std::distance(begin(descriptors), end(descriptors))));
    add(into, "process_max_fds", "Descriptors that this process may have open.", Kind::kGauge,
        static_cast<double>(::sysconf(_SC_OPEN_MAX)));
  }
}

std::vector<SampledFamily> MachineMetrics::collect() {
  std::vector<SampledFamily> families;
  add_machine(families);
  add_process(families);
  return families;
}

}  // namespace braid
