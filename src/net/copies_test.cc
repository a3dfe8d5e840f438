// How often a tensor's bytes are held between the socket and the model: the promise of the data
// path in docs/ARCHITECTURE.md. The sanitizer's allocator tells of every allocation of the process,
// of all threads and of malloc and new alike; a build without one skips.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <grpcpp/support/byte_buffer.h>
#include <gtest/gtest.h>

#include "net/grpc/grpc_infer.h"
#include "net/http_server.h"
#include "net/service.h"
#include "net/test_client.h"
#include "serve/fake_world.h"

// Of sanitizer/allocator_interface.h, which g++ does not ship.
extern "C" int __sanitizer_install_malloc_and_free_hooks(  // NOLINT(bugprone-reserved-identifier)
    void (*on_malloc)(const void*, std::size_t), void (*on_free)(const void*))
    __attribute__((weak));

namespace braid {
namespace {

constexpr std::size_t kCount = std::size_t{1} << 20;  // of floats: 4 MiB
constexpr std::size_t kSize = kCount * sizeof(float);

struct Tally {
  std::atomic<bool> counting = false;
  std::atomic<std::size_t> bytes = 0;        // of all allocations
  std::atomic<std::size_t> large_count = 0;  // of those that could hold half of the tensor
  std::array<std::atomic<std::size_t>, 64> large = {};
};
Tally tally;

void on_malloc(const void* /*begin*/, std::size_t size) {
  if (!tally.counting) {
    return;
  }
  tally.bytes += size;
  if (size >= kSize / 2) {
    const std::size_t index = tally.large_count++;
    tally.large[index % tally.large.size()] = size;
  }
}
void on_free(const void* /*begin*/) {}

/// Sizes of the large allocations, in order.
std::vector<std::size_t> large_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < tally.large_count; ++i) {
    sizes.push_back(tally.large[i]);
  }
  return sizes;
}

class Count {
 public:
  Count() {
    tally.bytes = tally.large_count = 0;
    tally.counting = true;
  }
  ~Count() { tally.counting = false; }
};

/// Takes any number of floats, gives one: their count.
class Sink final : public Model {
 public:
  Sink() {
    spec_.platform = "sink";
    spec_.inputs = {{"x", DType::kFp32, {-1}}};
    spec_.outputs = {{"count", DType::kFp32, {1}}};
  }
  const ModelSpec& spec() const override { return spec_; }
  Result<RowResults> run(const Batch& batch) const override {
    const auto count = static_cast<float>(batch.inputs.front().tensor.shape().front());
    RowResults results;
    results.outputs.push_back({"count", *Tensor::from(Shape{1}, std::vector<float>{count})});
    return results;
  }

 private:
  ModelSpec spec_;
};

class SinkBackend final : public Backend {
 public:
  std::vector<std::string> file_names() const override { return {"model.sink"}; }
  Result<std::unique_ptr<Model>> open(const ModelSource&) const override {
    return std::unique_ptr<Model>(std::make_unique<Sink>());
  }
};

class CopiesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (__sanitizer_install_malloc_and_free_hooks == nullptr) {
      GTEST_SKIP() << "no sanitizer whose allocator could be asked";
    }
    [[maybe_unused]] static const int installed =
        __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
    world_.backends.add("sink", [](const NoSetup&) -> std::unique_ptr<Backend> {
      return std::make_unique<SinkBackend>();
    });
    world_.write("sink/1/model.sink", "");
    ASSERT_TRUE(world_.store->load("sink").has_value());
    service_ = std::make_unique<Service>(*world_.engine, *world_.dispatcher, *world_.store,
                                         world_.metrics, clock_);
    server_ = *HttpServer::start({}, *service_, clock_, world_.metrics);
  }
  void TearDown() override {
    server_.reset();
    world_.engine->drain();
    world_.dispatcher->drain();
  }

  /// Asks twice and counts the second time, when everything that is made once is there.
  std::string ask(const std::string& request) {
    TestClient client(server_->port());
    client.send(request);
    client.receive();
    TestClient other(server_->port());
    const Count count;
    other.send(request);
    return other.receive().body;
  }

  SystemClock clock_;
  FakeWorld world_{clock_};
  std::unique_ptr<Service> service_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(CopiesTest, BinaryHttpHoldsTheBodyAndTheTensor) {
  const std::string head = fmt::format(R"({{"inputs":[{{"name":"x","datatype":"FP32","shape":[{}],)"
                                       R"("parameters":{{"binary_data_size":{}}}}}]}})",
                                       kCount, kSize);
  const std::string request =
      http_request("POST", "/v2/models/sink/infer", head + std::string(kSize, '\0'),
                   fmt::format("Inference-Header-Content-Length: {}\r\n", head.size()));
  EXPECT_THAT(ask(request), testing::HasSubstr("1048576"));
  EXPECT_EQ(large_sizes().size(), 2U) << "body and tensor";
  EXPECT_LT(tally.bytes, 2 * kSize + (256U << 10));
}

TEST_F(CopiesTest, JsonNumbersGoIntoTheTensor) {
  std::string body = fmt::format(
      R"({{"inputs":[{{"name":"x","datatype":"FP32","shape":[{}],"data":[0.25)", kCount);
  for (std::size_t i = 1; i < kCount; ++i) {
    body += ",0.25";
  }
  body += "]}]}";
  EXPECT_THAT(ask(http_request("POST", "/v2/models/sink/infer", body)),
              testing::HasSubstr("1048576"));
  // Twice, one after the other, simdjson takes an index and room for strings; neither ever holds a
  // number. It finds the tensor's place first, then its elements.
  const std::vector<std::size_t> sizes = large_sizes();
  EXPECT_THAT(sizes, testing::SizeIs(2 + 4)) << testing::PrintToString(sizes);
  EXPECT_EQ(std::ranges::count(sizes, kSize), 1) << "the tensor";
  EXPECT_EQ(std::ranges::count_if(sizes, [&](std::size_t size) { return size > body.size(); }), 5);
}

// gRPC hands over slices, which are what it read from the socket.
TEST_F(CopiesTest, RawGrpcGoesFromSlicesIntoTheTensor) {
  inference::ModelInferRequest message;
  auto& input = *message.add_inputs();
  input.set_name("x");
  input.set_datatype("FP32");
  input.add_shape(kCount);
  message.add_raw_input_contents(std::string(kSize, '\1'));
  const std::string whole = message.SerializeAsString();
  std::vector<grpc::Slice> slices;
  for (std::size_t at = 0; at < whole.size(); at += 16'384) {
    slices.emplace_back(whole.substr(at, 16'384));
  }
  const grpc::ByteBuffer bytes(slices.data(), slices.size());
  {
    const Count count;
    const Result<GrpcWire> wire = GrpcWire::read(bytes);
    ASSERT_TRUE(wire.has_value());
    const Result<InferRequest> request = read_infer(*wire);
    ASSERT_TRUE(request.has_value()) << request.error().describe();
    EXPECT_EQ(request->inputs.front().tensor.view().bytes.back(), std::byte{1});
  }
  EXPECT_EQ(large_sizes().size(), 1U) << "the tensor";
  EXPECT_LT(tally.bytes, kSize + (256U << 10));
}

}  // namespace
}  // namespace braid
