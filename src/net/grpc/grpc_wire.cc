#include "net/grpc/grpc_wire.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "net/bytes_framing.h"

namespace braid {
namespace {

using google::protobuf::internal::WireFormatLite;
using inference::ModelInferRequest;

constexpr std::uint32_t kRawTag = WireFormatLite::MakeTag(
    ModelInferRequest::kRawInputContentsFieldNumber, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);

/// Bytes of the message, counted from its beginning.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Error no_message() {
  return Error{Code::kInvalidArgument, "the bytes are no ModelInferRequest in protobuf"};
}

/// The contents of every raw entry, and the tags and lengths before them.
struct RawRanges {
  std::vector<Range> contents;
  std::vector<Range> fields;
};

Result<RawRanges> find_raw(grpc::ByteBuffer& bytes) {
  grpc::ProtoBufferReader reader(&bytes);
  google::protobuf::io::CodedInputStream in(&reader);
  RawRanges found;
  while (true) {
    const auto begin = static_cast<std::size_t>(in.CurrentPosition());
    const std::uint32_t tag = in.ReadTag();
    if (tag == 0) {
      break;
    }
    if (tag != kRawTag) {
      if (!WireFormatLite::SkipField(&in, tag)) {
        return no_message();
      }
      continue;
    }
    int size = 0;
    if (!in.ReadVarintSizeAsInt(&size)) {
      return no_message();
    }
    const auto content = static_cast<std::size_t>(in.CurrentPosition());
    if (!in.Skip(size)) {
      return no_message();
    }
    const std::size_t end = content + static_cast<std::size_t>(size);
    found.contents.push_back({content, end});
    found.fields.push_back({begin, end});
  }
  return in.ConsumedEntireMessage() ? Result<RawRanges>(std::move(found)) : no_message();
}

/// The slices' parts that lie in the range.
GrpcWire::Raw pieces_of(const std::vector<grpc::Slice>& slices, Range range) {
  GrpcWire::Raw pieces;
  std::size_t at = 0;
  for (const grpc::Slice& slice : slices) {
    const std::size_t begin = std::max(range.begin, at);
    const std::size_t end = std::min(range.end, at + slice.size());
    if (begin < end) {
      pieces.emplace_back(reinterpret_cast<const char*>(slice.begin()) + (begin - at), end - begin);
    }
    at += slice.size();
  }
  return pieces;
}

std::string joined(const GrpcWire::Raw& pieces) {
  std::string whole;
  for (const Bytes piece : pieces) {
    whole += piece;
  }
  return whole;
}

}  // namespace

Result<GrpcWire> GrpcWire::read(const grpc::ByteBuffer& bytes) {
  GrpcWire wire;
  grpc::ByteBuffer whole = bytes;  // shares the slices
  if (!whole.Valid() || whole.Length() == 0) {
    return wire;
  }
  BRAID_TRY(const RawRanges found, find_raw(whole));
  if (found.contents.empty()) {
    grpc::ProtoBufferReader reader(&whole);
    return wire.message_.ParseFromZeroCopyStream(&reader) ? Result<GrpcWire>(std::move(wire))
                                                          : no_message();
  }
  if (!whole.Dump(&wire.slices_).ok()) {
    return Error{Code::kInternal, "gRPC does not give a request's bytes"};
  }
  std::string rest;
  std::size_t at = 0;
  for (const Range field : found.fields) {
    rest += joined(pieces_of(wire.slices_, {at, field.begin}));
    at = field.end;
  }
  rest += joined(pieces_of(wire.slices_, {at, whole.Length()}));
  if (!wire.message_.ParseFromString(rest)) {
    return no_message();
  }
  for (const Range content : found.contents) {
    wire.raw_.push_back(pieces_of(wire.slices_, content));
  }
  return wire;
}

Result<Tensor> tensor_from_pieces(const GrpcWire::Raw& pieces, DType dtype,
                                  std::span<const std::size_t> shape) {
  if (pieces.size() <= 1) {
    return tensor_from_bytes(pieces.empty() ? Bytes() : pieces.front(), dtype, shape);
  }
  if (dtype == DType::kBytes || dtype == DType::kBool) {  // what is small, or checked byte by byte
    return tensor_from_bytes(joined(pieces), dtype, shape);
  }
  std::size_t size = 0;
  for (const Bytes piece : pieces) {
    size += piece.size();
  }
  BRAID_TRY(const std::size_t count, element_count(shape));
  if (count * element_size(dtype) != size) {
    return Error{Code::kInvalidArgument,
                 fmt::format("shape {} of {} is {} bytes, but {} came", to_string(shape),
                             to_string(dtype), count * element_size(dtype), size)};
  }
  BRAID_TRY(Tensor tensor, Tensor::zeros(dtype, shape));
  std::byte* to = tensor.mutable_bytes().data();
  for (const Bytes piece : pieces) {
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
  }
  return tensor;
}

grpc::ByteBuffer to_wire(const google::protobuf::Message& message) {
  grpc::ByteBuffer bytes;
  bool owned = false;
  const grpc::Status status =
      grpc::GenericSerialize<grpc::ProtoBufferWriter, google::protobuf::Message>(message, &bytes,
                                                                                 &owned);
  BRAID_CHECK(status.ok());
  return bytes;
}

}  // namespace braid
