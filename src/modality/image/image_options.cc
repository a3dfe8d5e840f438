#include "modality/image/image_options.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "modality/image/picture_settings.h"

namespace braid {
namespace {

Result<Colour> read_background(const Settings& settings) {
  const Yaml* value = settings.find("background");
  if (value == nullptr || value->text() == "white") {
    return Colour{255, 255, 255};
  }
  if (value->text() == "black") {
    return Colour{0, 0, 0};
  }
  const Error wrong = settings.error("background",
                                     "white, black or [red, green, blue] is wanted, "
                                     "each 0 … 255");
  if (value->kind() != Yaml::Kind::kList || value->items().size() != 3) {
    return wrong;
  }
  BRAID_TRY(const std::vector<double> parts, value->numbers());
  Colour colour = {};
  for (std::size_t c = 0; c < colour.size(); ++c) {
    if (parts[c] < 0 || parts[c] > 255 || std::trunc(parts[c]) != parts[c]) {
      return wrong;
    }
    colour[c] = static_cast<std::uint8_t>(parts[c]);
  }
  return colour;
}

/// The shortest side that a JPEG may be decoded to, or 0 for all of it.
Result<std::size_t> read_draft(const Settings& settings, const Framing& framing) {
  BRAID_TRY(const bool draft, settings.flag("draft", false));
  return draft ? std::max({framing.resize_to, framing.size.width, framing.size.height}) : 0;
}

}  // namespace

Result<ImageOptions> read_image_options(const Settings& settings) {
  constexpr std::int64_t kMax = std::int64_t{1} << 32;
  ImageOptions options;
  BRAID_TRY(options.framing, read_framing(settings));
  BRAID_TRY(options.resampling, read_resampling(settings));
  BRAID_TRY(const std::string pad, settings.choice("pad", {"none", "square"}, "none"));
  options.pad_square = pad == "square";
  BRAID_TRY(options.background, read_background(settings));
  BRAID_TRY(options.exif, settings.flag("exif", options.exif));
  BRAID_TRY(options.normalise, read_normalise(settings));
  BRAID_TRY(const std::string layout, settings.choice("layout", {"nchw", "nhwc"}, "nchw"));
  options.normalise.channels_last = layout == "nhwc";
  BRAID_TRY(options.decode.draft_to, read_draft(settings, options.framing));
  BRAID_TRY(options.decode.pixels_max,
            settings.integer("pixels_max", options.decode.pixels_max, 1, kMax));
  BRAID_TRY(options.bytes_max, settings.integer("bytes_max", options.bytes_max, 1, kMax));
  BRAID_TRY_DO(settings.finish());
  return options;
}

}  // namespace braid
