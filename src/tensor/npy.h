#pragma once
// Npy: arrays in NumPy's format (NEP 1, versions 1 to 3), read by the row or whole.
// Little endian, row-major FP32 and FP64; what else NumPy writes is refused by name. Threads:
// values like any other.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "tensor/tensor.h"

namespace braid {

struct NpyHeader {
  DType dtype = DType::kFp32;  // or kFp64
  Shape shape;                 // axis 0 counts rows
  std::size_t data_begin = 0;  // in bytes from the start of the file

  std::size_t row_values() const;  // in one row
};

/// kNotFound when there is no file, kInvalidArgument when it is no array or shorter than its header
/// says, kUnsupported for another dtype, byte order or column-major order.
Result<NpyHeader> read_npy_header(const std::filesystem::path& file);

/// The values of one row, flat. Fails as read_npy_header does; kInvalidArgument beyond the last
/// row.
Result<std::vector<double>> read_npy_row(const std::filesystem::path& file, std::size_t row_index);

/// All values, row by row, where the header is read already. kInvalidArgument when the file became
/// shorter since.
Result<std::vector<double>> read_npy_values(const std::filesystem::path& file,
                                            const NpyHeader& header);

/// The bytes of a file that holds these FP64 values [row_count, values ÷ row_count].
std::string to_npy(std::span<const double> values, std::size_t row_count);

}  // namespace braid
