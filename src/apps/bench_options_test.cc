#include "apps/bench_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(BenchOptions, GrpcSendsInferencesOnly) {
  BenchOptions options;
  options.a.url = "grpc://127.0.0.1:8001";
  options.a.model = "mlp";
  EXPECT_TRUE(check(options).has_value());
  options.json_tensors = true;
  EXPECT_THAT(check(options).error().message, testing::HasSubstr("are of HTTP"));
  options.json_tensors = false;
  options.bodies = {"case.json"};
  EXPECT_FALSE(check(options).has_value());
  options.a.url = "http://127.0.0.1:8000";
  EXPECT_TRUE(check(options).has_value());
  options.b.url = "grpc://127.0.0.1:8001";
  EXPECT_FALSE(check(options).has_value()) << "one side is enough";
}

}  // namespace
}  // namespace braid
