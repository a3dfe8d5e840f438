#include "net/grpc/grpc_health.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "net/inference.grpc.pb.h"

namespace braid {

/// Owns itself while the queue knows of it, as GrpcCall.
class GrpcHealth::Watch final : public std::enable_shared_from_this<Watch> {
 public:
  Watch(GrpcHealth& health, grpc::ServerCompletionQueue& queue)
      : health_(health),
        queue_(queue),
        arrived_([this](bool ok) { on_arrived(ok); }),
        written_([this](bool) { on_written(); }),
        done_([this](bool) { on_done(); }),
        finished_([this](bool) { release(); }) {}

  void start() {
    keep_ = shared_from_this();
    context_.AsyncNotifyWhenDone(&done_);
    health_.service_.RequestWatch(&context_, &request_, &writer_, &queue_, &queue_, &arrived_);
  }
  void end() {
    const Lock lock(mutex_);
    ending_ = true;
    go_on();
  }

 private:
  void on_arrived(bool ok) {
    if (!ok) {
      keep_.reset();
      return;
    }
    health_.live_.fetch_add(1);
    health_.watch(queue_);
    {
      const Lock lock(mutex_);
      writing_ = true;
      writer_.Write(health_.status_of(request_), &written_);
    }
    health_.add(shared_from_this());
  }
  void on_written() {
    const Lock lock(mutex_);
    writing_ = false;
    go_on();
  }
  /// The client has gone, or all is said.
  void on_done() {
    end();
    health_.remove(this);
    release();
  }
  void go_on() REQUIRES(mutex_) {
    if (!ending_ || writing_ || finishing_) {
      return;
    }
    finishing_ = true;
    Response last;
    last.set_status(Response::NOT_SERVING);
    writer_.WriteAndFinish(last, grpc::WriteOptions(), grpc::Status::OK, &finished_);
  }
  void release() {
    if (--events_left_ == 0) {
      health_.live_.fetch_sub(1);
      keep_.reset();
    }
  }

  GrpcHealth& health_;
  grpc::ServerCompletionQueue& queue_;
  grpc::ServerContext context_;
  Request request_;
  grpc::ServerAsyncWriter<Response> writer_{&context_};
  GrpcEvent arrived_;
  GrpcEvent written_;
  GrpcEvent done_;
  GrpcEvent finished_;
  int events_left_ = 2;  // done_ and finished_; the poller's

  Mutex mutex_;
  bool writing_ GUARDED_BY(mutex_) = false;
  bool ending_ GUARDED_BY(mutex_) = false;
  bool finishing_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<Watch> keep_;
};

GrpcHealth::Response GrpcHealth::status_of(const Request& request) const {
  Response response;
  const bool is_known = request.service().empty() ||
                        request.service() == inference::GRPCInferenceService::service_full_name();
  if (!is_known) {
    response.set_status(Response::SERVICE_UNKNOWN);
  } else {
    response.set_status(protocol_.ready() ? Response::SERVING : Response::NOT_SERVING);
  }
  return response;
}

void GrpcHealth::start(grpc::ServerCompletionQueue& queue) {
  using Check = GrpcCall<Request, Response>;
  Check::next(
      [this, &queue](grpc::ServerContext* context, Request* request, Check::Responder* responder,
                     GrpcTag* tag) {
        service_.RequestCheck(context, request, responder, &queue, &queue, tag);
      },
      [this](const Check::Self& call) {
        const Response response = status_of(call->message());
        if (response.status() != Response::SERVICE_UNKNOWN) {
          return call->finish(response);
        }
        call->finish(Error{Code::kNotFound, fmt::format("no service '{}'",
                                                        call->message().service().substr(0, 100))});
      },
      live_);
  watch(queue);
}

void GrpcHealth::watch(grpc::ServerCompletionQueue& queue) {
  std::make_shared<Watch>(*this, queue)->start();
}

void GrpcHealth::add(const std::shared_ptr<Watch>& watch) {
  {
    const Lock lock(mutex_);
    if (!stopped_) {
      watches_.push_back(watch);
      return;
    }
  }
  watch->end();
}

void GrpcHealth::remove(const Watch* watch) {
  const Lock lock(mutex_);
  std::erase_if(watches_, [&](const auto& each) { return each.get() == watch; });
}

void GrpcHealth::stop() {
  std::vector<std::shared_ptr<Watch>> all;
  {
    const Lock lock(mutex_);
    stopped_ = true;
    all = std::exchange(watches_, {});
  }
  for (const auto& each : all) {
    each->end();
  }
}

}  // namespace braid
