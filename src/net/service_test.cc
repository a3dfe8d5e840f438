#include "net/service.h"

#include <algorithm>

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_server.h"
#include "net/test_client.h"
#include "serve/fake_world.h"

namespace braid {
namespace {

using namespace std::string_literals;
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

/// A whole server over the fakes: models "binary" (probabilities [x, 1 - x], embedding [x]),
/// "fail", "hang", and pipeline "test", whose two inputs are numbers that it averages.
class ServiceTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"binary", "fail", "hang"}) {
      world_.add_model(name, name);
    }
    const Result<void> published = world_.publish(kPipeline);
    ASSERT_TRUE(published.has_value()) << published.error().describe();
    service_ = std::make_unique<Service>(
        *world_.engine, *world_.dispatcher, *world_.store, world_.metrics, clock_,
        Service::Options{.inflated_bytes_max = 1 << 20, .protocol = {.version = "9"}});
    auto started = HttpServer::start({}, *service_, clock_, world_.metrics);
    ASSERT_TRUE(started.has_value()) << started.error().describe();
    server_ = *std::move(started);
    client_ = std::make_unique<TestClient>(server_->port());
  }

  void TearDown() override {
    world_.release();
    server_.reset();
    world_.engine->drain();
    world_.dispatcher->drain();
  }

  Json get(const std::string& target) {
    const auto answer = client_->ask("GET", target);
    EXPECT_EQ(answer.status, 200) << target << ": " << answer.body;
    const Result<Json> json = Json::parse(answer.body);
    EXPECT_TRUE(json.has_value()) << answer.body;
    return json.has_value() ? *json : Json();
  }

  /// The connection must have survived whatever came before.
  void expect_usable() { EXPECT_EQ(client_->ask("GET", "/v2/health/live").status, 200); }

  SystemClock clock_;
  FakeWorld world_{clock_};
  std::unique_ptr<Service> service_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<TestClient> client_;

  /// Sends each case, and after it a request that shows that the connection still works.
  template <typename Cases>
  void expect_each(const Cases& cases) {
    for (const auto& each : cases) {
      SCOPED_TRACE(fmt::format("{} {} {}", each.method, each.target, each.says));
      const auto answer = client_->ask(each.method, each.target, each.body, each.headers);
      EXPECT_EQ(answer.status, each.status) << answer.body;
      EXPECT_EQ(answer.headers.at("content-type"), "application/json");
      const Result<Json> json = Json::parse(answer.body);
      ASSERT_TRUE(json.has_value()) << answer.body;
      ASSERT_NE(json->find("error"), nullptr);
      EXPECT_THAT(*json->find("error")->text(), HasSubstr(each.says));
      expect_usable();
    }
  }
};

std::string quotes(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return text;
}

/// One input 'x' of model "binary".
std::string infer(std::string_view shape, std::string_view data, std::string_view more = {}) {
  return quotes(fmt::format(
      "{{'inputs':[{{'name':'x','datatype':'FP32','shape':{},'data':{}}}]{}}}", shape, data, more));
}

TEST_F(ServiceTest, DescribesServerModelsAndPipelines) {
  EXPECT_EQ(get("/v2").dump(),
            quotes("{'name':'braid','version':'9','extensions':['binary_tensor_data',"
                   "'classification','logging','model_configuration','model_repository','sequence',"
                   "'statistics','trace']}"));
  EXPECT_EQ(get("/v2/models/binary").dump(),
            quotes("{'name':'binary','versions':['1'],'platform':'fake',"
                   "'inputs':[{'name':'x','datatype':'FP32','shape':[-1,1]}],"
                   "'outputs':[{'name':'probabilities','datatype':'FP32','shape':[-1,2]},"
                   "{'name':'embedding','datatype':'FP32','shape':[-1,1]}]}"));
  EXPECT_EQ(get("/v2/models/binary/versions/1").dump(), get("/v2/models/binary").dump());
  EXPECT_EQ(get("/v2/models/binary/ready").dump(), quotes("{'name':'binary','ready':true}"));
  EXPECT_EQ(get("/v2/models/test/ready").dump(), quotes("{'name':'test','ready':true}"));
  const Json pipeline = get("/v2/models/test/versions/1");
  EXPECT_EQ(*pipeline.find("platform")->text(), "braid_pipeline");
  EXPECT_THAT(pipeline.find("inputs")->dump(),
              HasSubstr(quotes("{'name':'left','datatype':'BYTES','shape':[-1]")));
  EXPECT_THAT(pipeline.find("outputs")->dump(),
              HasSubstr(quotes("{'name':'probabilities','datatype':'FP32','shape':[-1,2]}")));
  EXPECT_EQ(*get("/v2/pipelines/test").find("name")->text(), "test");
}

