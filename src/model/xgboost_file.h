#pragma once
// XgboostFile: what a model.json or model.ubj says of itself, read before the library reads it. The
// library follows child and column numbers without a check, so a flipped bit would crash it; and an
// older one reads a newer file wrongly without a word.

#include <array>
#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

struct XgboostFile {
  std::array<std::int64_t, 3> version = {};  // of the library that wrote it
  std::string objective;                     // "multi:softprob"
  std::size_t column_count = 0;
  std::size_t class_count = 0;  // 0 for one output and for two classes
};

/// kInvalidArgument when the file is broken: syntax, missing parts, trees with loops or with
/// numbers that are out of range. kUnsupported for a booster that is no forest.
Result<XgboostFile> read_xgboost_file(std::string_view bytes);

}  // namespace braid
