#include "net/classify.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(const Result<Tensor>& tensor) {
  return {tensor->strings().begin(), tensor->strings().end()};
}

TEST(Classified, NamesTheHighestOfEachRow) {
  const Tensor values = *Tensor::from(Shape{2, 3}, std::vector<float>{0.25F, 0.5F, 0.25F, 3, 1, 2});
  const std::vector<std::string> labels = {"cat", "dog"};
  const Result<Tensor> two = classified(values, 2, labels);
  EXPECT_EQ(two->shape(), (Shape{2, 2}));
  EXPECT_THAT(texts(two),
              ElementsAre("0.500000:1:dog", "0.250000:0:cat", "3.000000:0:cat", "2.000000:2"));
  EXPECT_EQ(classified(values, 9, labels)->shape(), (Shape{2, 3}));
}

TEST(Classified, PutsNanLast) {
  const Tensor values = *Tensor::from(Shape{1, 3}, std::vector<float>{NAN, -1, 5});
  EXPECT_THAT(texts(classified(values, 2, {})), ElementsAre("5.000000:2", "-1.000000:1"));
}

TEST(Classified, RefusesWhatHasNoOrder) {
  for (const DType dtype : {DType::kBool, DType::kFp16, DType::kBf16, DType::kBytes}) {
    const Tensor values = *Tensor::zeros(dtype, Shape{1, 3});
    EXPECT_EQ(classified(values, 1, {}).error().code, Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace braid