TEST_F(ServiceTest, SaysWhetherItIsReady) {
  EXPECT_EQ(get("/v2/health/ready").dump(), quotes("{'live':true,'ready':true}"));
  service_->protocol().set_ready(false);
  EXPECT_EQ(client_->ask("GET", "/v2/health/ready").status, 503);
  EXPECT_EQ(client_->ask("GET", "/v2/health/live").status, 200);
}

TEST_F(ServiceTest, InfersWithJson) {
  const auto answer =
      client_->ask("POST", "/v2/models/binary/infer", infer("[2,1]", "[0.25,[1]]"), "");
  EXPECT_EQ(answer.status, 400);  // lists and values mixed
  const auto good = client_->ask("POST", "/v2/models/binary/versions/1/infer",
                                 infer("[2,1]", "[[0.25],[1]]", ",'id':'7'"));
  EXPECT_EQ(good.status, 200);
  EXPECT_EQ(
      good.body,
      quotes("{'model_name':'binary','model_version':'1','id':'7','outputs':["
             "{'name':'probabilities','datatype':'FP32','shape':[2,2],'data':[0.25,0.75,1,0]},"
             "{'name':'embedding','datatype':'FP32','shape':[2,1],'data':[0.25,1]}]}"));
}

// 0.5 and 0.25 in IEEE 754, little-endian.
const std::string kHalf = "\x00\x00\x00\x3f"s;
const std::string kQuarter = "\x00\x00\x80\x3e"s;

TEST_F(ServiceTest, InfersWithBinaryTensors) {
  const std::string json = quotes(
      "{'inputs':[{'name':'x','datatype':'FP32','shape':[2,1],'parameters':{'binary_data_size':8}}]"
      ","
      "'outputs':[{'name':'embedding','parameters':{'binary_data':true}}]}");
  const auto answer =
      client_->ask("POST", "/v2/models/binary/infer", json + kHalf + kQuarter,
                   fmt::format("Inference-Header-Content-Length: {}\r\n", json.size()));
  ASSERT_EQ(answer.status, 200) << answer.body;
  const std::string head = quotes(
      "{'model_name':'binary','model_version':'1','outputs':[{'name':'embedding',"
      "'datatype':'FP32','shape':[2,1],'parameters':{'binary_data_size':8}}]}");
  EXPECT_EQ(answer.body, head + kHalf + kQuarter);
  EXPECT_EQ(answer.headers.at("inference-header-content-length"), std::to_string(head.size()));
}

TEST_F(ServiceTest, TakesARawBinaryRequest) {
  const auto answer = client_->ask("POST", "/v2/models/binary/infer", kHalf,
                                   "Inference-Header-Content-Length: 0\r\n");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_TRUE(answer.body.ends_with(kHalf + kHalf + kHalf));  // 0.5, 1 - 0.5; embedding 0.5
}

