#include "modality/image/picture_settings.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace braid {
namespace {

constexpr double kSideMax = 16384;

/// `size: 224` or `size: [height, width]`.
Result<Extent> read_size(const Settings& settings) {
  BRAID_TRY(const std::vector<double> sides, settings.numbers("size", {}));
  const auto is_side = [](double side) {
    return side >= 1 && side <= kSideMax && std::trunc(side) == side;
  };
  if (sides.empty() || sides.size() > 2 || !std::ranges::all_of(sides, is_side)) {
    return settings.error("size", fmt::format("the pixels that the model takes are wanted, one "
                                              "number or [height, width], each 1 … {}",
                                              kSideMax));
  }
  return Extent{static_cast<std::size_t>(sides.back()), static_cast<std::size_t>(sides.front())};
}

}  // namespace

Result<Framing> read_framing(const Settings& settings) {
  BRAID_TRY(const std::string fit,
            settings.choice("fit", {"stretch", "shorter_side", "crop"}, "stretch"));
  BRAID_TRY(const std::int64_t resize_to,
            settings.integer("resize_to", 0, 1, static_cast<std::int64_t>(kSideMax)));
  Framing framing;
  framing.resize_to = static_cast<std::size_t>(resize_to);
  if (fit == "shorter_side") {
    framing.fit = Fit::kShorterSide;
    if (settings.find("size") != nullptr) {
      return settings.error("size",
                            "'fit: shorter_side' leaves the longer side free: give "
                            "'resize_to' alone, or use 'fit: crop'");
    }
    if (resize_to == 0) {
      return settings.error("resize_to", "'fit: shorter_side' needs the length of that side");
    }
    return framing;
  }
  BRAID_TRY(framing.size, read_size(settings));
  if (fit == "stretch") {
    if (resize_to != 0) {
      return settings.error("resize_to",
                            "'fit: stretch' has no use for it; did you mean "
                            "'fit: crop'?");
    }
    return framing;
  }
  framing.fit = Fit::kCrop;
  const std::size_t longer = std::max(framing.size.width, framing.size.height);
  framing.resize_to = resize_to == 0 ? longer : framing.resize_to;
  if (framing.resize_to < longer) {
    return settings.error("resize_to",
                          fmt::format("{} is too short to cut {} × {} from", framing.resize_to,
                                      framing.size.height, framing.size.width));
  }
  return framing;
}

Result<Normaliser::Options> read_normalise(const Settings& settings) {
  Normaliser::Options options;
  BRAID_TRY(const std::string channels, settings.choice("channels", {"rgb", "bgr", "grey"}, "rgb"));
  options.channels = channels == "rgb"   ? Channels::kRgb
                     : channels == "bgr" ? Channels::kBgr
                                         : Channels::kGrey;
  BRAID_TRY(options.scale, settings.number("scale", options.scale, -1e6, 1e6));
  BRAID_TRY(options.mean, settings.numbers("mean", options.mean));
  BRAID_TRY(options.std, settings.numbers("std", options.std));
  const std::size_t count = options.channels == Channels::kGrey ? 1 : 3;
  for (const auto& [key, values] : {std::pair{"mean", &options.mean}, {"std", &options.std}}) {
    if (values->size() != 1 && values->size() != count) {
      return settings.error(key, fmt::format("{} numbers for {} channels: give 1 or {}",
                                             values->size(), count, count));
    }
  }
  if (std::ranges::any_of(options.std, [](double value) { return value < 1e-12; })) {
    return settings.error("std", "a divisor must be above 0");
  }
  return options;
}

Result<Resampling> read_resampling(const Settings& settings) {
  BRAID_TRY(const std::string name,
            settings.choice("resize", {"bilinear", "bicubic", "nearest"}, "bilinear"));
  Resampling resampling;
  resampling.interpolation = name == "bilinear"  ? Interpolation::kBilinear
                             : name == "bicubic" ? Interpolation::kBicubic
                                                 : Interpolation::kNearest;
  BRAID_TRY(resampling.antialias, settings.flag("antialias", resampling.antialias));
  return resampling;
}

}  // namespace braid
