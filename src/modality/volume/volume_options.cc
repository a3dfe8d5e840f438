#include "modality/volume/volume_options.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "modality/volume/dicom/pixels.h"

namespace braid {
namespace {

constexpr double kSideMax = 4096;

/// One number for all axes or one for each; nothing when the key is missing.
Result<std::optional<PerAxis<double>>> read_axes(const Settings& settings, const std::string& key,
                                                 double min, double max) {
  if (settings.find(key) == nullptr) {
    return std::optional<PerAxis<double>>();
  }
  BRAID_TRY(const std::vector<double> values, settings.numbers(key, {}));
  const auto fits = [&](double value) { return value >= min && value <= max; };
  if ((values.size() != 1 && values.size() != 3) || !std::ranges::all_of(values, fits)) {
    return settings.error(key, fmt::format("one number or [depth, height, width] is wanted, each "
                                           "{} … {}",
                                           min, max));
  }
  return std::optional(PerAxis<double>{values.front(), values[values.size() / 2], values.back()});
}

/// "RAS", the ends towards which the tensor's axes run.
Result<std::optional<PerAxis<Orientation::Axis>>> read_orientation(const Settings& settings) {
  BRAID_TRY(const std::string code, settings.text("orientation", "RAS"));
  std::optional<PerAxis<Orientation::Axis>> none;
  if (code == "file") {
    return none;
  }
  constexpr std::string_view kEnds = "RASLPI";
  PerAxis<Orientation::Axis> axes;
  std::array<bool, 3> taken = {};
  bool valid = code.size() == 3;
  for (std::size_t i = 0; valid && i < 3; ++i) {
    const std::size_t end = kEnds.find(code[i]);
    valid = end != std::string_view::npos && !taken[end % 3];
    if (valid) {
      taken[end % 3] = true;
      axes[i] = {end % 3, end >= 3};
    }
  }
  if (!valid) {
    return settings.error("orientation",
                          fmt::format("'{}' is neither 'file' nor one letter each of R or L, A or "
                                      "P, S or I, such as RAS (nibabel, MONAI) or SPL (SimpleITK)",
                                      code));
  }
  return std::optional(axes);
}

Result<void> read_fit(const Settings& settings, GridOptions& grid) {
  BRAID_TRY(const std::string fit,
            settings.choice("fit", {"stretch", "crop"}, grid.spacing ? "crop" : "stretch"));
  grid.fit = fit == "crop" ? VolumeFit::kCrop : VolumeFit::kStretch;
  if (settings.find("fit") != nullptr && !grid.size.has_value()) {
    return settings.error("fit", "it needs a 'size'");
  }
  if (fit == "stretch" && grid.spacing.has_value()) {
    return settings.error("fit",
                          "'fit: stretch' and 'spacing' both say how to resample: leave one "
                          "out, or use 'fit: crop'");
  }
  BRAID_TRY(const std::string place,
            settings.choice("grid", {"corners", "edges", "origin"}, "corners"));
  grid.grid = place == "corners" ? GridFit::kCorners
              : place == "edges" ? GridFit::kEdges
                                 : GridFit::kOrigin;
  if (grid.grid == GridFit::kOrigin && !grid.spacing.has_value()) {
    return settings.error("grid", "'grid: origin' needs a 'spacing'");
  }
  return {};
}

Result<GridOptions> read_grid(const Settings& settings) {
  GridOptions grid;
  BRAID_TRY(const auto size, read_axes(settings, "size", 1, kSideMax));
  if (size.has_value()) {
    PerAxis<std::size_t> whole;
    for (std::size_t i = 0; i < 3; ++i) {
      if (std::trunc((*size)[i]) != (*size)[i]) {
        return settings.error("size", "whole numbers are wanted");
      }
      whole[i] = static_cast<std::size_t>((*size)[i]);
    }
    grid.size = whole;
  }
  BRAID_TRY(grid.spacing, read_axes(settings, "spacing", 1e-3, 1e3));
  BRAID_TRY_DO(read_fit(settings, grid));
  BRAID_TRY(const std::string resample,
            settings.choice("resample", {"linear", "nearest"}, "linear"));
  grid.nearest = resample == "nearest";
  BRAID_TRY(grid.orientation, read_orientation(settings));
  return grid;
}

/// [low, high].
Result<std::array<double, 2>> read_range(const Settings& settings, const std::string& key,
                                         std::array<double, 2> fallback) {
  BRAID_TRY(const std::vector<double> ends,
            settings.numbers(key, {fallback.begin(), fallback.end()}));
  if (ends.size() != 2 || !(ends[0] < ends[1]) || !(std::abs(ends[0]) < 1e30) ||
      !(std::abs(ends[1]) < 1e30)) {
    return settings.error(key, "[low, high] is wanted, low below high");
  }
  return std::array{ends[0], ends[1]};
}

Result<IntensityOptions> read_intensity(const Settings& settings) {
  IntensityOptions intensity;
  if (settings.find("window") != nullptr) {
    BRAID_TRY(intensity.window, read_range(settings, "window", {}));
  }
  BRAID_TRY(intensity.window_to, read_range(settings, "window_to", intensity.window_to));
  if (settings.find("window_to") != nullptr && !intensity.window.has_value()) {
    return settings.error("window_to", "it needs a 'window'");
  }
  BRAID_TRY(const std::string normalise,
            settings.choice("normalise", {"none", "zscore", "zscore_nonzero"}, "none"));
  intensity.normalise = normalise == "none"     ? VolumeNormalise::kNone
                        : normalise == "zscore" ? VolumeNormalise::kZScore
                                                : VolumeNormalise::kZScoreNonzero;
  BRAID_TRY(intensity.mean, settings.number("mean", intensity.mean, -1e30, 1e30));
  BRAID_TRY(intensity.std, settings.number("std", intensity.std, 1e-12, 1e30));
  return intensity;
}

Result<DicomOptions> read_dicom_options(const Settings& settings) {
  BRAID_TRY(const std::string monochrome1,
            settings.choice("monochrome1", {"as_stored", "inverted"}, "as_stored"));
  BRAID_TRY(const std::string dicom, settings.choice("dicom", {"on_use", "at_load"}, "on_use"));
  if (dicom == "at_load") {
    BRAID_TRY_DO(open_dicom_module().within("dicom: at_load"));
  }
  return DicomOptions{.invert_monochrome1 = monochrome1 == "inverted"};
}

}  // namespace

Result<VolumeOptions> read_volume_options(const Settings& settings) {
  constexpr std::int64_t kMax = std::int64_t{1} << 32;
  constexpr std::int64_t kGainMax = 1'000'000;
  VolumeOptions options;
  BRAID_TRY(options.grid, read_grid(settings));
  BRAID_TRY(options.intensity, read_intensity(settings));
  BRAID_TRY(const std::int64_t channels, settings.integer("channels", 1, 1, 1024));
  options.channel_count = static_cast<std::size_t>(channels);
  BRAID_TRY(options.fill, settings.number("fill", options.fill, -1e30, 1e30));
  BRAID_TRY(options.pad, settings.number("pad", options.pad, -1e30, 1e30));
  BRAID_TRY(options.dicom, read_dicom_options(settings));
  VolumeLimits& limits = options.limits;
  BRAID_TRY(limits.voxels_max, settings.integer("voxels_max", limits.voxels_max, 1, kMax));
  BRAID_TRY(limits.bytes_max, settings.integer("bytes_max", limits.bytes_max, 1, kMax));
  BRAID_TRY(limits.gain_max, settings.integer("gain_max", limits.gain_max, 1, kGainMax));
  BRAID_TRY_DO(settings.finish());
  if (options.grid.size.has_value()) {
    const auto [depth, height, width] = *options.grid.size;
    const std::size_t count = depth * height * width * options.channel_count;
    if (std::cmp_greater(count, limits.voxels_max)) {
      return settings.error(
          "size", fmt::format("{} voxels in all; voxels_max is {}", count, limits.voxels_max));
    }
  }
  return options;
}

}  // namespace braid
