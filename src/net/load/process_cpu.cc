#include "net/load/process_cpu.h"

#include <sstream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"

namespace braid {

// The second field is the program's name in brackets, which may hold blanks and brackets itself.
Result<double> parse_cpu_seconds(std::string_view stat, long ticks_per_second) {
  const std::size_t name_end = stat.rfind(')');
  std::istringstream fields(
      std::string(stat.substr(name_end == std::string_view::npos ? stat.size() : name_end + 1)));
  std::string skipped;
  for (int field = 3; field < 14; ++field) {
    fields >> skipped;
  }
  double user_ticks = 0;
  double system_ticks = 0;
  if (!(fields >> user_ticks >> system_ticks)) {
    return Error{Code::kInternal, "/proc/PID/stat does not read as proc(5) says"};
  }
  return (user_ticks + system_ticks) / static_cast<double>(ticks_per_second);
}

Result<Duration> process_cpu(std::int64_t pid) {
  const Result<std::string> stat = read_file(fmt::format("/proc/{}/stat", pid));
  if (!stat.has_value()) {
    return Error{Code::kNotFound,
                 fmt::format("no process {}; --pid is the server's, on this machine", pid)};
  }
  BRAID_TRY(const double seconds, parse_cpu_seconds(*stat, ::sysconf(_SC_CLK_TCK)));
  return std::chrono::round<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace braid
