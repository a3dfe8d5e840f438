#include "serve/dispatch_split.h"

#include <optional>

#include <gtest/gtest.h>

#include "serve/dispatch_fakes.h"

namespace braid {
namespace {

using namespace std::chrono_literals;

class SplitJob : public testing::Test {
 protected:
  SplitJob() {
    Job job;
    job.model = fake_model(twice);
    job.inputs = fake_inputs({1, 2, 3, 4, 5});
    job.row_count = 5;
    job.done = [this](JobOutcome outcome) {
      ++answer_count_;
      answer_.emplace(std::move(outcome));
    };
    pieces_ = split_job(std::move(job), 2);
  }

  void finish(std::size_t index, Duration ran = {}) {
    Batch batch{std::move(pieces_[index].inputs), pieces_[index].row_count};
    pieces_[index].done({(*twice(batch)).outputs, {}, ran, 1, batch.row_count});
  }

  std::vector<Job> pieces_;
  int answer_count_ = 0;
  std::optional<JobOutcome> answer_;
};

TEST_F(SplitJob, MakesPiecesOfAtMostThatManyRows) {
  ASSERT_EQ(pieces_.size(), 3U);
  EXPECT_EQ(pieces_[0].row_count, 2U);
  EXPECT_EQ(pieces_[2].row_count, 1U);
  EXPECT_EQ(pieces_[2].inputs.front().tensor.values<float>()[0], 5);
}

TEST_F(SplitJob, AnswersOnceInOrderHoweverPiecesEnd) {
  finish(2);
  finish(0, 4ms);
  EXPECT_EQ(answer_count_, 0);
  finish(1);

  ASSERT_EQ(answer_count_, 1);
  const auto values = answer_->outputs->front().tensor.values<float>();
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()), (std::vector<float>{2, 4, 6, 8, 10}));
  EXPECT_EQ(answer_->ran, 4ms);
  EXPECT_EQ(answer_->batch_rows, 2U);
  EXPECT_EQ(answer_->core_count, 1U) << "a run on no core would be free";
}

TEST_F(SplitJob, FailsWithTheFirstPieceThatFailed) {
  pieces_[2].done({Error{Code::kInternal, "late"}, {}, {}, 1, 1});
  pieces_[1].done({Error{Code::kInvalidArgument, "bad"}, {}, {}, 1, 2});
  finish(0);
  EXPECT_EQ(answer_->outputs.error().describe(), "rows from 2: bad");
}

TEST_F(SplitJob, SaysWhenOutputsCannotBeJoined) {
  finish(0);
  finish(1);
  pieces_[2].done({fake_inputs({1, 2}, 2), {}, {}, 1, 1});  // its output is not named "y"
  EXPECT_EQ(answer_->outputs.error().code, Code::kUnsupported);
}

}  // namespace
}  // namespace braid
