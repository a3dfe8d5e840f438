#include "net/case_run.h"

#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

std::vector<Request> cases(std::size_t count) {
  std::vector<Request> requests(count);
  for (std::size_t i = 0; i < count; ++i) {
    requests[i].id = std::to_string(i);
  }
  return requests;
}

Decision decision(std::string id) {
  Decision decision;
  decision.id = std::move(id);
  return decision;
}

/// What done was called with.
struct Ending {
  int calls = 0;
  std::vector<std::string> ids;
  std::string error;

  CaseRun::Done note() {
    return [this](Result<std::vector<Decision>> all) {
      ++calls;
      if (!all.has_value()) {
        error = all.error().describe();
        return;
      }
      for (const Decision& each : *all) {
        ids.push_back(each.id);
      }
    };
  }
};

// An engine that answers before submit() returns, as it does when a model runs inline. A reply that
// began the next case from within the last would overflow the stack long before a million.
TEST(CaseRun, AnswersAtOnceDoNotDeepenTheStack) {
  Ending ending;
  CaseRun::start(
      cases(100000),
      [](Request request) {
        std::string id = request.id;
        std::move(request.reply)(decision(id));
      },
      ending.note());
  EXPECT_EQ(ending.calls, 1);
  ASSERT_EQ(ending.ids.size(), 100000U);
  EXPECT_EQ(ending.ids[77777], "77777");
}

TEST(CaseRun, KeepsFewInFlightAndTheOrder) {
  Ending ending;
  std::deque<Request> waiting;
  std::size_t most = 0;
  CaseRun::start(
      cases(100), [&](Request request) { waiting.push_back(std::move(request)); }, ending.note());
  while (!waiting.empty()) {
    most = std::max(most, waiting.size());
    Request last = std::move(waiting.back());  // the order of answers is another
    waiting.pop_back();
    std::move(last.reply)(decision(last.id));
  }
  EXPECT_EQ(most, 32U);
  EXPECT_EQ(ending.calls, 1);
  ASSERT_EQ(ending.ids.size(), 100U);
  EXPECT_EQ(ending.ids[0], "0");
  EXPECT_EQ(ending.ids[99], "99");
}

TEST(CaseRun, AnErrorEndsItOnceTheOthersAreBack) {
  Ending ending;
  std::deque<Request> waiting;
  CaseRun::start(
      cases(100), [&](Request request) { waiting.push_back(std::move(request)); }, ending.note());
  std::move(waiting[5].reply)(Error{Code::kUnavailable, "gone"});
  EXPECT_EQ(ending.calls, 0);
  EXPECT_EQ(waiting.size(), 32U);  // no further case was begun
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (i != 5) {
      std::move(waiting[i].reply)(decision(waiting[i].id));
    }
  }
  EXPECT_EQ(ending.calls, 1);
  EXPECT_EQ(ending.error, "case 5: gone");
}

// A request that is dropped answers by itself.
TEST(CaseRun, DroppedRequestsAreErrors) {
  Ending ending;
  CaseRun::start(cases(1), [](Request) {}, ending.note());
  EXPECT_EQ(ending.calls, 1);
  EXPECT_THAT(ending.error, testing::HasSubstr("dropped"));
}

}  // namespace
}  // namespace braid
