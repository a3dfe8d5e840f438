// How long each hostile file holds a worker, and how much memory beside the file itself:
//   hostile_bench [ROUNDS]
// Prints rows of evidence as JSON: milliseconds until the typed error (median, least, most), and
// the largest growth of the process over all files.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "modality/hostile/all.h"

namespace braid::hostile {
namespace {

/// A line of /proc/self/status, in bytes.
std::size_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) {
      return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) << 10;
    }
  }
  return 0;
}

/// The highest mark of resident memory begins anew: "5" does that, proc(5).
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

/// Milliseconds of processor time that the process has used: what a busy machine leaves alone.
double cpu_ms() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

struct Measured {
  double cpu_ms = 0;  // the least of the rounds
  std::vector<double> milliseconds;
  std::size_t grown_bytes = 0;
  std::string answer;
};

Measured measure(const HostileFile& file, int rounds) {
  const std::string raw = file.make();
  const auto preprocessor = preprocessor_for(file);
  const SystemClock clock;
  Measured measured;
  for (int i = 0; i < rounds; ++i) {
    malloc_trim(0);
    forget_peak();
    const std::size_t before = status_bytes("VmRSS");
    const double cpu_begin = cpu_ms();
    const TimePoint begin = clock.now();
    const auto encoded = preprocessor->encode(raw);
    const std::chrono::duration<double, std::milli> took = clock.now() - begin;
    const double cpu = cpu_ms() - cpu_begin;
    measured.cpu_ms = i == 0 ? cpu : std::min(measured.cpu_ms, cpu);
    measured.milliseconds.push_back(took.count());
    const std::size_t peak = status_bytes("VmHWM");
    measured.grown_bytes = std::max(measured.grown_bytes, peak - std::min(before, peak));
    measured.answer = encoded.has_value() ? "it was encoded" : encoded.error().describe();
    BRAID_CHECK(!encoded.has_value());
  }
  std::ranges::sort(measured.milliseconds);
  return measured;
}

double mebibytes(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

void run(int rounds) {
  open_modules();
  std::size_t grown_bytes = 0;
  const char* largest = "";
  std::string rows;
  for (const HostileFile& file : all()) {
    const Measured measured = measure(file, rounds);
    const auto& sorted = measured.milliseconds;
    rows += fmt::format(
        "  {{\"id\": \"hostile.{}\", \"what\": \"{}\", \"value\": {:.3f}, \"low\": {:.3f}, "
        "\"high\": {:.3f}, \"unit\": \"ms\", \"goal\": \"<= 100 ms\", \"note\": \"CPU {:.1f} ms, "
        "{:.1f} "
        "MiB more\"}},\n",
        file.id, file.what, sorted[sorted.size() / 2], sorted.front(), sorted.back(),
        measured.cpu_ms, mebibytes(measured.grown_bytes));
    fmt::print(stderr, "{:18} {:9.3f} ms, CPU {:9.3f} ms, {:7.1f} MiB  {}\n", file.id,
               sorted[sorted.size() / 2], measured.cpu_ms, mebibytes(measured.grown_bytes),
               measured.answer);
    if (measured.grown_bytes > grown_bytes) {
      grown_bytes = measured.grown_bytes;
      largest = file.id;
    }
  }
  fmt::print(
      "[\n{}  {{\"id\": \"hostile.memory\", \"what\": \"the most memory that any of them "
      "takes beside itself\", \"value\": {:.2f}, \"unit\": \"MiB\", \"goal\": \"<= 64 MiB\", "
      "\"note\": \"{}\"}}\n]\n",
      rows, mebibytes(grown_bytes), largest);
}

}  // namespace
}  // namespace braid::hostile

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  if (rounds < 1) {
    fmt::print(stderr, "usage: hostile_bench [ROUNDS]\n");
    return 2;
  }
  braid::hostile::run(rounds);
  return 0;
}
