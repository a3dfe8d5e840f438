#include "modality/video/decoded_clip.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "modality/video/refusal.h"

namespace braid {
namespace {

/// The module calls back through a plain function, which keeps an error for us.
struct Taker {
  FrameTensor& frames;
  std::optional<Error> error = std::nullopt;
};

bool take(void* taker, const VideoFrame& frame) {
  Taker& self = *static_cast<Taker*>(taker);
  if (auto added = self.frames.add(frame); !added.has_value()) {
    self.error = std::move(added).error();
  }
  return !self.error.has_value();
}

Result<Sound> silence(double seconds, std::int64_t rate) {
  const auto count = std::max<std::int64_t>(std::llround(seconds * static_cast<double>(rate)), 1);
  return Sound{std::vector<float>(static_cast<std::size_t>(count)), rate, 0, 0};
}

}  // namespace

Result<VideoModule> VideoModule::open() {
  BRAID_TRY(const Module module, Module::open("video"));
  BRAID_TRY(VideoOpen* const opens, module.function<VideoOpen>(kVideoOpenSymbol));
  BRAID_TRY(VideoShow* const shows, module.function<VideoShow>(kVideoShowSymbol));
  BRAID_TRY(VideoClose* const closes, module.function<VideoClose>(kVideoCloseSymbol));
  return VideoModule{opens, shows, closes};
}

std::vector<float> from_zero(std::span<const float> samples, std::int64_t rate, double delay) {
  const auto count =
      static_cast<std::size_t>(std::llround(std::abs(delay) * static_cast<double>(rate)));
  if (delay < 0) {
    const std::span<const float> rest = samples.subspan(std::min(count, samples.size()));
    return {rest.begin(), rest.end()};
  }
  std::vector<float> all(count + samples.size());
  std::ranges::copy(samples, all.begin() + static_cast<std::ptrdiff_t>(count));
  return all;
}

Result<DecodedClip> DecodedClip::open(const VideoModule& module, Bytes raw,
                                      const VideoOptions& options) {
  const VideoLimits& limits = options.limits;
  if (std::cmp_greater(raw.size(), limits.bytes_max)) {
    return Error{Code::kExhausted, fmt::format("the video has {} bytes; bytes_max is {}",
                                               raw.size(), limits.bytes_max)};
  }
  const VideoRequest request = {
      .bytes = raw.data(),
      .size_bytes = raw.size(),
      .wants_sound = options.sound.has_value(),
      .mix = options.sound.has_value() ? static_cast<int>(options.sound->mix) : 0,
      .streams_max = limits.streams_max,
      .pixels_max = limits.pixels_max,
      .frames_max = limits.frames_max,
      .decoded_bytes_max = limits.decoded_max,
      .channels_max = options.sound.has_value() ? options.sound->limits.channels_max : 0,
      .seconds_max = limits.seconds_max};
  VideoFacts facts;
  VideoClip* opened = nullptr;
  const VideoStatus status = module.open_clip(request, facts, opened);
  if (status != VideoStatus::kDone) {
    return refusal(status, facts, options);
  }
  return DecodedClip(Handle(opened, module.close_clip), facts, module.show_clip);
}

Result<Sound> DecodedClip::sound(const VideoOptions& options) const {
  const double seconds =
      static_cast<double>(facts_.end_tick - facts_.first_tick) * facts_.clock_seconds;
  const char* missing = nullptr;
  Sound sound{{}, facts_.rate, facts_.channel_count, 0};
  if (!facts_.has_sound) {
    missing = "the video has no sound";
  } else if (facts_.sample_count == 0) {
    missing = "the video's sound holds no sample that can be decoded";
  } else if (facts_.sound_delay > options.limits.seconds_max) {
    return refusal(VideoStatus::kSeconds, facts_, options);
  } else {
    const std::span samples(facts_.samples, static_cast<std::size_t>(facts_.sample_count));
    sound.samples = from_zero(samples, facts_.rate, facts_.sound_delay);
    missing = sound.samples.empty() ? "the video's sound ends before its first frame" : nullptr;
  }
  if (missing != nullptr) {
    if (options.silence_if_missing) {
      return silence(seconds, options.sound->rate);
    }
    return Error{Code::kInvalidArgument,
                 fmt::format("{}; 'if_missing: silence' in 'sound' takes it as silent", missing)};
  }
  if (options.sound->mix == Mix::kSecond && facts_.channel_count < 2) {
    return Error{Code::kInvalidArgument,
                 "the video's sound has one channel, but 'mix: second' wants the second"};
  }
  sound.clipped = static_cast<double>(facts_.clipped_count) /
                  static_cast<double>(facts_.sample_count * facts_.channel_count);
  return sound;
}

Result<VideoDecoded> DecodedClip::show(std::span<const std::int64_t> ticks,
                                       const VideoOptions& options, FrameTensor& frames) {
  Taker taker{frames};
  VideoDecoded decoded;
  const VideoStatus status = show_(*handle_, ticks.data(), ticks.size(), take, &taker, decoded);
  if (taker.error.has_value()) {
    return *std::move(taker.error);
  }
  if (status != VideoStatus::kDone) {
    return refusal(status, facts_, options);
  }
  return decoded;
}

}  // namespace braid
