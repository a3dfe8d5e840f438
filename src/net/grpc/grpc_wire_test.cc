#include "net/grpc/grpc_wire.h"

#include <gmock/gmock.h>
#include <grpcpp/support/byte_buffer.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using inference::ModelInferRequest;
using testing::ElementsAre;

ModelInferRequest two_inputs() {
  ModelInferRequest message;
  message.set_model_name("m");
  message.add_inputs()->set_name("x");
  message.add_inputs()->set_name("y");
  message.add_raw_input_contents("abcdefgh");
  message.add_raw_input_contents("");
  return message;
}

/// In slices of so many bytes.
grpc::ByteBuffer sliced(const std::string& bytes, std::size_t size) {
  std::vector<grpc::Slice> slices;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    slices.emplace_back(bytes.substr(at, size));
  }
  return {slices.data(), slices.size()};
}

std::string joined(const GrpcWire::Raw& pieces) {
  std::string whole;
  for (const Bytes piece : pieces) {
    whole += piece;
  }
  return whole;
}

TEST(GrpcWire, ReadsRawContentsWhereverTheSlicesEnd) {
  const std::string bytes = two_inputs().SerializeAsString();
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    Result<GrpcWire> read = GrpcWire::read(sliced(bytes, size));
    ASSERT_TRUE(read.has_value()) << size;
    const GrpcWire wire = *std::move(read);
    ASSERT_EQ(wire.raw().size(), 2U);
    EXPECT_EQ(joined(wire.raw()[0]), "abcdefgh");
    EXPECT_EQ(joined(wire.raw()[1]), "");
    EXPECT_EQ(wire.message().model_name(), "m");
    EXPECT_EQ(wire.message().inputs(1).name(), "y");
    EXPECT_EQ(wire.message().raw_input_contents_size(), 0);
  }
}

// Fields may come in any order, says protobuf.
TEST(GrpcWire, RawContentsMayComeFirst) {
  const std::string bytes = std::string("\x3a\x02hi") + "\x0a\x01m" + "\x3a\x01!";
  const Result<GrpcWire> wire = GrpcWire::read(sliced(bytes, 3));
  ASSERT_TRUE(wire.has_value());
  EXPECT_EQ(wire->message().model_name(), "m");
  EXPECT_EQ(joined(wire->raw()[0]) + joined(wire->raw()[1]), "hi!");
}

TEST(GrpcWire, RefusesWhatIsNoMessage) {
  for (const std::string bytes : {"\xff\xff\xff",
                                  "\x3a\x7f"
                                  "123",
                                  "\x3a", "\x0a\x05m", "\x0a\x01\xff"}) {
    const Result<GrpcWire> wire = GrpcWire::read(sliced(bytes, 2));
    ASSERT_FALSE(wire.has_value()) << testing::PrintToString(bytes);
    EXPECT_EQ(wire.error().code, Code::kInvalidArgument);
  }
  EXPECT_TRUE(GrpcWire::read(grpc::ByteBuffer()).has_value()) << "the empty message";
}

TEST(GrpcWire, TensorsAreMadeOfPieces) {
  const GrpcWire::Raw pieces = {Bytes("\1\0\2", 3), Bytes("\0\3", 2), Bytes("\0", 1)};
  const Result<Tensor> tensor = tensor_from_pieces(pieces, DType::kInt16, Shape{3});
  ASSERT_TRUE(tensor.has_value());
  EXPECT_THAT(tensor->values<std::int16_t>(), ElementsAre(1, 2, 3));
  EXPECT_FALSE(tensor_from_pieces(pieces, DType::kInt16, Shape{4}).has_value());
  EXPECT_FALSE(tensor_from_pieces(pieces, DType::kBool, Shape{6}).has_value()) << "2 is no BOOL";
  const GrpcWire::Raw text = {Bytes("\2\0\0\0a", 5), Bytes("b", 1)};
  const Result<Tensor> strings = tensor_from_pieces(text, DType::kBytes, Shape{1});
  ASSERT_TRUE(strings.has_value());
  EXPECT_THAT(strings->strings(), ElementsAre("ab"));
  EXPECT_FALSE(tensor_from_pieces({}, DType::kFp32, Shape{1}).has_value());
}

}  // namespace
}  // namespace braid