TEST_F(ServiceTest, LargeBatchesAreSplitAndJoined) {
  std::string values = "0.5";
  for (int i = 1; i < 100; ++i) {  // three runs of the model's 32 rows, and one of 4
    values += ",0.5";
  }
  const auto answer =
      client_->ask("POST", "/v2/models/binary/infer",
                   infer("[100,1]", "[" + values + "]", ",'outputs':[{'name':'embedding'}]"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr("\"shape\":[100,1],\"data\":[" + values + "]"));
}

// By hand: the means of (0.9, 0.7), (0.1) and (0.2, 0.2); yes wins only the first.
TEST_F(ServiceTest, APipelineIsAModel) {
  const auto answer = client_->ask(
      "POST", "/v2/models/test/infer",
      quotes("{'inputs':[{'name':'right','datatype':'BYTES','shape':[2,1],'data':['0.7','0.2']},"
             "{'name':'left','datatype':'BYTES','shape':[2],'data':['0.9','0.2']}],"
             "'outputs':[{'name':'label'},{'name':'probabilities'},{'name':'degraded'}]}"));
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json json = *Json::parse(answer.body);
  const Json::List& outputs = *json.find("outputs")->list();
  ASSERT_EQ(outputs.size(), 3U);
  EXPECT_EQ(outputs[0].dump(),
            quotes("{'name':'label','datatype':'BYTES','shape':[2],'data':['yes','no']}"));
  EXPECT_EQ(outputs[1].find("shape")->dump(), "[2,2]");
  EXPECT_NEAR((*outputs[1].find("data")->list())[0].number(), 0.8, 1e-6);
  EXPECT_NEAR((*outputs[1].find("data")->list())[2].number(), 0.2, 1e-6);
  EXPECT_EQ(outputs[2].find("data")->dump(), "[\"[]\",\"[]\"]");
}

TEST_F(ServiceTest, AnInputLeftOutIsAbsentInEveryCase) {
  const auto answer = client_->ask(
      "POST", "/v2/models/test/infer",
      quotes("{'inputs':[{'name':'left','datatype':'BYTES','shape':[40],'data':["s) +
          [] {
            std::string list = "\"0.9\"";
            for (int i = 1; i < 40; ++i) {  // more cases than run at once
              list += ",\"0.9\"";
            }
            return list;
          }() +
          quotes("]}],'outputs':[{'name':'degraded'}]}"));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr("right"));
}

TEST_F(ServiceTest, DecidesAForm) {
  const auto answer = client_->ask(
      "POST", "/v2/pipelines/test/decide",
      "--B\r\nContent-Disposition: form-data; name=\"left\"; filename=\"l.txt\"\r\n\r\n0.9\r\n"
      "--B\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n7\r\n--B--\r\n",
      "Content-Type: multipart/form-data; boundary=B\r\n");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json decision = *Json::parse(answer.body);
  EXPECT_EQ(*decision.find("label")->text(), "yes");
  EXPECT_EQ(*decision.find("id")->text(), "7");
  EXPECT_THAT(decision.find("degraded")->dump(), HasSubstr("right"));
}

TEST_F(ServiceTest, DecidesJson) {
  const auto answer =
      client_->ask("POST", "/v2/pipelines/test/decide",
                   quotes("{'inputs':{'left':0.1,'right':{'base64':'MC4z'}},'explain':false}"));
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json decision = *Json::parse(answer.body);
  EXPECT_EQ(*decision.find("label")->text(), "no");
  EXPECT_NEAR(decision.find("probabilities")->find("yes")->number(), 0.2, 1e-6);
}

struct Case {
  const char* method;
  const char* target;
  std::string body;
  int status;
  const char* says;
  std::string headers = {};
};

