#include "net/case_run.h"

#include <utility>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::size_t kAtOnce = 32;  // a full batch of the models below

}  // namespace

CaseRun::CaseRun(std::vector<Request> cases, std::function<void(Request)> submit, Done done)
    : submit_(std::move(submit)),
      cases_(std::move(cases)),
      done_(std::move(done)),
      decisions_(cases_.size()) {}

void CaseRun::start(std::vector<Request> cases, std::function<void(Request)> submit, Done done) {
  std::make_shared<CaseRun>(std::move(cases), std::move(submit), std::move(done))->advance();
}

std::optional<std::size_t> CaseRun::next_case() {
  const Lock lock(mutex_);
  if (error_.has_value() || next_ == cases_.size() || running_ == kAtOnce) {
    advancing_ = false;
    return std::nullopt;
  }
  ++running_;
  return next_++;
}

// One thread at a time begins cases: replies may come before submit_ returns, and each would begin
// the next from within the last, ever deeper.
void CaseRun::advance() {
  {
    const Lock lock(mutex_);
    if (std::exchange(advancing_, true)) {
      return;
    }
  }
  while (const auto index = next_case()) {
    Request request = std::move(cases_[*index]);
    request.reply = Reply([self = shared_from_this(), index = *index](Result<Decision> answer) {
      self->take(index, std::move(answer));
    });
    submit_(std::move(request));
  }
}

void CaseRun::take(std::size_t index, Result<Decision> answer) {
  std::optional<Result<std::vector<Decision>>> all;
  {
    const Lock lock(mutex_);
    --running_;
    if (answer.has_value()) {
      decisions_[index] = *std::move(answer);
    } else if (!error_.has_value()) {
      Error error = std::move(answer).error();
      error_ = cases_.size() == 1 ? std::move(error)
                                  : std::move(error).within(fmt::format("case {}", index));
    }
    const bool over = running_ == 0 && (error_.has_value() || next_ == cases_.size());
    if (over && error_.has_value()) {
      all.emplace(*error_);
    } else if (over) {
      all.emplace(std::move(decisions_));
    }
  }
  if (all.has_value()) {
    return done_(*std::move(all));
  }
  advance();
}

}  // namespace braid
