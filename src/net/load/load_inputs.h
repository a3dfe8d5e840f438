#pragma once
// Inputs of a load's requests: the caller's own from files, all others made to fit what the server
// says of the model. Pure, and the same for the same seed.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/load/served_model.h"
#include "tensor/tensor.h"

namespace braid {

struct LoadInputOptions {
  std::size_t row_count = 1;                 // of axis 0 where it varies
  std::map<std::string, Shape> shapes = {};  // by input, axis 0 included
  /// Own inputs by name, raw: an element of BYTES, or packed little-endian numbers. The n-th of a
  /// name belongs to case n; names with fewer take turns.
  std::vector<std::pair<std::string, std::string>> own = {};
  std::size_t case_count = 8;  // different ones, sent in turn; as many as own inputs where more
  bool zeros = false;          // else floats in [-1, 1), integers 0 or 1, texts of 8 letters
  std::uint64_t seed = 1;
};

/// The cases, each with its inputs. kInvalidArgument names the input and the option that helps: an
/// axis that varies and has no size, a file of the wrong size, a name that the model does not have,
/// a pipeline without any own input. kExhausted beyond 1 GiB.
Result<std::vector<NamedTensors>> make_cases(const ServedModel& model,
                                             const LoadInputOptions& options);

/// "x=1,128" as its name and shape.
Result<std::pair<std::string, Shape>> parse_shape_option(std::string_view text);

}  // namespace braid
