#pragma once
// GrpcWire: a ModelInferRequest in the slices in which gRPC received it. Protobuf would copy raw
// contents into strings, to be copied into tensors again; here they stay where they are until the
// tensor takes them. What is not raw is a message as always. Threads: a value like any other.

#include <vector>

#include <grpcpp/support/byte_buffer.h>

#include "base/bytes.h"
#include "base/result.h"
#include "net/inference.pb.h"
#include "tensor/tensor.h"

namespace braid {

class GrpcWire {
 public:
  /// One entry of raw_input_contents, in as many pieces as slices that it lies in.
  using Raw = std::vector<Bytes>;

  /// kInvalidArgument when the bytes are no ModelInferRequest.
  static Result<GrpcWire> read(const grpc::ByteBuffer& bytes);

  GrpcWire(GrpcWire&&) = default;
  GrpcWire& operator=(GrpcWire&&) = default;

  /// Without raw_input_contents.
  const inference::ModelInferRequest& message() const { return message_; }
  /// Valid as long as this is, also when it is moved.
  const std::vector<Raw>& raw() const { return raw_; }

 private:
  GrpcWire() = default;

  std::vector<grpc::Slice> slices_;
  inference::ModelInferRequest message_;
  std::vector<Raw> raw_;
};

/// As tensor_from_bytes of all pieces together. Numbers are copied once, into the tensor; elements
/// of BYTES that lie in several pieces twice.
Result<Tensor> tensor_from_pieces(const GrpcWire::Raw& pieces, DType dtype,
                                  std::span<const std::size_t> shape);

/// A message as gRPC sends it.
grpc::ByteBuffer to_wire(const google::protobuf::Message& message);

}  // namespace braid
