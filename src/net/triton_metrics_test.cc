// The page of a whole server: Triton's values, and the rules of promtool and of Prometheus' text
// format (https://prometheus.io/docs/practices/naming/, promlint) on every line of it.

#include "net/triton_metrics.h"

#include <atomic>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/machine_metrics.h"
#include "net/service.h"
#include "serve/fake_world.h"

namespace braid {
namespace {

using testing::HasSubstr;

constexpr const char* kPipeline = R"(
name: test
decision: {classes: [yes, no]}
inputs: {left: {modality: number}, right: {modality: number}}
branches:
  a: {inputs: [left], variants: [binary]}
  b: {inputs: [right], variants: [binary]}
fusion: {decision: {op: mean, inputs: [a, b]}}
)";

class TritonMetricsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"binary", "fail"}) {
      world_.add_model(name, name);
    }
    ASSERT_TRUE(world_.publish(kPipeline).has_value());
    service_ = std::make_unique<Service>(*world_.engine, *world_.dispatcher, *world_.store,
                                         world_.metrics, clock_);
  }
  void TearDown() override {
    world_.engine->drain();
    world_.dispatcher->drain();
  }

  int post(const std::string& target, const std::string& json) {
    const Body body = Body::copy_of(json);
    int status = 0;
    std::atomic<bool> answered = false;
    service_->handle({.method = "POST", .target = target, .headers = {}, .body = body},
                     HttpReply([&](HttpResponse response) {
                       status = response.status;
                       answered = true;
                     }));
    while (!answered) {
      std::this_thread::yield();
    }
    return status;
  }

  std::string page() {
    Protocol& protocol = service_->protocol();
    std::vector<SampledFamily> sampled =
        triton_metrics(*world_.engine, *world_.dispatcher, *world_.store, protocol.meters());
    for (auto more :
         {serving_metrics(*world_.dispatcher, *world_.store, credits_), machine_.collect()}) {
      sampled.insert(sampled.end(), more.begin(), more.end());
    }
    return prometheus_text(world_.metrics, sampled);
  }

  SystemClock clock_;
  FakeWorld world_{clock_};
  MachineMetrics machine_;
  ByteCredits credits_{1};
  std::unique_ptr<Service> service_;
};

const std::string kRow =
    R"({"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 1], "data": [0.5]}]})";

