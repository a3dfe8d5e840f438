#include "model/measured_runs.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

using namespace std::chrono_literals;

/// Moves the clock by as much as a run is said to take.
class TimedModel final : public Model {
 public:
  TimedModel(ManualClock& clock, Duration alone, Duration together)
      : clock_(clock), alone_(alone), together_(together) {
    spec_.inputs = {{"x", DType::kFp32, {-1, -1}}};
    spec_.rows_max = 32;
  }
  const ModelSpec& spec() const override { return spec_; }
  Result<RowResults> run(const Batch&) const override {
    clock_.advance(alone_);
    return RowResults{};
  }
  Result<std::unique_ptr<const Model>> widened(std::size_t) const override {
    return std::unique_ptr<const Model>(std::make_unique<TimedModel>(clock_, together_, together_));
  }

 private:
  ManualClock& clock_;
  const Duration alone_;
  const Duration together_;
  ModelSpec spec_;
};

class MeasuredRunsTest : public testing::Test {
 protected:
  WideTwin twin_of(Duration alone, Duration together, std::size_t threads = 2) {
    return wide_twin(TimedModel(clock_, alone, together), threads, clock_);
  }

  ManualClock clock_;
};

TEST_F(MeasuredRunsTest, ATwinIsKeptWhereItSavesThreeTenths) {
  const WideTwin twin = twin_of(100ms, 70ms);
  EXPECT_NE(twin.model, nullptr);
  EXPECT_EQ(twin.one_row, 70ms);
  EXPECT_EQ(twin_of(100ms, 71ms).model, nullptr);
}

TEST_F(MeasuredRunsTest, NoTwinForAQuickModelNorForOneThread) {
  EXPECT_EQ(twin_of(4ms, 1ms).model, nullptr);
  EXPECT_EQ(twin_of(100ms, 50ms, 1).model, nullptr);
}

TEST_F(MeasuredRunsTest, AProfileDecidesWithoutARun) {
  const TimedModel model(clock_, 100ms, 50ms);
  ModelProfile profile;
  profile.runs = {{1, 1, 20ms}, {2, 1, 11ms}};
  const TimePoint before = clock_.now();
  EXPECT_EQ(wide_twin(model, 2, profile).one_row, 11ms);
  EXPECT_EQ(clock_.now(), before);
  EXPECT_EQ(wide_twin(model, 4, profile).model, nullptr) << "not measured on four";
  profile.runs[1].took = 19ms;
  EXPECT_EQ(wide_twin(model, 2, profile).model, nullptr);
}

TEST_F(MeasuredRunsTest, MadeUpInputFitsTheSpec) {
  ModelSpec spec;
  spec.rows_max = 8;
  spec.inputs = {{"ids", DType::kInt64, {-1, -1}},
                 {"name", DType::kBytes, {-1, 2}},
                 {"bias", DType::kFp32, {4}, true}};
  const Batch batch = *made_up_batch(spec, 3, 16);
  ASSERT_EQ(batch.inputs.size(), 2U);
  EXPECT_EQ(batch.inputs[0].tensor.shape(), (Shape{3, 16}));
  EXPECT_EQ(batch.inputs[1].tensor.shape(), (Shape{3, 2}));
  spec.inputs = {{"x", DType::kFp64, {-1, 100'000, 100'000}}};
  EXPECT_EQ(made_up_batch(spec, 1, 1).error().code, Code::kExhausted);
}

}  // namespace
}  // namespace braid
