// Video: an MP4, MOV, MKV, WebM, AVI or MPEG file to one tensor `video` FP32 [1, frames, channels,
// height, width], with the pixels of PyAV, and, where `sound` is set, its sound as the tensor of
// modality audio, beginning with the first frame. In this order: decode, choose frames, turn,
// resize, scale, normalise. docs/video.md lists the settings, docs/decisions/0027-video-module.md
// says why.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "modality/audio/sound_tensors.h"
#include "modality/preprocessor.h"
#include "modality/video/decoded_clip.h"
#include "modality/video/frame_tensor.h"
#include "modality/video/frame_times.h"
#include "modality/video/video_options.h"

namespace braid {
namespace {

using Quality = std::vector<std::pair<std::string, double>>;

class Video final : public Preprocessor {
 public:
  Video(VideoOptions options, const VideoModule& module)
      : options_(std::move(options)), module_(module) {
    if (options_.sound.has_value()) {
      sound_.emplace(*options_.sound);
    }
  }

  Result<Encoded> encode(Bytes raw) const override {
    BRAID_TRY(DecodedClip clip, DecodedClip::open(module_, raw, options_));
    const VideoFacts& facts = clip.facts();
    const std::vector<std::int64_t> ticks = frame_ticks(
        {facts.clock_seconds, facts.first_tick, facts.last_tick, facts.end_tick}, options_.choice);
    FrameTensor frames(options_, ticks.size(), options_.rotate ? facts.orientation : 1);
    BRAID_TRY(const VideoDecoded decoded, clip.show(ticks, options_, frames));
    Encoded encoded;
    BRAID_TRY(encoded.quality, quality(facts, decoded, frames));
    encoded.tensors.push_back({"video", frames.take()});
    if (sound_.has_value()) {
      BRAID_TRY(Sound sound, clip.sound(options_));
      BRAID_TRY(const Quality of_sound,
                sound_->encode(std::move(sound), encoded.tensors).within("the video's sound"));
      for (const auto& [name, value] : of_sound) {
        encoded.quality.emplace_back("sound_" + name, value);
      }
    }
    return encoded;
  }

  std::vector<TensorSpec> outputs() const override {
    std::vector<TensorSpec> specs = {FrameTensor::spec(options_)};
    if (sound_.has_value()) {
      specs.push_back(sound_->spec());
    }
    return specs;
  }

 private:
  Result<Quality> quality(const VideoFacts& facts, const VideoDecoded& decoded,
                          const FrameTensor& frames) const {
    const std::int64_t damaged = decoded.damaged_count + facts.lost_count;
    const std::int64_t count = std::max(decoded.frame_count + facts.lost_count, damaged);
    const double share = static_cast<double>(damaged) / static_cast<double>(count);
    if (share > options_.damaged_max) {
      return Error{Code::kInvalidArgument,
                   fmt::format("{} of the video's {} frames are damaged or missing; damaged_max is "
                               "a share of {}",
                               damaged, count, options_.damaged_max)};
    }
    const double seconds =
        static_cast<double>(facts.end_tick - facts.first_tick) * facts.clock_seconds;
    const auto frame_count = static_cast<double>(decoded.frame_count);
    const PictureQuality picture = frames.quality();
    return Quality{{"frames", frame_count},
                   {"seconds", seconds},
                   {"frames_per_second", seconds > 0 ? frame_count / seconds : 0},
                   {"width", static_cast<double>(frames.extent().width)},
                   {"height", static_cast<double>(frames.extent().height)},
                   {"pixel_aspect", facts.pixel_aspect},
                   {"damaged", share},
                   {"has_sound", facts.has_sound ? 1.0 : 0.0},
                   {"blur", picture.blur},
                   {"brightness", picture.brightness},
                   {"clipped", picture.clipped}};
  }

  const VideoOptions options_;
  const VideoModule module_;
  std::optional<SoundTensors> sound_;
};

Result<std::unique_ptr<Preprocessor>> open(const Settings& settings) {
  BRAID_TRY(VideoOptions options, read_video_options(settings));
  BRAID_TRY(const VideoModule module, VideoModule::open());
  return std::unique_ptr<Preprocessor>(std::make_unique<Video>(std::move(options), module));
}

}  // namespace

void register_video(Registry<Preprocessor>& registry) { registry.add("video", open); }

}  // namespace braid
