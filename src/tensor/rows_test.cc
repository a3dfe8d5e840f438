#include "tensor/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::ElementsAre;

TEST(Rows, JoinAndTakeAreInverse) {
  const Tensor one = *Tensor::from(Shape{1, 2}, std::vector<float>{1.0F, 2.0F});
  const Tensor two = *Tensor::from(Shape{2, 2}, std::vector<float>{3.0F, 4.0F, 5.0F, 6.0F});
  const Tensor joined = join_rows(std::vector<const Tensor*>{&one, &two});
  EXPECT_EQ(joined.shape(), (Shape{3, 2}));
  EXPECT_THAT(joined.values<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(take_rows(joined, 0, 1).values<float>(), ElementsAre(1, 2));
  EXPECT_THAT(take_rows(joined, 1, 2).values<float>(), ElementsAre(3, 4, 5, 6));
}

TEST(Rows, OfStringsToo) {
  const Tensor first = *Tensor::from_strings(Shape{1}, {"a"});
  const Tensor second = *Tensor::from_strings(Shape{2}, {"b", "c"});
  const Tensor joined = join_rows(std::vector<const Tensor*>{&first, &second});
  EXPECT_THAT(joined.strings(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(take_rows(joined, 1, 1).strings(), ElementsAre("b"));
}

TEST(RowsDeathTest, DifferentShapesOrMissingRowsAreBrokenPromises) {
  const Tensor narrow = *Tensor::zeros(DType::kFp32, Shape{1, 2});
  const Tensor wide = *Tensor::zeros(DType::kFp32, Shape{1, 3});
  EXPECT_DEATH(join_rows(std::vector<const Tensor*>{&narrow, &wide}), "broken promise");
  EXPECT_DEATH(take_rows(narrow, 1, 1), "broken promise");
}

}  // namespace
}  // namespace braid