TEST_F(ServiceTest, BadRequestsAreAnsweredInWordsAndTheConnectionLives) {
  const std::string good = infer("[1,1]", "[1]");
  const Case cases[] = {
      {"GET", "/nope", "", 404, "no such path"},
      {"POST", "/v2", "{}", 405, "it takes GET"},
      {"GET", "/v2/models/nope", "", 404, "nope"},
      {"POST", "/v2/models/nope/infer", good, 404, "nope"},
      {"POST", "/v2/models/binary/versions/7/infer", good, 404, "version 7"},
      {"GET", "/v2/models/binary/versions/7/ready", "", 404, "version 7"},
      {"GET", "/v2/models/test/versions/7", "", 404, "has version '1', not 7"},
      {"GET", "/v2/pipelines/nope", "", 404, "no pipeline 'nope'"},
      {"POST", "/v2/pipelines/nope/decide", "{}", 404, "there are: test"},
      {"POST", "/v2/models/binary/infer", "", 400, "empty"},
      {"POST", "/v2/models/binary/infer", "{", 400, "not valid JSON"},
      {"POST", "/v2/models/binary/infer", infer("[1,2]", "[1,2]"), 400, "x FP32 [-1, 1]"},
      {"POST", "/v2/models/binary/infer", infer("[1]", "[1]"), 400, "x FP32 [-1, 1]"},
      {"POST", "/v2/models/binary/infer",
       quotes("{'inputs':[{'name':'y','datatype':'FP32','shape':[1,1],'data':[1]}]}"), 400,
       "no input 'y'; the model takes: x"},
      {"POST", "/v2/models/binary/infer",
       quotes("{'inputs':[{'name':'x','datatype':'INT8','shape':[1,1],'data':[1]}]}"), 400,
       "INT8 [1, 1] came, but x FP32"},
      {"POST", "/v2/models/binary/infer", infer("[1,1]", "[1]", ",'outputs':[{'name':'z'}]"), 400,
       "no output 'z'; there are: probabilities, embedding"},
      {"POST", "/v2/models/fail/infer", good, 500, "it broke"},
      {"POST", "/v2/models/binary/infer", good, 501, "content encoding 'br'",
       "Content-Encoding: br\r\n"},
      {"POST", "/v2/models/binary/infer", good, 400, "compressed body is corrupt",
       "Content-Encoding: gzip\r\n"},
      {"POST", "/v2/models/binary/infer", good, 400, "one whole number, not '12abc'",
       "Inference-Header-Content-Length: 12abc\r\n"},
      {"POST", "/v2/models/binary/infer", good, 400, "one whole number",
       "Inference-Header-Content-Length: \r\n"},
      {"POST", "/v2/models/binary/infer", good, 400, "one whole number",
       "Inference-Header-Content-Length: 5\r\nInference-Header-Content-Length: 6\r\n"},
      {"POST", "/v2/models/binary/infer", good, 400, "the body only",
       "Inference-Header-Content-Length: 18446744073709551615\r\n"},
      {"POST", "/v2/models/binary/infer", "12345", 400, "is 4 bytes, but 5 came",
       "Inference-Header-Content-Length: 0\r\n"},
      {"POST", "/v2/models/test/infer", "12345", 400, "a pipeline takes no raw",
       "Inference-Header-Content-Length: 0\r\n"},
  };
  expect_each(cases);
}

TEST_F(ServiceTest, BadRequestsToAPipelineAreAnsweredInWords) {
  const std::string good = infer("[1,1]", "[1]");
  const std::string left =
      "{'inputs':[{'name':'left','datatype':'BYTES','shape':[1],'data':['x']}]}";
  const Case cases[] = {
      {"POST", "/v2/models/test/infer", good, 400, "no input 'x'; the pipeline takes: left, right"},
      {"POST", "/v2/models/test/infer",
       quotes("{'inputs':[{'name':'left','datatype':'FP32','shape':[1],'data':[1]}]}"), 400,
       "BYTES [n] or [n, 1] is wanted"},
      {"POST", "/v2/models/test/infer",
       quotes("{'inputs':[{'name':'left','datatype':'BYTES','shape':[1],'data':['1']},"
              "{'name':'right','datatype':'BYTES','shape':[2],'data':['1','1']}]}"),
       400, "'right' has 2 cases, the first input 1"},
      {"POST", "/v2/pipelines/test/decide", "{}", 400,
       "no inputs; the pipeline takes: left, right"},
      {"POST", "/v2/pipelines/test/decide", quotes("{'inputs':{'lefft':'1'}}"), 400,
       "did you mean 'left'?"},
      {"POST", "/v2/pipelines/test/decide", "x", 400, "names no boundary",
       "Content-Type: multipart/form-data\r\n"},
      {"POST", "/v2/pipelines/test/decide", "x", 400, "neither multipart",
       "Content-Type: text/plain\r\n"},
      {"POST", "/v2/pipelines/test/decide", quotes("{'inputs':{'left':'x'}}"), 400, "not a number"},
      {"POST", "/v2/models/test/infer", quotes(left), 400, "not a number"},
  };
  expect_each(cases);
}

TEST_F(ServiceTest, AnExpiredRequestIsAGatewayTimeout) {
  const auto answer = client_->ask("POST", "/v2/models/hang/infer",
                                   infer("[1,1]", "[1]", ",'parameters':{'timeout':1}"));
  EXPECT_EQ(answer.status, 504) << answer.body;
  expect_usable();
}

TEST_F(ServiceTest, CountsRequests) {
  client_->ask("POST", "/v2/models/binary/infer", infer("[1,1]", "[1]"));
  client_->ask("POST", "/v2/models/binary/infer", "{");
  const Labels good = {{"endpoint", "infer"}, {"status", "200"}};
  const Labels bad = {{"endpoint", "infer"}, {"status", "400"}};
  EXPECT_EQ(world_.metrics.counter("braid_http_requests_total", "", good).value(), 1U);
  EXPECT_EQ(world_.metrics.counter("braid_http_requests_total", "", bad).value(), 1U);
  EXPECT_EQ(world_.metrics.gauge("braid_http_requests_in_flight", "").value(), 0);
}

