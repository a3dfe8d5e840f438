// The small readers of a load: metrics pages, /proc, metadata; and the arithmetic of comparisons.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "net/load/batch_counts.h"
#include "net/load/fetch.h"
#include "net/load/load_comparison.h"
#include "net/load/load_report.h"
#include "net/load/process_cpu.h"
#include "net/load/served_model.h"

namespace braid {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(BatchCounts, ReadsBraidsPage) {
  const char* page =
      "# HELP braid_dispatch_rows_total Rows that were run.\n"
      "# TYPE braid_dispatch_rows_total counter\n"
      "braid_dispatch_rows_total{model=\"mlp\"} 640\n"
      "braid_dispatch_rows_total{model=\"other\"} 7\n"
      "braid_dispatch_batches_total{model=\"mlp\"} 20\n"
      "braid_dispatch_batches_total{model=\"other\"} 7\n"
      "braid_dispatch_batches_totals{model=\"mlp\"} 99\n";
  EXPECT_EQ(parse_batch_counts(page, "mlp")->rows, 640);
  EXPECT_EQ(parse_batch_counts(page, "mlp")->runs, 20);
  EXPECT_EQ(parse_batch_counts(page, "a_pipeline")->rows, 647);  // of all models that it ran
}

TEST(BatchCounts, ReadsTritonsPage) {
  const char* page =
      "nv_inference_count{model=\"mlp\",version=\"1\"} 300\n"
      "nv_inference_count{model=\"mlp\",version=\"2\"} 30\n"
      "nv_inference_exec_count{version=\"1\",model=\"mlp\"} 1.1e+02\n"
      "nv_inference_exec_count{submodel=\"mlp\"} 5000\n";
  EXPECT_EQ(parse_batch_counts(page, "mlp")->rows, 330);
  EXPECT_EQ(parse_batch_counts(page, "mlp")->runs, 110);
}

TEST(BatchCounts, SaysWhatItLookedFor) {
  EXPECT_THAT(parse_batch_counts("up 1\n", "mlp").error().message,
              HasSubstr("braid_dispatch_rows_total"));
}

// proc(5): fields 14 and 15, here 250 and 50 ticks of 1/100 s. The name may hold anything.
TEST(ProcessCpu, ReadsTheFieldsBehindAnyName) {
  const char* stat = "42 (a b) (c)) S 1 42 42 0 -1 4194560 100 0 0 0 250 50 7 8 20 0 3 0 99 1 2";
  EXPECT_DOUBLE_EQ(*parse_cpu_seconds(stat, 100), 3.0);
  EXPECT_EQ(parse_cpu_seconds("42 (x", 100).error().code, Code::kInternal);
}

TEST(ProcessCpu, GrowsWithWorkAndNamesAMissingProcess) {
  const Result<Duration> before = process_cpu(::getpid());
  ASSERT_TRUE(before.has_value());
  EXPECT_GE(*before, 0s);
  EXPECT_EQ(process_cpu(4'000'000'000).error().message,
            "no process 4000000000; --pid is the server's, on this machine");
}

TEST(ServedModel, ReadsMetadata) {
  const auto model = parse_served_model(
      R"({"name":"m","versions":["1"],"platform":"onnx","inputs":[{"name":"x","datatype":"FP32",)"
      R"("shape":[-1,3]},{"name":"y","datatype":"INT64","shape":["-1","2"],"optional":true}],)"
      R"("outputs":[{"name":"o","datatype":"BYTES","shape":[1]}]})");
  ASSERT_TRUE(model.has_value()) << model.error().describe();
  EXPECT_EQ(to_string(model->inputs[0]), "x FP32 [-1, 3]");
  EXPECT_EQ(to_string(model->inputs[1]), "y INT64 [-1, 2]");
  EXPECT_TRUE(model->inputs[1].optional);
  EXPECT_EQ(model->outputs[0].dtype, DType::kBytes);
  EXPECT_FALSE(model->is_pipeline());
}

TEST(ServedModel, SaysWhatIsMissing) {
  const std::pair<const char*, const char*> cases[] = {
      {"<html>", "the server's metadata"},
      {"{}", "no text 'name'"},
      {R"({"name":"m","platform":"p","outputs":[]})", "no list 'inputs'"},
      {R"({"name":"m","platform":"p","inputs":[{"name":"x","datatype":"FP12","shape":[1]}]})",
       "tensor 'x'"},
      {R"({"name":"m","platform":"p","inputs":[{"name":"x","datatype":"FP32","shape":[true]}]})",
       "a shape that is not numbers"},
  };
  for (const auto& [json, why] : cases) {
    EXPECT_THAT(parse_served_model(json).error().describe(), HasSubstr(why));
  }
}

TEST(ServedModel, EncodesNames) {
  EXPECT_EQ(percent_encoded("a-b_c.1~"), "a-b_c.1~");
  EXPECT_EQ(percent_encoded("a/b é"), "a%2Fb%20%C3%A9");
}

TEST(Fetch, ErrorTextIsTheServersOwn) {
  EXPECT_EQ(error_text(R"({"error":"queue full"})"), "queue full");
  EXPECT_EQ(error_text("<html>\nno\n"), "<html> no ");
  EXPECT_EQ(error_text(std::string(1000, 'x')).size(), 300 + std::string("…").size());
}

TEST(Spread, IsMinimumMedianMaximum) {
  EXPECT_EQ(spread_of({3, 1, 2}).median, 2);
  EXPECT_EQ(spread_of({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(spread_of({5, 1, 2, 3}).low, 1);
  EXPECT_EQ(spread_of({5, 1, 2, 3}).high, 5);
}

/// `count` good answers of one latency in one second.
LoadResult result_of(std::uint64_t count, Duration latency, Duration cpu) {
  LoadResult result{.window = 1s, .tally = {}, .server_cpu = cpu};
  result.tally.good = result.tally.in_deadline = count;
  for (std::uint64_t i = 0; i < count; ++i) {
    result.tally.latency.add(latency);
  }
  return result;
}

const Ratio& ratio_of(const std::vector<Ratio>& ratios, const std::string& name) {
  const auto found = std::ranges::find(ratios, name, &Ratio::name);
  EXPECT_NE(found, ratios.end()) << name;
  return *found;
}

// Two rounds: A answers 100 and 100, then 200 and 200 a second; B half of that each time, but 150
// and 50 in its two turns of the first. CPU of one: A 1 ms, B 3 ms, then 4 ms.
TEST(Comparison, RatiosAreRoundByRoundAndTurnsAlternate) {
  const LoadResult of_a[] = {result_of(100, 10ms, 100ms), result_of(100, 10ms, 100ms),
                             result_of(200, 10ms, 200ms), result_of(200, 10ms, 200ms)};
  const LoadResult of_b[] = {result_of(75, 20ms, 225ms), result_of(25, 20ms, 75ms),
                             result_of(100, 40ms, 400ms), result_of(100, 40ms, 400ms)};
  std::string turns;
  std::size_t a = 0;
  std::size_t b = 0;
  const auto comparison = compare_loads(
      2,
      [&]() -> Result<LoadResult> {
        turns += 'A';
        return of_a[a++];
      },
      [&]() -> Result<LoadResult> {
        turns += 'B';
        return of_b[b++];
      });
  EXPECT_EQ(turns, "ABBAABBA");
  const auto ratios = ratios_of(*comparison);
  EXPECT_DOUBLE_EQ(ratio_of(ratios, "requests_per_s").spread.low, .5);
  EXPECT_DOUBLE_EQ(ratio_of(ratios, "requests_per_s").spread.high, .5);
  EXPECT_NEAR(ratio_of(ratios, "latency_p50").spread.low, 2, .002);
  EXPECT_NEAR(ratio_of(ratios, "latency_p50").spread.high, 4, .004);
  EXPECT_NEAR(ratio_of(ratios, "server_cpu").spread.low, 3, 1e-6);
  EXPECT_NEAR(ratio_of(ratios, "server_cpu").spread.median, 3.5, 1e-6);
  EXPECT_NEAR(ratio_of(ratios, "server_cpu").spread.high, 4, 1e-6);
  EXPECT_DOUBLE_EQ(comparison->all_of_a().good_per_second(), 150);
}

TEST(LoadReport, WritesLongTimesWithoutAnExponent) {
  const std::string text = load_text({}, result_of(1, 2790ms, 1ms));
  EXPECT_THAT(text, HasSubstr("max 2790 ms"));
  EXPECT_EQ(text.find("e+"), std::string::npos);
}

TEST(LoadReport, TellsWhatWasMeasured) {
  LoadResult result = result_of(98, 5ms, 49ms);
  result.tally.in_deadline = 90;
  result.tally.failures[503] = {2, R"({"error":"queue full"})"};
  result.batches = BatchCounts{.rows = 98, .runs = 14};
  const LoadFacts facts = {.target = "mlp at http://h:1", .load = "closed loop", .deadline = 6ms};
  const std::string text = load_text(facts, result);
  for (const char* part : {"98.0 requests/s (98 answered, 2 failed)", "p50 5 ms",
                           "90.0 requests/s within 6 ms, 90.0 %", "490.0 µs a request",
                           "7.00 rows a run", "2 × HTTP 503: queue full"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  const Json json = load_json(facts, result);
  EXPECT_DOUBLE_EQ(json.find("server_cpu_core_ms")->number(), .49);
  EXPECT_EQ(json.find("batch_rows")->number(), 7);
  EXPECT_EQ(*json.find("failures")->list()->at(0).find("status")->text(), "HTTP 503");
  EXPECT_NEAR(json.find("latency_ms")->find("p99")->number(), 5, .01);
}

}  // namespace
}  // namespace braid
