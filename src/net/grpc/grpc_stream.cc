#include "net/grpc/grpc_stream.h"

#include <utility>

#include "net/grpc/grpc_infer.h"
#include "net/grpc/grpc_note.h"

namespace braid {
namespace {

constexpr std::size_t kAtOnce = 64;  // requests of one stream; further ones wait in the socket

grpc::ByteBuffer answer_of(const std::string& id, const Result<InferReply>& reply) {
  inference::ModelStreamInferResponse answer;
  if (reply.has_value()) {
    write_infer(*reply, *answer.mutable_infer_response());
  } else {
    answer.set_error_message(reply.error().describe());
    answer.mutable_infer_response()->set_id(id);
  }
  return to_wire(answer);
}

}  // namespace

GrpcStream::GrpcStream(Service& service, grpc::ServerCompletionQueue& queue, Protocol& protocol,
                       ByteCredits* credits, GrpcLive& live)
    : service_(service),
      queue_(queue),
      protocol_(protocol),
      credits_(credits),
      live_(live),
      arrived_([this](bool ok) { on_arrived(ok); }),
      read_([this](bool ok) { on_read(ok); }),
      written_([this](bool ok) { on_written(ok); }),
      done_([this](bool) { on_done(); }),
      finished_([this](bool) { release(); }) {}

void GrpcStream::next(Service& service, grpc::ServerCompletionQueue& queue, Protocol& protocol,
                      ByteCredits* credits, GrpcLive& live) {
  std::make_shared<GrpcStream>(service, queue, protocol, credits, live)->start();
}

void GrpcStream::start() {
  keep_ = shared_from_this();
  context_.AsyncNotifyWhenDone(&done_);
  service_.RequestModelStreamInfer(&context_, &stream_, &queue_, &queue_, &arrived_);
}

void GrpcStream::on_arrived(bool ok) {
  if (!ok) {
    keep_.reset();
    return;
  }
  live_.fetch_add(1);
  next(service_, queue_, protocol_, credits_, live_);
  const Lock lock(mutex_);
  go_on();
}

void GrpcStream::go_on() {
  if (!read_all_ && !reading_ && running_ + answers_.size() < kAtOnce) {
    reading_ = true;
    bytes_.Clear();
    stream_.Read(&bytes_, &read_);
  }
  if (!answers_.empty() && !writing_) {
    writing_ = true;
    stream_.Write(answers_.front(), &written_);
  }
  if (read_all_ && running_ == 0 && answers_.empty() && !finishing_) {
    finishing_ = true;
    stream_.Finish(grpc::Status::OK, &finished_);
  }
}

void GrpcStream::on_read(bool ok) {
  {
    const Lock lock(mutex_);
    if (!ok) {
      reading_ = false;
      read_all_ = true;
      return go_on();
    }
    ++running_;
  }
  infer();
  const Lock lock(mutex_);
  reading_ = false;  // not before: an answer would let the next message come over this one
  go_on();
}

void GrpcStream::infer() {
  const std::size_t bytes = bytes_.Length();
  GrpcNote note(protocol_, context_, "ModelStreamInfer", bytes);
  std::string id;
  const auto fail = [&](Error error) {
    note.end(to_status(error).error_code());
    answer(answer_of(id, std::move(error)));
  };
  ByteClaim claim(credits_);
  if (!claim.grow(bytes)) {
    return fail(claim.refusal());
  }
  const Result<GrpcWire> wire = GrpcWire::read(bytes_);
  if (!wire.has_value()) {
    return fail(wire.error());
  }
  const inference::ModelInferRequest& message = wire->message();
  id = message.id();
  note.about(message.model_name(), id);
  const Result<std::optional<std::int64_t>> version = version_from(message.model_version());
  if (!version.has_value()) {
    return fail(version.error());
  }
  Result<Catalogue::Target> target = protocol_.catalogue().find(message.model_name(), *version);
  if (!target.has_value()) {
    return fail(std::move(target).error());
  }
  Result<InferRequest> request = read_infer(*wire);
  if (!request.has_value()) {
    protocol_.meter_of(*target).refuse(request.error().code);
    return fail(std::move(request).error());
  }
  protocol_.infer(
      *std::move(target), *std::move(request), cancel_,
      [self = shared_from_this(), id, claim = std::move(claim),
       note = std::move(note)](Result<InferReply> reply) mutable {
        Answer given = answer_of(id, reply);
        note.end(reply.has_value() ? grpc::StatusCode::OK : to_status(reply.error()).error_code(),
                 given.Length());
        self->answer(std::move(given));
      });
}

void GrpcStream::answer(Answer given) {
  const Lock lock(mutex_);
  --running_;
  answers_.push_back(std::move(given));
  go_on();
}

// A client that has gone takes no more: what is left is dropped.
void GrpcStream::on_written(bool ok) {
  const Lock lock(mutex_);
  writing_ = false;
  answers_.pop_front();
  if (!ok) {
    answers_.clear();
    read_all_ = true;
  }
  go_on();
}

void GrpcStream::on_done() {
  if (context_.IsCancelled()) {
    cancel_.cancel();
  }
  release();
}

void GrpcStream::release() {
  if (--events_left_ == 0) {
    live_.fetch_sub(1);
    keep_.reset();
  }
}

}  // namespace braid
