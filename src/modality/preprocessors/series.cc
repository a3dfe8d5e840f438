// Series: sampled values of several channels, with time stamps and gaps, to tensors:
//   series [1, channels, length], with `window` [1, windows, channels, window], or
//   statistics [1, channels · statistics], with `window` [1, windows, channels · statistics]
// In this order: read, resample onto a grid, fill, scale, crop or pad, cut windows, measure.
// docs/series.md lists the settings and the statistics.

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "modality/preprocessor.h"
#include "modality/series/series_options.h"
#include "modality/series/series_tensors.h"

namespace braid {
namespace {

class Series final : public Preprocessor {
 public:
  explicit Series(SeriesOptions options) : options_(std::move(options)), tensors_(options_) {}

  Result<Encoded> encode(Bytes raw) const override {
    if (std::cmp_greater(raw.size(), options_.bytes_max)) {
      return Error{Code::kExhausted, fmt::format("the series has {} bytes; bytes_max is {}",
                                                 raw.size(), options_.bytes_max)};
    }
    BRAID_TRY(Recording recording, read_recording(raw, options_.reader));
    Encoded encoded;
    encoded.quality = quality(recording);
    if (options_.grid.has_value()) {
      BRAID_TRY(recording, on_grid(recording, *options_.grid));
    }
    BRAID_TRY(encoded.tensors, tensors_.of(std::move(recording)));
    return encoded;
  }

  std::vector<TensorSpec> outputs() const override { return tensors_.specs(); }

 private:
  /// Of what came, before resampling. `longest_gap` is in seconds between neighbouring samples.
  static std::vector<std::pair<std::string, double>> quality(const Recording& recording) {
    double gaps = 0;
    for (const std::vector<double>& channel : recording.channels) {
      gaps += static_cast<double>(
          std::ranges::count_if(channel, [](double value) { return std::isnan(value); }));
    }
    double longest = 0;
    for (std::size_t i = 1; i < recording.size(); ++i) {
      longest = std::max(longest, recording.times[i] - recording.times[i - 1]);
    }
    const auto samples = static_cast<double>(recording.size());
    return {{"samples", samples},
            {"seconds", recording.times.back() - recording.times.front()},
            {"missing_share", gaps / samples / static_cast<double>(recording.channels.size())},
            {"longest_gap", longest}};
  }

  const SeriesOptions options_;
  const SeriesTensors tensors_;
};

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  BRAID_TRY(SeriesOptions options, read_series_options(settings));
  return std::unique_ptr<Preprocessor>(std::make_unique<Series>(std::move(options)));
}

}  // namespace

void register_series(Registry<Preprocessor>& registry) { registry.add("series", open); }

}  // namespace braid
