#include "modality/series/series_tensors.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "modality/series/basic.h"

namespace braid {
namespace {

constexpr std::size_t kValuesMax = std::size_t{1} << 24;  // 64 MB

/// By the channel's own values, as scikit-learn's StandardScaler and MinMaxScaler: what does not
/// vary becomes 0.
void scale(std::vector<double>& channel, Scaling scaling) {
  std::vector<double> present;
  std::ranges::copy_if(channel, std::back_inserter(present),
                       [](double value) { return !std::isnan(value); });
  if (present.empty() || scaling == Scaling::kNone) {
    return;
  }
  const bool standard = scaling == Scaling::kStandard;
  const double from = standard ? basic::mean(present) : basic::min(present);
  const double by = standard ? basic::std(present) : basic::max(present) - from;
  const bool varies = by > 1e-12 * std::abs(from);
  for (double& value : channel) {
    value = (value - from) / (varies ? by : 1);
  }
}

Result<void> check_count(std::size_t count, std::size_t each) {
  if (count > kValuesMax / each) {
    return Error{Code::kExhausted,
                 fmt::format("{} × {} values are more than {}: raise 'step' or shorten the series",
                             count, each, kValuesMax)};
  }
  return {};
}

}  // namespace

std::vector<TensorSpec> SeriesTensors::specs() const {
  const auto channels = static_cast<std::int64_t>(options_.reader.channels.size());
  const auto or_free = [](std::size_t count) {
    return count == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(count);
  };
  const bool cut = options_.window != 0;
  std::int64_t windows = -1;
  if (cut && options_.length != 0) {
    windows = static_cast<std::int64_t>((options_.length - options_.window) / options_.step + 1);
  }
  if (!options_.statistics.empty()) {
    const auto width = channels * static_cast<std::int64_t>(options_.statistics.size());
    if (cut) {
      return {{"statistics", DType::kFp32, {1, windows, width}}};
    }
    return {{"statistics", DType::kFp32, {1, width}}};
  }
  const std::int64_t length = or_free(cut ? options_.window : options_.length);
  std::vector<std::int64_t> shape = {1};
  if (cut) {
    shape.push_back(windows);
  }
  shape.push_back(options_.time_first ? length : channels);
  shape.push_back(options_.time_first ? channels : length);
  std::vector<TensorSpec> specs = {{"series", DType::kFp32, shape}};
  if (options_.mask) {
    specs.push_back({"present", DType::kFp32, shape});
  }
  return specs;
}

void SeriesTensors::prepare(std::vector<double>& channel, std::size_t channel_index) const {
  fill_gaps(channel, options_.fill);
  scale(channel, options_.scaling);
  for (double& value : channel) {
    value = (value - options_.mean[channel_index]) / options_.std[channel_index];
  }
}

/// Crops or pads to `length`.
static void fit(std::vector<double>& channel, std::size_t length, bool keeps_end, double pad) {
  if (length == 0) {
    return;
  }
  const auto difference =
      static_cast<std::ptrdiff_t>(channel.size()) - static_cast<std::ptrdiff_t>(length);
  if (!keeps_end) {
    channel.resize(length, pad);
  } else if (difference > 0) {
    channel.erase(channel.begin(), channel.begin() + difference);
  } else {
    channel.insert(channel.begin(), static_cast<std::size_t>(-difference), pad);
  }
}

Result<std::size_t> SeriesTensors::window_count(std::size_t length) const {
  if (options_.window == 0) {
    return std::size_t{1};
  }
  if (length < options_.window) {
    return Error{Code::kInvalidArgument,
                 fmt::format("the series has {} samples, a window takes {}; send more or set "
                             "'length', which pads",
                             length, options_.window)};
  }
  return (length - options_.window) / options_.step + 1;
}

Result<Tensor> SeriesTensors::raw(const std::vector<std::vector<double>>& channels) const {
  const std::size_t total = channels.front().size();
  const std::size_t length = options_.window == 0 ? total : options_.window;
  BRAID_TRY(const std::size_t windows, window_count(total));
  BRAID_TRY_DO(check_count(windows, length * channels.size()));
  Shape shape = {1};
  if (options_.window != 0) {
    shape.push_back(windows);
  }
  shape.push_back(options_.time_first ? length : channels.size());
  shape.push_back(options_.time_first ? channels.size() : length);
  BRAID_TRY(Tensor tensor, Tensor::zeros(DType::kFp32, shape));
  const std::span<float> values = tensor.mutable_values<float>();
  const std::size_t channel_step = options_.time_first ? 1 : length;
  const std::size_t time_step = options_.time_first ? channels.size() : 1;
  for (std::size_t w = 0; w < windows; ++w) {
    for (std::size_t c = 0; c < channels.size(); ++c) {
      float* to = values.data() + w * length * channels.size() + c * channel_step;
      for (std::size_t i = 0; i < length; ++i, to += time_step) {
        *to = static_cast<float>(channels[c][w * options_.step + i]);
      }
    }
  }
  return tensor;
}

Result<Tensor> SeriesTensors::statistics(const std::vector<std::vector<double>>& channels) const {
  const std::size_t total = channels.front().size();
  const std::size_t length = options_.window == 0 ? total : options_.window;
  BRAID_TRY(const std::size_t windows, window_count(total));
  const std::size_t width = channels.size() * options_.statistics.size();
  // What is computed, not only what is kept: windows may overlap almost wholly.
  BRAID_TRY_DO(check_count(windows, std::max(width, length * channels.size())));
  const Shape shape = options_.window == 0 ? Shape{1, width} : Shape{1, windows, width};
  BRAID_TRY(Tensor tensor, Tensor::zeros(DType::kFp32, shape));
  float* to = tensor.mutable_values<float>().data();
  for (std::size_t w = 0; w < windows; ++w) {
    for (const std::vector<double>& channel : channels) {
      const std::span<const double> stretch = std::span(channel).subspan(w * options_.step, length);
      for (const double value : measured(stretch, options_.statistics)) {
        *to++ = static_cast<float>(options_.undefined_as_zero && std::isnan(value) ? 0 : value);
      }
    }
  }
  return tensor;
}

Result<NamedTensors> SeriesTensors::of(Recording recording) const {
  std::vector<std::vector<double>>& channels = recording.channels;
  std::vector<std::vector<double>> present;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (options_.mask) {
      std::vector<double>& there = present.emplace_back();
      for (const double value : channels[c]) {
        there.push_back(std::isnan(value) ? 0 : 1);
      }
      fit(there, options_.length, options_.keeps_end, 0);
    }
    prepare(channels[c], c);
    fit(channels[c], options_.length, options_.keeps_end, options_.pad);
  }
  NamedTensors tensors;
  if (!options_.statistics.empty()) {
    BRAID_TRY(Tensor tensor, statistics(channels));
    tensors.push_back({"statistics", std::move(tensor)});
    return tensors;
  }
  BRAID_TRY(Tensor tensor, raw(channels));
  tensors.push_back({"series", std::move(tensor)});
  if (options_.mask) {
    BRAID_TRY(Tensor mask, raw(present));
    tensors.push_back({"present", std::move(mask)});
  }
  return tensors;
}

}  // namespace braid