TEST_F(ServiceTest, TellsConfigurationAndStatistics) {
  EXPECT_EQ(client_->ask("POST", "/v2/models/binary/infer", infer("[2,1]", "[0.5,1]")).status, 200);
  const Json config = get("/v2/models/binary/config");
  EXPECT_EQ(*config.find("name")->text(), "binary");
  EXPECT_EQ(config.find("input")->dump(),
            quotes("[{'name':'x','data_type':'TYPE_FP32','dims':[1]}]"));
  const Json stats = get("/v2/models/binary/versions/1/stats");
  const Json& row = stats.find("model_stats")->list()->front();
  EXPECT_EQ(row.find("inference_count")->number(), 2);
  EXPECT_EQ(row.find("execution_count")->number(), 1);
  EXPECT_GT(row.find("last_inference")->number(), 1.6e12);
  EXPECT_EQ(row.find("inference_stats")->find("success")->find("count")->number(), 1);
  EXPECT_GT(row.find("inference_stats")->find("compute_infer")->find("ns")->number(), 0);
  EXPECT_EQ(row.find("batch_stats")->list()->front().find("batch_size")->number(), 2);
  EXPECT_EQ(get("/v2/models/stats").find("model_stats")->list()->size(), 4U);
}

TEST_F(ServiceTest, NamesClasses) {
  const std::string wanted =
      ",'outputs':[{'name':'probabilities','parameters':{'classification':1}}]";
  const auto answer =
      client_->ask("POST", "/v2/models/binary/infer", infer("[1,1]", "[0.25]", wanted));
  EXPECT_THAT(answer.body,
              HasSubstr(quotes("'datatype':'BYTES','shape':[1,1],'data':['0.750000:1']")));
}

TEST_F(ServiceTest, ListsTheRepositoryAndChangesItForNobody) {
  const auto index = client_->ask("POST", "/v2/repository/index", "{\"ready\": true}");
  EXPECT_THAT(index.body, HasSubstr(quotes("{'name':'binary','version':'1','state':'READY'")));
  EXPECT_THAT(index.body, HasSubstr(quotes("{'name':'test'")));
  const auto load = client_->ask("POST", "/v2/repository/models/binary/load");
  EXPECT_EQ(load.status, 400);
  EXPECT_THAT(load.body, HasSubstr("--model-control-mode"));
}

TEST_F(ServiceTest, SettingsOpenNoFile) {
  EXPECT_EQ(get("/v2/logging").find("log_verbose_level")->number(), 0);
  for (const char* target :
       {"/v2/logging", "/v2/trace/setting", "/v2/models/binary/trace/setting"}) {
    for (const char* body : {"{'log_file':'/tmp/x','trace_file':'/tmp/x'}",
                             "{'log_info':1,'trace_rate':5}", "{'nonsense':true}", "[]", "{"}) {
      EXPECT_EQ(client_->ask("POST", target, quotes(body)).status, 400) << target << body;
    }
  }
  EXPECT_EQ(client_->ask("POST", "/v2/logging", "{\"log_info\":false}").status, 200);
  EXPECT_FALSE(*get("/v2/logging").find("log_info")->boolean());
}

// The official aio client accepts gzip, and then reads all but inferences as they come.
TEST_F(ServiceTest, CompressesInferencesForThoseWhoAccept) {
  const std::string body = quotes("{'inputs':[{'name':'x','shape':[32,1],'datatype':'FP32',"s +
                                  fmt::format("'data':{}}}]}}", std::vector<double>(32, 0.5)));
  const auto accept = "Accept-Encoding: br, gzip\r\n";
  const auto infer = "/v2/models/binary/infer";
  const auto packed = client_->ask("POST", infer, body, accept);
  EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
  EXPECT_LT(2 * packed.body.size(), client_->ask("POST", infer, body).body.size());
  const auto about = client_->ask("GET", "/v2/models/stats", "", accept);
  EXPECT_FALSE(about.headers.contains("content-encoding"));
}

}  // namespace
}  // namespace braid
