#include "net/router.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

struct Case {
  const char* method;
  const char* target;
  Endpoint endpoint;
  const char* name = "";
  std::optional<std::int64_t> version = std::nullopt;
};

const Case kFound[] = {
    {"GET", "/v2", Endpoint::kServer},
    {"GET", "/v2/", Endpoint::kServer},
    {"HEAD", "/v2/health/live", Endpoint::kLive},
    {"GET", "/v2/health/ready?x=1&y=%20", Endpoint::kReady},
    {"GET", "http://host:8000/v2/health/ready", Endpoint::kReady},
    {"GET", "/v2/models/m", Endpoint::kModel, "m"},
    {"GET", "/v2/models/m%5Fa", Endpoint::kModel, "m_a"},
    {"GET", "/v2/models/a%2fb/ready", Endpoint::kModelReady, "a/b"},
    {"POST", "/v2/models/m/infer", Endpoint::kInfer, "m"},
    {"POST", "/v2/models/m/versions/12/infer", Endpoint::kInfer, "m", 12},
    {"GET", "/v2/models/versions/versions/1", Endpoint::kModel, "versions", 1},
    {"GET", "/v2/pipelines/p", Endpoint::kPipeline, "p"},
    {"POST", "/v2/pipelines/p/decide", Endpoint::kDecide, "p"},
};

TEST(Router, FindsEachEndpoint) {
  for (const Case& each : kFound) {
    SCOPED_TRACE(each.target);
    const auto found = find_route(each.method, each.target);
    ASSERT_TRUE(std::holds_alternative<Route>(found));
    EXPECT_EQ(std::get<Route>(found).endpoint, each.endpoint);
    EXPECT_EQ(std::get<Route>(found).name, each.name);
    EXPECT_EQ(std::get<Route>(found).version, each.version);
  }
}

struct Refusal {
  const char* method;
  const char* target;
  int status;
  const char* says;
};

const Refusal kRefused[] = {
    {"GET", "/", 404, "no such path"},
    {"GET", "/v3", 404, "no such path"},
    {"GET", "/v2//health/live", 404, "no such path"},
    {"GET", "/v2/models/m/", 404, "no such path"},
    {"GET", "*", 400, "no path"},
    {"POST", "/v2", 405, "it takes GET, HEAD"},
    {"GET", "/v2/models/m/infer", 405, "it takes POST"},
    {"FOO", "/v2/models/m/infer", 405, "FOO is not for"},
    {"GET", "/v2/models/%zz", 400, "percent-encoding"},
    {"GET", "/v2/models/m%", 400, "percent-encoding"},
    {"GET", "/v2/models/m%2", 400, "percent-encoding"},
    {"GET", "/v2/models/m/versions/01", 400, "whole number"},
    {"GET", "/v2/models/m/versions/+1", 400, "whole number"},
    {"GET", "/v2/models/m/versions/0", 400, "whole number"},
    {"GET", "/v2/models/m/versions/1x", 400, "whole number"},
    {"GET", "/v2/models/m/versions/99999999999999999999", 400, "whole number"},
    {"POST", "/v2/models/m/generate", 404, "not offered"},
    {"GET", "/v2/systemsharedmemory/status", 404, "not offered"},
    {"POST", "/v2/models/m/stats", 405, "GET, HEAD"},
};

TEST(Router, RefusesInWords) {
  for (const Refusal& each : kRefused) {
    SCOPED_TRACE(each.target);
    const auto found = find_route(each.method, each.target);
    ASSERT_TRUE(std::holds_alternative<NoRoute>(found));
    EXPECT_EQ(std::get<NoRoute>(found).status, each.status);
    EXPECT_NE(std::get<NoRoute>(found).message.find(each.says), std::string::npos)
        << std::get<NoRoute>(found).message;
  }
}

}  // namespace
}  // namespace braid
