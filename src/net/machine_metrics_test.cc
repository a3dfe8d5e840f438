#include "net/machine_metrics.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/test_folder.h"

namespace braid {
namespace {

// Field by field as proc(5) numbers them: idle and iowait are the fourth and the fifth.
TEST(MachineMetrics, ReadsTicksOfAllProcessors) {
  const auto ticks = parse_processor_ticks("cpu  10 20 30 400 50 6 7 8 0 0\ncpu0 1 2 3 4\n");
  ASSERT_TRUE(ticks.has_value());
  EXPECT_EQ(ticks->all, 531U);
  EXPECT_EQ(ticks->busy, 81U);
  EXPECT_FALSE(parse_processor_ticks("cpu  1 2 x").has_value());
  EXPECT_FALSE(parse_processor_ticks("").has_value());
}

TEST(MachineMetrics, ReadsMemory) {
  const std::string text = "MemTotal:       2048 kB\nMemFree:  1 kB\nMemAvailable:   1024 kB\n";
  EXPECT_EQ(parse_memory_bytes(text, "MemTotal:"), 2048.0 * 1024);
  EXPECT_EQ(parse_memory_bytes(text, "MemAvailable:"), 1024.0 * 1024);
  EXPECT_FALSE(parse_memory_bytes(text, "Swap:").has_value());
}

// A program may be called "a) b": the fields begin behind the last parenthesis.
TEST(MachineMetrics, ReadsTheProcessWhateverItsName) {
  const auto stat = parse_process_stat(
      "42 (a) b) S 4 5 6 7 8 9 10 11 12 13 140 150 16 17 18 19 20 21 2200 23000 240 25\n");
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->processor_ticks, 290U);
  EXPECT_EQ(stat->start_ticks, 2200U);
  EXPECT_EQ(stat->virtual_bytes, 23000U);
  EXPECT_EQ(stat->resident_pages, 240U);
  EXPECT_FALSE(parse_process_stat("42 (x").has_value());
  EXPECT_FALSE(parse_process_stat("42 (x) S 1 2").has_value());
}

double value_of(const std::vector<SampledFamily>& families, const std::string& name) {
  for (const SampledFamily& each : families) {
    if (each.name == name) {
      return each.samples.front().value;
    }
  }
  return -1;
}

class MachineMetricsTest : public testing::Test {
 protected:
  void write(const char* name, const char* text) { std::ofstream(folder_ / name) << text; }

  const TestFolder own_;
  const std::filesystem::path& folder_ = own_.path();
};

// From (10 busy of 100) to (40 busy of 200): 30 of 100 ticks since the last look.
TEST_F(MachineMetricsTest, UtilisationIsCountedBetweenTwoLooks) {
  write("stat", "cpu  10 0 0 90 0 0 0 0\n");
  MachineMetrics metrics(folder_);
  EXPECT_DOUBLE_EQ(value_of(metrics.collect(), "nv_cpu_utilization"), 0.1);  // since the start
  write("stat", "cpu  40 0 0 160 0 0 0 0\n");
  EXPECT_DOUBLE_EQ(value_of(metrics.collect(), "nv_cpu_utilization"), 0.3);
  EXPECT_EQ(value_of(metrics.collect(), "nv_cpu_memory_total_bytes"), -1);  // no such file
}

TEST(MachineMetrics, KnowsThisProcess) {
  MachineMetrics metrics;
  const auto families = metrics.collect();
  EXPECT_GT(value_of(families, "process_resident_memory_bytes"), 1 << 20);
  EXPECT_GT(value_of(families, "process_open_fds"), 2);
  EXPECT_GT(value_of(families, "process_start_time_seconds"), 1.5e9);
  EXPECT_GT(value_of(families, "nv_cpu_memory_used_bytes"), 0);
}

}  // namespace
}  // namespace braid
