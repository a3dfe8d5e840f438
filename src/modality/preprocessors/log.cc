// Log: lines to the templates that they have, by a table that Drain fitted:
//   counts FP32 [1, templates + 1]: lines of each template; column 0 counts lines of none
//   templates INT64 [1, length]: the template of each line in order, 0 for a line of none
//   mask INT64 [1, length]: 1 where a line is, 0 where nothing is, and `templates` 0
// All lines are counted; the sequence keeps its end or its beginning. Blank lines do not count.
// docs/ngrams-and-logs.md has the settings.

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/file.h"
#include "modality/log/drain_fit.h"
#include "modality/log/log_table.h"
#include "modality/preprocessor.h"

namespace braid {
namespace {

constexpr std::size_t kTableBytesMax = std::size_t{256} << 20;

struct LogOptions {
  std::size_t bytes_max = 4 << 20;
  std::size_t lines_max = 100'000;
  std::size_t length = 256;
  bool keeps_end = true;
  bool everywhere = false;
};

class Log final : public Preprocessor {
 public:
  Log(LogTable table, const LogOptions& options) : table_(std::move(table)), options_(options) {}

  Result<Encoded> encode(Bytes raw) const override {
    if (raw.size() > options_.bytes_max) {
      return Error{Code::kExhausted, fmt::format("a log of {} bytes; bytes_max is {}", raw.size(),
                                                 options_.bytes_max)};
    }
    std::vector<std::uint32_t> numbers;
    double cut_count = 0;
    std::size_t line_count = 0;
    for_each_line(raw, [&](Bytes line) {
      if (++line_count <= options_.lines_max) {
        const LogWords words(table_.rules(), line);
        cut_count += words.cut() ? 1 : 0;
        numbers.push_back(table_.match(words, options_.everywhere));
      }
    });
    if (line_count > options_.lines_max) {
      return Error{Code::kExhausted, fmt::format("a log of {} lines; lines_max is {}", line_count,
                                                 options_.lines_max)};
    }
    Encoded encoded;
    BRAID_TRY(encoded.tensors, tensors_of(numbers));
    const auto lines = static_cast<double>(numbers.size());
    const auto unknown = static_cast<double>(std::ranges::count(numbers, LogTable::kUnknown));
    encoded.quality = {{"lines", lines},
                       {"unknown_share", lines > 0 ? unknown / lines : 0},
                       {"cut_lines", cut_count}};
    return encoded;
  }

  std::vector<TensorSpec> outputs() const override {
    const auto length = static_cast<std::int64_t>(options_.length);
    return {{.name = "counts",
             .dtype = DType::kFp32,
             .shape = {1, static_cast<std::int64_t>(table_.template_count() + 1)}},
            {.name = "templates", .dtype = DType::kInt64, .shape = {1, length}},
            {.name = "mask", .dtype = DType::kInt64, .shape = {1, length}}};
  }

 private:
  Result<NamedTensors> tensors_of(const std::vector<std::uint32_t>& numbers) const {
    BRAID_TRY(Tensor counts, Tensor::zeros(DType::kFp32, Shape{1, table_.template_count() + 1}));
    BRAID_TRY(Tensor sequence, Tensor::zeros(DType::kInt64, Shape{1, options_.length}));
    BRAID_TRY(Tensor mask, Tensor::zeros(DType::kInt64, Shape{1, options_.length}));
    const std::span<float> into = counts.mutable_values<float>();
    for (const std::uint32_t number : numbers) {
      into[number] += 1;
    }
    const std::size_t kept = std::min(numbers.size(), options_.length);
    const std::size_t first = options_.keeps_end ? numbers.size() - kept : 0;
    std::ranges::copy(std::span(numbers).subspan(first, kept),
                      sequence.mutable_values<std::int64_t>().begin());
    std::ranges::fill(mask.mutable_values<std::int64_t>().first(kept), 1);

    NamedTensors tensors;
    tensors.push_back({"counts", std::move(counts)});
    tensors.push_back({"templates", std::move(sequence)});
    tensors.push_back({"mask", std::move(mask)});
    return tensors;
  }

  const LogTable table_;
  const LogOptions options_;
};

Result<LogOptions> options_from(const Settings& settings) {
  LogOptions options;
  BRAID_TRY(const auto bytes_max, settings.integer("bytes_max", 4 << 20, 1, 1 << 30));
  BRAID_TRY(const auto lines_max, settings.integer("lines_max", 100'000, 1, 10'000'000));
  BRAID_TRY(const auto length, settings.integer("length", 256, 1, 1 << 20));
  BRAID_TRY(const std::string keep, settings.choice("keep", {"end", "begin"}, "end"));
  BRAID_TRY(options.everywhere, settings.flag("full_search", options.everywhere));
  options.bytes_max = static_cast<std::size_t>(bytes_max);
  options.lines_max = static_cast<std::size_t>(lines_max);
  options.length = static_cast<std::size_t>(length);
  options.keeps_end = keep == "end";
  return options;
}

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  BRAID_TRY(const std::filesystem::path file, settings.file("table"));
  BRAID_TRY(const std::string digest, settings.text("digest", ""));
  BRAID_TRY(const LogOptions options, options_from(settings));
  BRAID_TRY_DO(settings.finish());
  BRAID_TRY(const std::string json, read_file(file, kTableBytesMax));
  if (!digest.empty() && digest != sha256(json)) {
    return settings.error("digest", fmt::format("{} is not the table that this was fitted with; "
                                                "run `braid fit` again",
                                                file.string()));
  }
  BRAID_TRY(LogTable table, LogTable::parse(json, file.string()));
  return std::unique_ptr<Preprocessor>(std::make_unique<Log>(std::move(table), options));
}

}  // namespace

void register_log(Registry<Preprocessor>& registry) { registry.add("log", open); }

}  // namespace braid
