#include "modality/video/video_options.h"

#include <string>

#include "modality/image/picture_settings.h"

namespace braid {
namespace {

constexpr std::int64_t kFramesMax = 100'000;

Result<VideoLimits> read_limits(const Settings& settings) {
  constexpr std::int64_t kBytesMax = std::int64_t{1} << 40;
  VideoLimits limits;
  BRAID_TRY(limits.bytes_max,
            settings.integer("bytes_max", limits.bytes_max, 1, std::int64_t{1} << 32));
  BRAID_TRY(limits.streams_max, settings.integer("streams_max", limits.streams_max, 1, 1000));
  BRAID_TRY(limits.pixels_max,
            settings.integer("pixels_max", limits.pixels_max, 1, std::int64_t{1} << 28));
  BRAID_TRY(limits.frames_max, settings.integer("frames_max", limits.frames_max, 1, kFramesMax));
  BRAID_TRY(limits.seconds_max, settings.number("seconds_max", limits.seconds_max, 0.01, 3600));
  BRAID_TRY(limits.decoded_max, settings.integer("decoded_max", limits.decoded_max, 1, kBytesMax));
  BRAID_TRY(limits.tensor_max, settings.integer("tensor_max", limits.tensor_max, 1, kBytesMax));
  return limits;
}

Result<FrameChoice> read_choice(const Settings& settings) {
  FrameChoice choice;
  BRAID_TRY(const std::int64_t frames, settings.integer("frames", 0, 1, kFramesMax));
  choice.frames = static_cast<std::size_t>(frames);
  BRAID_TRY(choice.rate, settings.number("rate", 0, 0.001, 1000));
  if (frames == 0 && choice.rate == 0) {
    return settings.error("frames", "the number of frames is wanted, or 'rate', frames a second");
  }
  BRAID_TRY(const std::string places, settings.choice("places", {"ends", "centres"}, "ends"));
  choice.places = places == "ends" ? Places::kEnds : Places::kCentres;
  if (choice.rate > 0 && settings.find("places") != nullptr) {
    return settings.error("places", "'rate' begins with the first frame and has no use for it");
  }
  return choice;
}

/// The sound's own map, with the keys of modality `audio` that leave its time alone.
Result<void> read_sound(const Settings& settings, VideoOptions& options) {
  if (settings.find("sound") == nullptr) {
    return {};
  }
  BRAID_TRY(const Settings sound, settings.map("sound"));
  for (const char* key : {"trim_db", "voice_gate"}) {
    if (sound.find(key) != nullptr) {
      return sound.error(key, "it would move the sound against the frames; leave it out");
    }
  }
  for (const char* key : {"bytes_max", "seconds_max"}) {
    if (sound.find(key) != nullptr) {
      return sound.error(key, "the limit of the video holds; set it there");
    }
  }
  BRAID_TRY(const std::string missing, sound.choice("if_missing", {"error", "silence"}, "error"));
  options.silence_if_missing = missing == "silence";
  BRAID_TRY(options.sound, read_audio_options(sound));
  return {};
}

}  // namespace

Result<VideoOptions> read_video_options(const Settings& settings) {
  VideoOptions options;
  BRAID_TRY(options.limits, read_limits(settings));
  BRAID_TRY(options.choice, read_choice(settings));
  BRAID_TRY(options.rotate, settings.flag("rotate", options.rotate));
  BRAID_TRY(options.damaged_max, settings.number("damaged_max", options.damaged_max, 0, 1));
  BRAID_TRY(options.framing, read_framing(settings));
  BRAID_TRY(options.resampling, read_resampling(settings));
  BRAID_TRY(options.normalise, read_normalise(settings));
  BRAID_TRY(const std::string layout, settings.choice("layout", {"tchw", "thwc", "cthw"}, "tchw"));
  options.layout = layout == "tchw"   ? FrameLayout::kFramesFirst
                   : layout == "thwc" ? FrameLayout::kChannelsLast
                                      : FrameLayout::kChannelsFirst;
  options.normalise.channels_last = options.layout == FrameLayout::kChannelsLast;
  BRAID_TRY_DO(read_sound(settings, options));
  BRAID_TRY_DO(settings.finish());
  return options;
}

}  // namespace braid
