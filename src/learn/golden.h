#pragma once
// Reads the small JSON files of tests/data/learn, which tools/oracles/learn_*.py wrote. For tests.

#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "learn/matrix.h"

namespace braid {

inline Json read_golden(const std::string& name) {
  const auto text = read_file("tests/data/learn/" + name);
  BRAID_CHECK(text.has_value());
  return *Json::parse(*text);
}

inline std::vector<double> golden_numbers(const Json& json) {
  std::vector<double> numbers;
  for (const Json& item : *json.list()) {
    numbers.push_back(item.number());
  }
  return numbers;
}

inline std::vector<std::size_t> golden_labels(const Json& json) {
  std::vector<std::size_t> labels;
  for (const double label : golden_numbers(json)) {
    labels.push_back(static_cast<std::size_t>(label));
  }
  return labels;
}

inline Matrix golden_matrix(const Json& json) {
  Matrix matrix(json.list()->size(), json.list()->front().list()->size());
  for (std::size_t i = 0; i < matrix.row_count; ++i) {
    const std::vector<double> row = golden_numbers((*json.list())[i]);
    std::copy(row.begin(), row.end(), matrix.row(i).begin());
  }
  return matrix;
}

}  // namespace braid
