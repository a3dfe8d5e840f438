#include "tensor/npy.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_folder.h"

namespace braid {
namespace {

// Written by tools/oracles/tensor_arrays.py with numpy.save.
const std::filesystem::path kArrays = "tests/data/tensor";

TEST(Npy, ReadsTheRowsThatNumpyWrote) {
  for (const char* name : {"singles.npy", "version2.npy"}) {
    SCOPED_TRACE(name);
    const auto first = read_npy_row(kArrays / name, 0);
    ASSERT_TRUE(first.has_value()) << first.error().describe();
    ASSERT_EQ(first->size(), 4U);
    EXPECT_EQ((*first)[1], -1.25);
    EXPECT_EQ((*first)[2], static_cast<double>(3e38F));
    EXPECT_TRUE(std::isnan((*first)[3]));
    EXPECT_EQ((*read_npy_row(kArrays / name, 1)), (std::vector<double>{1, 2, 3, 4}));
    const auto last = *read_npy_row(kArrays / name, 2);
    EXPECT_EQ(last[0], static_cast<double>(0.1F));
    EXPECT_EQ(last[3], std::numeric_limits<double>::infinity());
  }
}

TEST(Npy, ARowHasAllAxesButTheFirst) {
  const auto header = *read_npy_header(kArrays / "doubles.npy");
  EXPECT_EQ(header.dtype, DType::kFp64);
  EXPECT_EQ(header.shape, (Shape{2, 2, 2}));
  EXPECT_EQ(header.row_values(), 4U);
  EXPECT_EQ(*read_npy_row(kArrays / "doubles.npy", 0), (std::vector<double>{0.1, 1e-300, 2, 3}));
  EXPECT_EQ(*read_npy_row(kArrays / "doubles.npy", 1), (std::vector<double>{4, 5, 6, 7.25}));
  EXPECT_EQ(*read_npy_row(kArrays / "vector.npy", 1), std::vector<double>{2.5});
}

TEST(Npy, RefusesWhatItWouldReadWrongly) {
  for (const char* name : {"column_major.npy", "integers.npy", "big_endian.npy"}) {
    EXPECT_EQ(read_npy_header(kArrays / name).error().code, Code::kUnsupported) << name;
  }
  EXPECT_EQ(read_npy_header(kArrays / "none.npy").error().code, Code::kNotFound);
  const Error beyond = read_npy_row(kArrays / "vector.npy", 2).error();
  EXPECT_NE(beyond.describe().find("no row 2; it has 2"), std::string::npos);
}

// A file that is cut anywhere is an error, never numbers that are not there.
TEST(Npy, RefusesEveryTruncation) {
  const std::string whole = *read_file(kArrays / "vector.npy");
  const TestFolder folder;
  const auto file = folder / "cut.npy";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_TRUE(write_file(file, whole.substr(0, size)).has_value());
    EXPECT_EQ(read_npy_header(file).error().code, Code::kInvalidArgument) << size;
  }
}

// The shape is text of a stranger: neither a huge product nor words may pass.
TEST(Npy, RefusesAHostileShape) {
  const std::string whole = *read_file(kArrays / "vector.npy");
  const TestFolder folder;
  const auto file = folder / "shape.npy";
  for (const char* shape :
       {"(9999999999999999999,)", "(99999999999,99999999999,)", "(a,)", "(-1,)", "(0,)", "()"}) {
    std::string changed = whole;
    const std::size_t at = changed.find("(2,)");
    changed.replace(at, std::string(shape).size(), shape);
    ASSERT_TRUE(write_file(file, changed).has_value());
    EXPECT_EQ(read_npy_header(file).error().code, Code::kInvalidArgument) << shape;
  }
}

}  // namespace
}  // namespace braid
