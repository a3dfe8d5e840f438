#include "base/machine.h"

#include <cmath>
#include <cstdlib>
#include <thread>

#include "base/file.h"

namespace braid {
namespace {

/// What stands after "key :" in the first such line of a /proc file; "" when there is none.
std::string proc_value(const std::string& text, const std::string& key) {
  const std::size_t line = text.find(key);
  const std::size_t colon = text.find(':', line);
  if (line == std::string::npos || colon == std::string::npos) {
    return {};
  }
  const std::size_t begin = text.find_first_not_of(" \t", colon + 1);
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.cores = std::thread::hardware_concurrency();
  if (const auto text = read_file("/proc/cpuinfo"); text.has_value()) {
    machine.cpu = proc_value(*text, "model name");
  }
  if (const auto text = read_file("/proc/meminfo"); text.has_value()) {
    const double kib = std::strtod(proc_value(*text, "MemTotal").c_str(), nullptr);
    machine.memory_gib = std::round(kib / 1024 / 1024 * 10) / 10;
  }
  return machine;
}

double resident_mib() {
  const Result<std::string> status = read_file("/proc/self/status");
  const std::string kib = status.has_value() ? proc_value(*status, "VmRSS") : "";
  return std::strtod(kib.c_str(), nullptr) / 1024;
}

}  // namespace braid
