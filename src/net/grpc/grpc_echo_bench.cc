// A bare asynchronous grpc++ server, what the figures of gRPC are held against: it answers each
// ModelInfer with the same ready bytes, its request unread, from one completion queue and one
// thread. In a process of its own, so that `braid bench` can ask it and know its CPU.
//
//   grpc_echo_bench WIDTH ANSWER_WIDTH [PORT]     prints its port; ends with its standard input
//
// It says of any model that it takes x FP32 [-1, WIDTH] and answers y FP32 [1, ANSWER_WIDTH].

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <grpc/support/time.h>
#include <grpcpp/grpcpp.h>

#include "net/grpc/grpc_wire.h"
#include "net/inference.grpc.pb.h"

namespace braid {
namespace {

using Service = inference::GRPCInferenceService::WithRawMethod_ModelInfer<
    inference::GRPCInferenceService::AsyncService>;

constexpr int kWaits = 16;

class Tag {
 public:
  virtual ~Tag() = default;
  virtual void proceed(bool ok) = 0;
};

/// One call, as grpc++'s own example has it: wait, answer, begin anew.
template <typename Message, typename Reply>
class Echo final : public Tag {
 public:
  using Responder = grpc::ServerAsyncResponseWriter<Reply>;
  using Wait = void (*)(Service&, grpc::ServerContext*, Message*, Responder*,
                        grpc::ServerCompletionQueue*, void*);

  Echo(Service& service, grpc::ServerCompletionQueue& queue, const Reply& reply, Wait wait)
      : service_(service), queue_(queue), reply_(reply), wait_(wait), responder_(&context_) {}

  static void next(Service& service, grpc::ServerCompletionQueue& queue, const Reply& reply,
                   Wait wait) {
    const auto call = std::make_shared<Echo>(service, queue, reply, wait);
    call->keep_ = call;
    wait(service, &call->context_, &call->message_, &call->responder_, &queue, call.get());
  }
  void proceed(bool ok) override {
    if (ok && !answered_) {
      answered_ = true;
      next(service_, queue_, reply_, wait_);
      responder_.Finish(reply_, grpc::Status::OK, this);
      return;
    }
    keep_.reset();
  }

 private:
  Service& service_;
  grpc::ServerCompletionQueue& queue_;
  const Reply& reply_;
  const Wait wait_;
  grpc::ServerContext context_;
  Message message_;
  Responder responder_;
  bool answered_ = false;
  std::shared_ptr<Echo> keep_;  // until its last event
};

grpc::ByteBuffer answer_of(int width) {
  inference::ModelInferResponse answer;
  answer.set_model_name("echo");
  answer.set_model_version("1");
  auto& output = *answer.add_outputs();
  output.set_name("OUTPUT0");
  output.set_datatype("FP32");
  output.add_shape(1);
  output.add_shape(width);
  answer.add_raw_output_contents(std::string(static_cast<std::size_t>(width) * 4, '\0'));
  return to_wire(answer);
}

inference::ModelMetadataResponse metadata_of(int width, int answer_width) {
  inference::ModelMetadataResponse metadata;
  metadata.set_name("echo");
  metadata.set_platform("echo");
  auto& input = *metadata.add_inputs();
  input.set_name("INPUT0");
  input.set_datatype("FP32");
  input.add_shape(-1);
  input.add_shape(width);
  auto& output = *metadata.add_outputs();
  output.set_name("OUTPUT0");
  output.set_datatype("FP32");
  output.add_shape(-1);
  output.add_shape(answer_width);
  return metadata;
}

int run(int width, int answer_width, int port) {
  Service service;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(fmt::format("127.0.0.1:{}", port), grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    std::fprintf(stderr, "the port is taken\n");
    return 1;
  }
  const grpc::ByteBuffer answer = answer_of(answer_width);
  const inference::ModelMetadataResponse metadata = metadata_of(width, answer_width);
  using Infer = Echo<grpc::ByteBuffer, grpc::ByteBuffer>;
  using Metadata = Echo<inference::ModelMetadataRequest, inference::ModelMetadataResponse>;
  for (int i = 0; i < kWaits; ++i) {
    Infer::next(service, *queue, answer,
                [](Service& of, auto* context, auto* message, auto* responder, auto* to,
                   void* tag) { of.RequestModelInfer(context, message, responder, to, to, tag); });
  }
  Metadata::next(
      service, *queue, metadata,
      [](Service& of, auto* context, auto* message, auto* responder, auto* to, void* tag) {
        of.RequestModelMetadata(context, message, responder, to, to, tag);
      });
  std::thread poller([&] {
    void* tag = nullptr;
    bool ok = false;
    while (queue->Next(&tag, &ok)) {
      static_cast<Tag*>(tag)->proceed(ok);
    }
  });
  fmt::print("{}\n", port);
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  server->Shutdown(gpr_inf_past(GPR_CLOCK_MONOTONIC));
  queue->Shutdown();
  poller.join();
  return 0;
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: grpc_echo_bench WIDTH ANSWER_WIDTH [PORT]\n");
    return 2;
  }
  return braid::run(std::atoi(argv[1]), std::atoi(argv[2]), argc > 3 ? std::atoi(argv[3]) : 0);
}
