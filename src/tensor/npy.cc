#include "tensor/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::size_t kHeaderMax = 65536;  // NumPy pads to 64 bytes; names of fields we refuse

Error refuse(Code code, const std::filesystem::path& file, std::string_view why) {
  return Error{code, fmt::format("{}: {}", file.string(), why)};
}

/// Reads exactly `size` bytes, or fewer at the end of the file.
std::string read_some(std::istream& stream, std::size_t size) {
  std::string bytes(size, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

/// Sets `data_begin` and returns the dictionary that describes the array, as Python writes it.
Result<std::string> read_dictionary(std::istream& stream, const std::filesystem::path& file,
                                    std::size_t& data_begin) {
  const std::string start = read_some(stream, 8);
  if (!start.starts_with("\x93NUMPY") || start.size() < 8) {
    return refuse(Code::kInvalidArgument, file, "not a NumPy array; write it with numpy.save");
  }
  const std::size_t length_bytes = start[6] == 1 ? 2 : 4;
  const std::string length_text = read_some(stream, length_bytes);
  const std::size_t length = little_endian(length_text);
  data_begin = start.size() + length_bytes + length;
  if (length > kHeaderMax) {
    return refuse(Code::kInvalidArgument, file, fmt::format("its header claims {} bytes", length));
  }
  std::string dictionary = read_some(stream, length);
  if (length_text.size() < length_bytes || dictionary.size() < length) {
    return refuse(Code::kInvalidArgument, file, "it ends within its header");
  }
  return dictionary;
}

/// What stands between `before` and the next `after`; empty when either is not there.
std::string_view between(std::string_view text, std::string_view before, char after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(begin + before.size());
  return text.substr(0, std::min(text.find(after), text.size()));
}

/// "3, 4": extents, as many as there are.
Result<Shape> parse_shape(std::string_view text, const std::filesystem::path& file) {
  Shape shape;
  while (!text.empty()) {
    std::size_t extent = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (failure != std::errc()) {
      return refuse(Code::kInvalidArgument, file, "its shape is not a list of numbers");
    }
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
  }
  BRAID_TRY(const std::size_t count, element_count(shape).within(file.string()));
  static_cast<void>(count);
  return shape;
}

Result<NpyHeader> parse_dictionary(std::string_view text, const std::filesystem::path& file) {
  const std::string_view type = between(text, "'descr': '", '\'');
  if (type != "<f4" && type != "<f8") {
    return refuse(Code::kUnsupported, file,
                  fmt::format("type '{}'; save it with astype('<f4')", type));
  }
  NpyHeader header;
  header.dtype = type == "<f4" ? DType::kFp32 : DType::kFp64;
  BRAID_TRY(header.shape, parse_shape(between(text, "'shape': (", ')'), file));
  const bool is_row_major = between(text, "'fortran_order': ", ',') == "False";
  if (!is_row_major && header.shape.size() > 1) {
    return refuse(Code::kUnsupported, file, "column-major; save it with numpy.ascontiguousarray");
  }
  return header;
}

}  // namespace

std::size_t NpyHeader::row_values() const { return *element_count(shape) / shape.front(); }

Result<NpyHeader> read_npy_header(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return refuse(Code::kNotFound, file, "cannot be opened");
  }
  std::size_t data_begin = 0;
  BRAID_TRY(const std::string dictionary, read_dictionary(stream, file, data_begin));
  BRAID_TRY(NpyHeader header, parse_dictionary(dictionary, file));
  header.data_begin = data_begin;

  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  const std::size_t wanted = *element_count(header.shape) * element_size(header.dtype);
  if (failed || size < data_begin + wanted) {
    return refuse(Code::kInvalidArgument, file,
                  fmt::format("shape {} needs {} bytes, the file has fewer",
                              to_string(header.shape), data_begin + wanted));
  }
  return header;
}

namespace {

Result<std::vector<double>> read_values(const std::filesystem::path& file, const NpyHeader& header,
                                        std::size_t first, std::size_t count) {
  const std::size_t width = element_size(header.dtype);
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(header.data_begin + first * width));
  const std::string bytes = read_some(stream, count * width);
  if (bytes.size() < count * width) {
    return refuse(Code::kInvalidArgument, file, "it became shorter while it was read");
  }
  std::vector<double> values(count);
  for (std::size_t i = 0; i < values.size(); ++i) {
    float single = 0;
    if (header.dtype == DType::kFp32) {
      std::memcpy(&single, bytes.data() + i * width, width);
      values[i] = single;
    } else {
      std::memcpy(&values[i], bytes.data() + i * width, width);
    }
  }
  return values;
}

}  // namespace

Result<std::vector<double>> read_npy_row(const std::filesystem::path& file, std::size_t row_index) {
  BRAID_TRY(const NpyHeader header, read_npy_header(file));
  if (row_index >= header.shape.front()) {
    return refuse(Code::kInvalidArgument, file,
                  fmt::format("no row {}; it has {}", row_index, header.shape.front()));
  }
  return read_values(file, header, row_index * header.row_values(), header.row_values());
}

Result<std::vector<double>> read_npy_values(const std::filesystem::path& file,
                                            const NpyHeader& header) {
  return read_values(file, header, 0, *element_count(header.shape));
}

// Version 1, its header filled up to a multiple of 64 bytes (NEP 1), as numpy.save writes it.
std::string to_npy(std::span<const double> values, std::size_t row_count) {
  std::string dictionary =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", row_count,
                  values.size() / row_count);
  constexpr std::size_t kStart = 10;
  dictionary.append(63 - (kStart + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xFF),
            static_cast<char>(dictionary.size() >> 8)};
  bytes += dictionary;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return bytes;
}

}  // namespace braid
