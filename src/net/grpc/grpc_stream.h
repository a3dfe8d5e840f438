#pragma once
// GrpcStream: ModelStreamInfer, requests and answers on one stream: an answer a request, in the
// order in which they are ready, an error as error_message on a stream that goes on. Threads:
// events on the poller, answers from any.   Life: as GrpcCall.

#include <deque>
#include <memory>

#include "base/clock.h"
#include "base/mutex.h"
#include "net/byte_credits.h"
#include "net/grpc/grpc_call.h"
#include "net/grpc/grpc_wire.h"
#include "net/inference.grpc.pb.h"
#include "net/protocol.h"

namespace braid {

/// What carries tensors comes and goes in gRPC's own slices.
using GrpcInferService = inference::GRPCInferenceService::WithRawMethod_ModelInfer<
    inference::GRPCInferenceService::WithRawMethod_ModelStreamInfer<
        inference::GRPCInferenceService::AsyncService>>;

class GrpcStream final : public std::enable_shared_from_this<GrpcStream> {
 public:
  using Service = GrpcInferService;

  /// Waits for the next stream; those that come wait for the one after.
  static void next(Service& service, grpc::ServerCompletionQueue& queue, Protocol& protocol,
                   ByteCredits* credits, GrpcLive& live);

  GrpcStream(Service& service, grpc::ServerCompletionQueue& queue, Protocol& protocol,
             ByteCredits* credits, GrpcLive& live);

 private:
  using Answer = grpc::ByteBuffer;  // a ModelStreamInferResponse

  void start();
  void on_arrived(bool ok);
  void on_read(bool ok);
  void on_written(bool ok);
  void on_done();
  void release();
  void infer();
  void answer(Answer given);
  /// Starts what may start: a read, a write, the end. One of each at a time.
  void go_on() REQUIRES(mutex_);

  Service& service_;
  grpc::ServerCompletionQueue& queue_;
  Protocol& protocol_;
  ByteCredits* const credits_;  // null: no limit
  GrpcLive& live_;
  grpc::ServerContext context_;
  grpc::ServerAsyncReaderWriter<Answer, grpc::ByteBuffer> stream_{&context_};
  CancelFlag cancel_;
  grpc::ByteBuffer bytes_;  // of the request that is being read
  GrpcEvent arrived_;
  GrpcEvent read_;
  GrpcEvent written_;
  GrpcEvent done_;
  GrpcEvent finished_;
  int events_left_ = 2;  // done_ and finished_; the poller's

  Mutex mutex_;
  std::deque<Answer> answers_ GUARDED_BY(mutex_);  // the first is being written, if writing_
  std::size_t running_ GUARDED_BY(mutex_) = 0;
  bool reading_ GUARDED_BY(mutex_) = false;
  bool writing_ GUARDED_BY(mutex_) = false;
  bool read_all_ GUARDED_BY(mutex_) = false;
  bool finishing_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<GrpcStream> keep_;
};

}  // namespace braid