TEST_F(TritonMetricsTest, HaveTritonsNamesAndReasons) {
  EXPECT_EQ(post("/v2/models/binary/infer", kRow), 200);
  EXPECT_EQ(post("/v2/models/binary/infer", kRow), 200);
  EXPECT_EQ(post("/v2/models/binary/infer", "{}"), 400);
  EXPECT_EQ(post("/v2/models/fail/infer", kRow), 500);
  EXPECT_EQ(post("/v2/pipelines/test/decide", R"({"inputs": {"left": "0.5"}})"), 200);
  const std::string text = page();
  const std::string binary = "{model=\"binary\",version=\"1\"";
  // Two of clients, and the branch of the pipeline, as Triton counts the parts of an ensemble.
  EXPECT_THAT(text, HasSubstr("nv_inference_request_success" + binary + "} 3\n"));
  EXPECT_THAT(text, HasSubstr("nv_inference_count" + binary + "} 3\n"));
  EXPECT_THAT(text, HasSubstr("nv_inference_exec_count" + binary + "} 3\n"));
  EXPECT_THAT(text, HasSubstr("nv_inference_request_failure" + binary + ",reason=\"OTHER\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("nv_inference_pending_request_count" + binary + "} 0\n"));
  EXPECT_THAT(text, HasSubstr("nv_inference_request_failure{model=\"fail\",version=\"1\",reason="
                              "\"BACKEND\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("nv_inference_request_success{model=\"test\",version=\"1\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("braid_inference_requests_total{model=\"test\",version=\"1\",outcome="
                              "\"answered\"} 1\n"));
  for (const char* name :
       {"request", "queue", "compute_input", "compute_infer", "compute_output"}) {
    EXPECT_THAT(text, HasSubstr("nv_inference_" + std::string(name) + "_duration_us" + binary));
  }
}

/// "name{a=\"b\",…} 1" in its three parts; empty when it is not one.
struct Line {
  std::string name;
  std::string labels;
  std::string value;

  static std::optional<Line> parse(const std::string& text) {
    const std::size_t end = text.find_first_of("{ ");
    Line line{text.substr(0, end), "", ""};
    std::size_t at = end;
    if (end != std::string::npos && text[end] == '{') {
      at = close_of(text, end);
      line.labels = at == std::string::npos ? "" : text.substr(end, at - end);
    }
    if (at == std::string::npos || text[at] != ' ' || line.name.empty()) {
      return std::nullopt;
    }
    line.value = text.substr(at + 1);
    return line;
  }

 private:
  /// Behind the closing brace; values are quoted, with \" and \\ inside.
  static std::size_t close_of(const std::string& text, std::size_t at) {
    while (at < text.size() && text[at] != '}') {
      at = text.find('"', at);
      if (at == std::string::npos || text[at - 1] != '=') {
        return std::string::npos;
      }
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        at += text[at] == '\\' ? 1 : 0;
      }
      ++at;
    }
    return at < text.size() ? at + 1 : std::string::npos;
  }
};

/// What promlint says of a page, and what makes it unreadable.
class Lint {
 public:
  std::vector<std::string> found;

  explicit Lint(const std::string& page) {
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("# HELP ")) {
        complain_if(line.find(' ', 7) + 1 >= line.size(), "no help", line);
      } else if (line.starts_with("# TYPE ")) {
        read_type(line.substr(7, line.find(' ', 7) - 7), line.substr(line.rfind(' ') + 1));
      } else {
        read_sample(line);
      }
    }
    for (const auto& [name, last] : buckets_) {
      complain_if(!std::isinf(last.first), "no +Inf", name);
    }
  }

 private:
  void complain_if(bool is_wrong, const char* what, const std::string& where) {
    if (is_wrong) {
      found.push_back(std::string(what) + ": " + where);
    }
  }
  void read_type(const std::string& name, const std::string& type) {
    static const std::set<std::string> refused = {"s",  "ms", "us", "ns", "sec", "b",
                                                  "kb", "mb", "gb", "m",  "h",   "milliseconds"};
    complain_if(!types_.insert(name).second, "TYPE twice", name);
    complain_if((type == "counter") != name.ends_with("_total"), "counters end in _total", name);
    complain_if(name.ends_with("_count") || name.ends_with("_bucket"), "is a histogram's", name);
    std::istringstream words(name);
    for (std::string word; std::getline(words, word, '_');) {
      complain_if(refused.contains(word), "no base unit", name);
    }
  }
  void read_sample(const std::string& text) {
    const std::optional<Line> line = Line::parse(text);
    if (!line.has_value()) {
      return complain_if(true, "unreadable", text);
    }
    complain_if(!series_.insert(line->name + line->labels).second, "series twice", text);
    if (line->name.ends_with("_bucket")) {
      const std::size_t at = line->labels.find("le=\"");
      const double bound = std::stod(line->labels.substr(at + 4));
      const double count = std::stod(line->value);
      auto& last =
          buckets_.try_emplace(line->name + line->labels.substr(0, at), -1, 0).first->second;
      complain_if(bound <= last.first || count < last.second, "buckets fall", text);
      last = {bound, count};
    }
  }

  std::set<std::string> types_;
  std::set<std::string> series_;
  std::map<std::string, std::pair<double, double>> buckets_;  // series → last bound, its count
};

// Triton's own names break the rules: counters without _total, microseconds, _count.
TEST_F(TritonMetricsTest, ThePageIsCleanButForTritonsOwnNames) {
  post("/v2/models/binary/infer", kRow);
  post("/v2/models/fail/infer", kRow);
  post("/v2/pipelines/test/decide", R"({"inputs": {"left": "0.5"}})");
  const std::string text = page();
  EXPECT_GT(text.size(), 20000U);
  for (const std::string& each : Lint(text).found) {
    EXPECT_THAT(each, HasSubstr("nv_inference_"));
  }
}

TEST(Lint, FindsWhatIsWrong) {
  EXPECT_EQ(Lint("# HELP a_ms x\n# TYPE a_ms gauge\na_ms 1\na_ms 2\n").found.size(), 2U);
  EXPECT_EQ(Lint("# HELP a x\n# TYPE a counter\na 1\n").found.size(), 1U);
  EXPECT_EQ(Lint("a{x=\"1\"2\"} 1\n").found.size(), 1U);
  EXPECT_EQ(Lint("a_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\n").found.size(), 1U);
  EXPECT_EQ(Lint("a_bucket{le=\"1\"} 2\n").found.size(), 1U);
}

}  // namespace
}  // namespace braid
