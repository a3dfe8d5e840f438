#pragma once
// GrpcCall: one remote call on the completion queue, from the wait for it until its status is out.
// A call owns itself while the queue knows of it.
// Threads: arrived() and what follows on the poller; finish() once, from any.

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include <grpcpp/grpcpp.h>

#include "net/grpc/grpc_status.h"
#include "serve/request.h"

namespace braid {

/// What the completion queue hands back.
class GrpcTag {
 public:
  virtual ~GrpcTag() = default;
  virtual void proceed(bool ok) = 0;
};

/// A tag that calls a function.
class GrpcEvent final : public GrpcTag {
 public:
  explicit GrpcEvent(std::function<void(bool)> on_event) : on_event_(std::move(on_event)) {}
  void proceed(bool ok) override { on_event_(ok); }

 private:
  const std::function<void(bool)> on_event_;
};

/// Calls that have arrived and whose last event is not yet seen.
using GrpcLive = std::atomic<std::size_t>;

template <typename Message, typename Reply>
class GrpcCall final : public std::enable_shared_from_this<GrpcCall<Message, Reply>> {
 public:
  using ReplyMessage = Reply;
  using Self = std::shared_ptr<GrpcCall>;
  using Responder = grpc::ServerAsyncResponseWriter<Reply>;
  /// Asks the service for the next call of this kind.
  using Wait = std::function<void(grpc::ServerContext*, Message*, Responder*, GrpcTag*)>;
  using Handle = std::function<void(const Self&)>;

  /// Shared by all calls of it, so that none copies what the functions hold.
  struct Kind {
    Wait wait;
    Handle handle;
    GrpcLive& live;
  };

  explicit GrpcCall(std::shared_ptr<const Kind> kind)
      : kind_(std::move(kind)), responder_(&context_) {}

  static void next(Wait wait, Handle handle, GrpcLive& live) {
    next(std::make_shared<const Kind>(Kind{std::move(wait), std::move(handle), live}));
  }

  Message& message() { return message_; }
  const CancelFlag& cancel() const { return cancel_; }
  grpc::ServerContext& context() { return context_; }

  void finish(const Result<Reply>& reply) {
    if (reply.has_value()) {
      responder_.Finish(*reply, grpc::Status::OK, &finished_);
    } else {
      refuse(to_status(reply.error()));
    }
  }
  void refuse(const grpc::Status& status) { responder_.FinishWithError(status, &finished_); }

 private:
  static void next(std::shared_ptr<const Kind> kind) {
    std::make_shared<GrpcCall>(std::move(kind))->start();
  }
  void start() {
    keep_ = this->shared_from_this();
    context_.AsyncNotifyWhenDone(&done_);
    kind_->wait(&context_, &message_, &responder_, &arrived_);
  }
  void on_arrived(bool ok) {
    if (!ok) {
      keep_.reset();  // the server stops; the other two never come
      return;
    }
    kind_->live.fetch_add(1);
    next(kind_);
    kind_->handle(this->shared_from_this());
  }
  // Comes also when all is well: then nothing is left to cancel.
  void on_done() {
    if (context_.IsCancelled()) {
      cancel_.cancel();
    }
    release();
  }
  void release() {
    if (--events_left_ == 0) {
      kind_->live.fetch_sub(1);
      keep_.reset();
    }
  }

  const std::shared_ptr<const Kind> kind_;
  grpc::ServerContext context_;
  Message message_;
  Responder responder_;
  CancelFlag cancel_;
  GrpcEvent arrived_{[this](bool ok) { on_arrived(ok); }};
  GrpcEvent done_{[this](bool) { on_done(); }};
  GrpcEvent finished_{[this](bool) { release(); }};
  int events_left_ = 2;  // done_ and finished_
  Self keep_;
};

}  // namespace braid
