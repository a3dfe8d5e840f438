#include "net/load/load_lane.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr Duration kSweepPeriod = std::chrono::milliseconds(50);

}  // namespace

LoadLane::LoadLane(LoadClient& client, const Clock& clock, LaneOptions options)
    : client_(client), clock_(clock), options_(options), flights_(options.connection_count) {
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    idle_.push_back(i);
  }
  next_sweep_ = clock_.now() + kSweepPeriod;
}

std::optional<std::size_t> LoadLane::take_idle() {
  if (idle_.empty()) {
    return std::nullopt;
  }
  const std::size_t connection = idle_.front();
  idle_.pop_front();
  return connection;
}

void LoadLane::send(std::size_t connection, TimePoint meant, TimePoint now) {
  flights_[connection] = {.busy = true, .meant = meant, .sent = now};
  ++under_way_;
  client_.send(connection, next_request_);
  next_request_ = next_request_ + 1 == options_.request_count ? 0 : next_request_ + 1;
}

bool LoadLane::counts(TimePoint meant, TimePoint now) const {
  const TimePoint decides = by_arrival_ ? meant : now;
  return decides >= options_.window_begin && decides < options_.window_end;
}

void LoadLane::finish(const LoadAnswer& answer, TimePoint now) {
  Flight& flight = flights_[answer.connection];
  if (!flight.busy) {
    return;
  }
  flight.busy = false;
  --under_way_;
  idle_.push_back(answer.connection);
  lost_in_a_row_ = answer.code == LoadAnswer::kLost ? lost_in_a_row_ + 1 : 0;
  if (!counts(flight.meant, now)) {
    return;
  }
  tally_.lag.add(flight.sent - flight.meant);
  if (!answer.good) {
    return add_failure(answer.code, answer.text);
  }
  ++tally_.good;
  tally_.latency.add(now - flight.meant);
  tally_.in_deadline += now - flight.meant <= options_.deadline ? 1U : 0U;
}

void LoadLane::add_failure(int code, std::string_view text) {
  LoadTally::Failures& failures = tally_.failures[code];
  if (failures.count++ == 0) {
    failures.text = text;
  }
}

void LoadLane::give_up(std::size_t connection) {
  client_.abandon(connection);
  finish({connection, false, LoadAnswer::kTimedOut, "no answer in time"}, clock_.now());
}

void LoadLane::count_unsent(TimePoint meant) {
  if (meant >= options_.window_begin) {
    add_failure(LoadAnswer::kTimedOut, "no connection was free in time; more --connections");
  }
}

void LoadLane::sweep() {
  const TimePoint now = clock_.now();
  if (now < next_sweep_) {
    return;
  }
  next_sweep_ = now + kSweepPeriod;
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    if (flights_[i].busy && now - flights_[i].sent > options_.timeout) {
      give_up(i);
    }
  }
}

Result<void> LoadLane::step(TimePoint until) {
  answers_.clear();
  client_.wait(std::min(until, next_sweep_), answers_);
  std::string why;
  for (const LoadAnswer& answer : answers_) {
    if (answer.code == LoadAnswer::kLost && why.empty()) {
      why = answer.text;
    }
    finish(answer, clock_.now());
  }
  sweep();
  if (lost_in_a_row_ > 100 + 2 * options_.connection_count) {
    return Error{Code::kUnavailable,
                 fmt::format("{} requests in a row were lost: {}; has the server ended?",
                             lost_in_a_row_, why)};
  }
  return {};
}

Result<void> LoadLane::drain() {
  const TimePoint until = clock_.now() + options_.drain;
  while (under_way_ > 0 && clock_.now() < until) {
    BRAID_TRY_DO(step(until));
  }
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    if (flights_[i].busy) {
      give_up(i);
    }
  }
  return {};
}

Result<LoadTally> LoadLane::closed_loop() {
  by_arrival_ = false;
  while (clock_.now() < options_.window_end) {
    while (const auto connection = take_idle()) {
      const TimePoint now = clock_.now();
      send(*connection, now, now);
    }
    BRAID_TRY_DO(step(options_.window_end));
  }
  BRAID_TRY_DO(drain());
  return std::move(tally_);
}

Result<LoadTally> LoadLane::open_loop(std::span<const Duration> arrivals) {
  by_arrival_ = true;
  const TimePoint last = options_.window_end + options_.drain;  // for those that wait to be sent
  std::size_t next = 0;
  while (next < arrivals.size()) {
    const TimePoint meant = options_.begin + arrivals[next];
    if (meant >= options_.window_end) {
      break;
    }
    if (clock_.now() >= last) {
      count_unsent(meant);
      ++next;
    } else if (meant > clock_.now()) {
      BRAID_TRY_DO(step(meant));
    } else if (const auto connection = take_idle()) {
      send(*connection, meant, clock_.now());
      ++next;
    } else {
      BRAID_TRY_DO(step(last));
    }
  }
  BRAID_TRY_DO(drain());
  return std::move(tally_);
}

}  // namespace braid
