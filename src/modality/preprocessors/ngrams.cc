// N-grams: UTF-8 to one row of term weights, with the numbers of scikit-learn's TfidfVectorizer:
//   features FP32 [1, terms of the table]
// Bytes that are no UTF-8 count as U+FFFD, as with decode_error="replace". A text of which the
// table knows nothing is a row of zeros, which is valid. docs/ngrams-and-logs.md has the settings.

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/file.h"
#include "modality/ngrams/ngram_table.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

constexpr std::size_t kTableBytesMax = std::size_t{256} << 20;

class Ngrams final : public Preprocessor {
 public:
  Ngrams(NgramTable table, std::size_t bytes_max)
      : table_(std::move(table)), bytes_max_(bytes_max) {}

  Result<Encoded> encode(Bytes raw) const override {
    if (raw.size() > bytes_max_) {
      return Error{Code::kExhausted,
                   fmt::format("a text of {} bytes; text_bytes_max is {}", raw.size(), bytes_max_)};
    }
    const SparseRow row = table_.weigh(raw);
    BRAID_TRY(Tensor features, Tensor::zeros(DType::kFp32, Shape{1, table_.width()}));
    const std::span<float> into = features.mutable_values<float>();
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      into[row.columns[i]] = row.values[i];
    }
    const auto ngrams = static_cast<double>(row.ngram_count);
    const auto known = static_cast<double>(row.known_count);
    Encoded encoded;
    encoded.tensors.push_back({"features", std::move(features)});
    encoded.quality = {{"ngrams", ngrams},
                       {"terms", static_cast<double>(row.columns.size())},
                       {"unknown_share", ngrams > 0 ? 1 - known / ngrams : 0}};
    return encoded;
  }

  std::vector<TensorSpec> outputs() const override {
    return {{.name = "features",
             .dtype = DType::kFp32,
             .shape = {1, static_cast<std::int64_t>(table_.width())}}};
  }

 private:
  const NgramTable table_;
  const std::size_t bytes_max_;
};

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  BRAID_TRY(const std::filesystem::path file, settings.file("table"));
  BRAID_TRY(const std::string digest, settings.text("digest", ""));
  BRAID_TRY(const std::int64_t bytes_max,
            settings.integer("text_bytes_max", 1 << 20, 1,
                             static_cast<std::int64_t>(NgramRules::kTextBytesMax)));
  BRAID_TRY_DO(settings.finish());
  BRAID_TRY(const std::string json, read_file(file, kTableBytesMax));
  if (!digest.empty() && digest != sha256(json)) {
    return settings.error("digest", fmt::format("{} is not the table that this was fitted with; "
                                                "run `braid fit` again",
                                                file.string()));
  }
  BRAID_TRY(NgramTable table, NgramTable::parse(json, file.string()));
  return std::unique_ptr<Preprocessor>(
      std::make_unique<Ngrams>(std::move(table), static_cast<std::size_t>(bytes_max)));
}

}  // namespace

void register_ngrams(Registry<Preprocessor>& registry) { registry.add("ngrams", open); }

}  // namespace braid
