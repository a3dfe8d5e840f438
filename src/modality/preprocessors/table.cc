// Table: a record in JSON to one row of features, NaN where a value is missing.
//   {"age": 63, "sex": "f"}   or   [63, "f"]   →   features FP32 [1, columns]
// A category becomes its index, as XGBoost wants it, or one column of 0 and 1 for each category.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "modality/preprocessor.h"
#include "modality/table/cells.h"
#include "modality/table/columns.h"

namespace braid {
namespace {

class Table final : public Preprocessor {
 public:
  struct Options {
    bool one_hot = false;             // a tree splits on codes; a linear model needs one_hot
    std::int64_t bytes_max = 262144;  // a thousand columns take about 20 KB
  };

  Table(RecordReader reader, Options options)
      : reader_(std::move(reader)), options_(options), width_(width_of(reader_, options_)) {}

  Result<Encoded> encode(Bytes raw) const override {
    if (std::cmp_greater(raw.size(), options_.bytes_max)) {
      return Error{Code::kExhausted, fmt::format("the record has {} bytes; bytes_max is {}",
                                                 raw.size(), options_.bytes_max)};
    }
    BRAID_TRY(const Json record, Json::parse(raw));
    BRAID_TRY(const std::vector<RecordCell> cells, reader_.read(record));
    BRAID_TRY(Tensor features, Tensor::zeros(DType::kFp32, Shape{1, width_}));
    write(cells, features.mutable_values<float>());

    const auto missing = std::ranges::count_if(
        cells, [](const RecordCell& cell) { return std::isnan(cell.value) && !cell.unknown; });
    const auto unknown = std::ranges::count_if(cells, &RecordCell::unknown);
    Encoded encoded;
    encoded.tensors.push_back({"features", std::move(features)});
    encoded.quality = {
        {"missing_share", static_cast<double>(missing) / static_cast<double>(cells.size())},
        {"unknown_categories", static_cast<double>(unknown)}};
    return encoded;
  }

  std::vector<TensorSpec> outputs() const override {
    return {{"features", DType::kFp32, {1, static_cast<std::int64_t>(width_)}}};
  }

 private:
  /// In columns of the tensor.
  static std::size_t width_of(const TableColumn& column, const Options& options) {
    return options.one_hot && column.categorical() ? column.categories.size() : 1;
  }
  static std::size_t width_of(const RecordReader& reader, const Options& options) {
    std::size_t width = 0;
    for (const TableColumn& column : reader.columns()) {
      width += width_of(column, options);
    }
    return width;
  }

  /// `features` are zeros. With one_hot a category that is missing or unknown leaves its columns
  /// 0, as in pandas and scikit-learn; a missing number is NaN in both encodings.
  void write(const std::vector<RecordCell>& cells, std::span<float> features) const {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const TableColumn& column = reader_.columns()[i];
      if (!options_.one_hot || !column.categorical()) {
        features[begin] = cells[i].value;
      } else if (!std::isnan(cells[i].value)) {
        features[begin + static_cast<std::size_t>(cells[i].value)] = 1;
      }
      begin += width_of(column, options_);
    }
  }

  const RecordReader reader_;
  const Options options_;
  const std::size_t width_;
};

/// What reads as a number counts as one, and all count as text: -999 and NA may both mean missing.
Result<CellRules> read_rules(const Settings& settings) {
  CellRules rules;
  BRAID_TRY(const std::vector<std::string> missing, settings.texts("missing_values", {}));
  for (const std::string& text : missing) {
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure == std::errc() && end == text.data() + text.size()) {
      rules.missing_numbers.push_back(number);
    }
    rules.missing_texts.insert(text);
  }
  BRAID_TRY(const std::string when_missing, settings.choice("missing", {"nan", "refuse"}, "nan"));
  BRAID_TRY(const std::string unknown, settings.choice("unknown", {"missing", "error"}, "missing"));
  BRAID_TRY(const std::string extra, settings.choice("extra", {"refuse", "ignore"}, "refuse"));
  rules.missing_refused = when_missing == "refuse";
  rules.unknown_refused = unknown == "error";
  rules.extra_ignored = extra == "ignore";
  return rules;
}

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  Table::Options options;
  BRAID_TRY(std::vector<TableColumn> columns, read_columns(settings));
  BRAID_TRY(CellRules rules, read_rules(settings));
  BRAID_TRY(const std::string encoding, settings.choice("encoding", {"codes", "one_hot"}, "codes"));
  options.one_hot = encoding == "one_hot";
  BRAID_TRY(options.bytes_max,
            settings.integer("bytes_max", options.bytes_max, 1, std::int64_t{1} << 30));
  BRAID_TRY_DO(settings.finish());
  RecordReader reader(std::move(columns), std::move(rules));
  return std::unique_ptr<Preprocessor>(std::make_unique<Table>(std::move(reader), options));
}

}  // namespace

void register_table(Registry<Preprocessor>& registry) { registry.add("table", open); }

}  // namespace braid
