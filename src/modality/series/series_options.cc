#include "modality/series/series_options.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::int64_t kSamplesMax = 10'000'000;

Result<ReaderOptions> read_reader(const Settings& settings) {
  ReaderOptions reader;
  BRAID_TRY(reader.channels, settings.texts("channels", {}));
  if (reader.channels.empty() || reader.channels.size() > 1024) {
    return settings.error("channels", "the names of 1 … 1024 channels are wanted");
  }
  BRAID_TRY(reader.time, settings.text("time", ""));
  std::set<std::string> names(reader.channels.begin(), reader.channels.end());
  if (names.size() != reader.channels.size() || names.contains(reader.time)) {
    return settings.error("channels", "a name comes twice, or is that of 'time'");
  }
  BRAID_TRY(const std::string unit,
            settings.choice("time_unit", {"s", "ms", "us", "ns", "iso8601"}, "s"));
  reader.unit = unit == "s"    ? TimeUnit::kSeconds
                : unit == "ms" ? TimeUnit::kMilliseconds
                : unit == "us" ? TimeUnit::kMicroseconds
                : unit == "ns" ? TimeUnit::kNanoseconds
                               : TimeUnit::kIso8601;
  BRAID_TRY(reader.rate, settings.number("rate", reader.rate, 1e-9, 1e9));
  if (!reader.time.empty() && settings.find("rate") != nullptr) {
    return settings.error("rate", "'time' tells it already; leave one of the two out");
  }
  BRAID_TRY(const std::string unsorted, settings.choice("unsorted", {"refuse", "sort"}, "refuse"));
  BRAID_TRY(const std::string extra, settings.choice("extra", {"ignore", "refuse"}, "ignore"));
  reader.sorted_here = unsorted == "sort";
  reader.extra_ignored = extra == "ignore";
  BRAID_TRY(reader.samples_max,
            settings.integer("samples_max", reader.samples_max, 1, kSamplesMax));
  return reader;
}

Result<std::optional<GridOptions>> read_grid(const Settings& settings, std::int64_t samples_max) {
  if (settings.find("every") == nullptr) {
    return std::optional<GridOptions>();
  }
  GridOptions grid;
  grid.samples_max = samples_max;
  BRAID_TRY(grid.every, settings.number("every", 1, 1e-9, 1e9));
  BRAID_TRY(const std::string kind,
            settings.choice("resample", {"mean", "linear", "previous"}, "mean"));
  grid.resampling = kind == "mean"     ? Resampling::kMean
                    : kind == "linear" ? Resampling::kLinear
                                       : Resampling::kPrevious;
  BRAID_TRY(grid.gap_max, settings.number("gap_max", 0, 1e-9, 1e12));
  if (grid.gap_max > 0 && grid.resampling == Resampling::kMean) {
    return settings.error("gap_max", "'resample: mean' bridges no gap; use linear or previous");
  }
  return std::optional(grid);
}

Result<void> read_values(const Settings& settings, SeriesOptions& options) {
  BRAID_TRY(const std::string fill,
            settings.choice("fill", {"none", "zero", "mean", "previous", "linear"}, "none"));
  options.fill = fill == "none"       ? Fill::kNone
                 : fill == "zero"     ? Fill::kZero
                 : fill == "mean"     ? Fill::kMean
                 : fill == "previous" ? Fill::kPrevious
                                      : Fill::kLinear;
  BRAID_TRY(const std::string scaling,
            settings.choice("normalise", {"none", "standard", "range"}, "none"));
  options.scaling = scaling == "none"       ? Scaling::kNone
                    : scaling == "standard" ? Scaling::kStandard
                                            : Scaling::kRange;
  BRAID_TRY(options.mean, settings.numbers("mean", {0}));
  BRAID_TRY(options.std, settings.numbers("std", {1}));
  const std::size_t count = options.reader.channels.size();
  for (const auto& [key, values] : {std::pair{"mean", &options.mean}, {"std", &options.std}}) {
    if (values->size() != 1 && values->size() != count) {
      return settings.error(key, fmt::format("{} numbers for {} channels: give 1 or {}",
                                             values->size(), count, count));
    }
    values->resize(count, values->front());
  }
  if (std::ranges::any_of(options.std, [](double value) { return !(value >= 1e-12); })) {
    return settings.error("std", "a divisor must be above 0");
  }
  return {};
}

Result<void> read_extent(const Settings& settings, SeriesOptions& options) {
  BRAID_TRY(const std::int64_t length, settings.integer("length", 0, 1, kSamplesMax));
  options.length = static_cast<std::size_t>(length);
  BRAID_TRY(const std::string keep, settings.choice("keep", {"end", "begin"}, "end"));
  options.keeps_end = keep == "end";
  if (settings.find("pad") != nullptr) {
    BRAID_TRY(options.pad, settings.number("pad", 0, -1e30, 1e30));
  }
  BRAID_TRY(const std::int64_t window, settings.integer("window", 0, 1, kSamplesMax));
  BRAID_TRY(const std::int64_t step, settings.integer("step", window, 1, kSamplesMax));
  options.window = static_cast<std::size_t>(window);
  options.step = static_cast<std::size_t>(step);
  if (window == 0 && settings.find("step") != nullptr) {
    return settings.error("step", "it moves a 'window', which is missing");
  }
  if (options.length != 0 && options.window > options.length) {
    return settings.error("window", fmt::format("{} samples do not fit a 'length' of {}",
                                                options.window, options.length));
  }
  return {};
}

Result<void> read_features(const Settings& settings, SeriesOptions& options) {
  BRAID_TRY(const std::string features, settings.choice("features", {"raw", "statistics"}, "raw"));
  if (features == "statistics") {
    BRAID_TRY(const std::vector<std::string> names, settings.texts("statistics", {"basic"}));
    auto chosen = chosen_statistics(names);
    if (!chosen.has_value() || chosen->empty()) {
      return settings.error("statistics",
                            chosen.has_value() ? "at least one is wanted" : chosen.error().message);
    }
    options.statistics = *std::move(chosen);
    BRAID_TRY(const std::string undefined, settings.choice("undefined", {"nan", "zero"}, "nan"));
    options.undefined_as_zero = undefined == "zero";
    return {};
  }
  BRAID_TRY(options.mask, settings.flag("mask", false));
  BRAID_TRY(const std::string layout,
            settings.choice("layout", {"channels_first", "time_first"}, "channels_first"));
  options.time_first = layout == "time_first";
  return {};
}

}  // namespace

Result<SeriesOptions> read_series_options(const Settings& settings) {
  SeriesOptions options;
  BRAID_TRY(options.bytes_max,
            settings.integer("bytes_max", options.bytes_max, 1, std::int64_t{1} << 30));
  BRAID_TRY(options.reader, read_reader(settings));
  BRAID_TRY(options.grid, read_grid(settings, options.reader.samples_max));
  BRAID_TRY_DO(read_values(settings, options));
  BRAID_TRY_DO(read_extent(settings, options));
  BRAID_TRY_DO(read_features(settings, options));
  BRAID_TRY_DO(settings.finish());
  return options;
}

}  // namespace braid
