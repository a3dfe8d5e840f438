#include "modality/audio/decode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <sndfile.h>

namespace braid {
namespace {

constexpr float kFullScale = 0.9999F;  // 32767 ÷ 32768 is the largest sample of 16 bits
constexpr float kSampleMax = 65536;    // floats of someone who forgot to divide still pass
constexpr std::size_t kBlockFrames = 4096;
constexpr sf_count_t kReservedMax = sf_count_t{1} << 21;  // 8 MB: a header may lie

/// A file in memory: the head that we made, then the body.
class MemoryFile {
 public:
  explicit MemoryFile(const SoundFile& file) : file_(file) {}

  static SF_VIRTUAL_IO callbacks() {
    return {
        [](void* file) { return self(file).size(); },
        [](sf_count_t offset, int whence, void* file) { return self(file).seek(offset, whence); },
        [](void* to, sf_count_t count, void* file) { return self(file).read(to, count); },
        [](const void*, sf_count_t, void*) { return sf_count_t{0}; },
        [](void* file) { return self(file).at_; }};
  }

 private:
  static MemoryFile& self(void* file) { return *static_cast<MemoryFile*>(file); }

  sf_count_t size() const { return static_cast<sf_count_t>(file_.head.size() + file_.body.size()); }

  sf_count_t seek(sf_count_t offset, int whence) {
    const sf_count_t from = whence == SEEK_CUR ? at_ : whence == SEEK_END ? size() : 0;
    const bool is_inside = offset >= -from && offset <= size() - from;
    at_ = is_inside ? from + offset : at_;
    return is_inside ? at_ : -1;
  }

  sf_count_t read(void* to, sf_count_t count) {
    const auto wanted = static_cast<std::size_t>(std::clamp<sf_count_t>(count, 0, size() - at_));
    auto* out = static_cast<char*>(to);
    const auto at = static_cast<std::size_t>(at_);
    const std::size_t of_head =
        at < file_.head.size() ? std::min(wanted, file_.head.size() - at) : 0;
    if (of_head > 0) {
      std::memcpy(out, file_.head.data() + at, of_head);
    }
    if (wanted > of_head) {
      std::memcpy(out + of_head, file_.body.data() + (at + of_head - file_.head.size()),
                  wanted - of_head);
    }
    at_ += static_cast<sf_count_t>(wanted);
    return static_cast<sf_count_t>(wanted);
  }

  const SoundFile& file_;
  sf_count_t at_ = 0;
};

struct Close {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using Handle = std::unique_ptr<SNDFILE, Close>;

const char* name_of(SoundFormat format) {
  constexpr std::array<const char*, 4> kNames = {"WAV", "FLAC", "OGG", "MP3"};
  return kNames[static_cast<std::size_t>(format)];
}

/// libsndfile guesses a format from the bytes; it must have guessed ours.
bool is_of(SoundFormat format, int libsndfile_format) {
  switch (libsndfile_format & SF_FORMAT_TYPEMASK) {
    case SF_FORMAT_WAV:
    case SF_FORMAT_WAVEX:
      return format == SoundFormat::kWav;
    case SF_FORMAT_FLAC:
      return format == SoundFormat::kFlac;
    case SF_FORMAT_OGG:
      return format == SoundFormat::kOgg;
    case SF_FORMAT_MPEG:
      return format == SoundFormat::kMp3;
    default:
      return false;
  }
}

Error damaged(SoundFormat format, const char* how) {
  return Error{Code::kInvalidArgument, fmt::format("the {} is damaged: {}", name_of(format), how)};
}

/// Gathers blocks of interleaved samples into one channel.
class Mixer {
 public:
  Mixer(std::size_t channels, Mix mix) : channels_(channels), mix_(mix) {}

  Result<void> add(std::span<const float> block, std::vector<float>& samples) {
    std::uint32_t sound = 0;  // as wide as a sample, so that the compiler counts several at once
    std::uint32_t clipped = 0;
    for (const float sample : block) {
      const float size = std::abs(sample);
      sound += static_cast<std::uint32_t>(size <= kSampleMax);  // NaN is not
      clipped += static_cast<std::uint32_t>(size >= kFullScale);
    }
    if (sound != block.size()) {
      return first_wrong(block, samples.size());
    }
    clipped_ += clipped;
    const std::size_t begin = samples.size();
    const std::size_t frames = block.size() / channels_;
    samples.resize(begin + frames);
    float* const to = samples.data() + begin;
    if (mix_ == Mix::kMean) {
      average(block, {to, frames});
      return {};
    }
    const std::size_t channel = mix_ == Mix::kFirst ? 0 : 1;
    for (std::size_t i = 0; i < frames; ++i) {
      to[i] = block[i * channels_ + channel];
    }
    return {};
  }

  std::size_t clipped() const { return clipped_; }

 private:
  void average(std::span<const float> block, std::span<float> to) const {
    if (channels_ == 1) {
      std::ranges::copy(block, to.begin());
      return;
    }
    if (channels_ == 2) {
      for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] = (block[2 * i] + block[2 * i + 1]) * 0.5F;
      }
      return;
    }
    const auto count = static_cast<float>(channels_);
    for (std::size_t i = 0; i < to.size(); ++i) {
      float sum = 0;
      for (std::size_t c = 0; c < channels_; ++c) {
        sum += block[i * channels_ + c];
      }
      to[i] = sum / count;
    }
  }

  Error first_wrong(std::span<const float> block, std::size_t frames_before) const {
    const auto wrong =
        std::ranges::find_if(block, [](float sample) { return !(std::abs(sample) <= kSampleMax); });
    const std::size_t frame =
        frames_before + static_cast<std::size_t>(wrong - block.begin()) / channels_;
    return Error{Code::kInvalidArgument,
                 fmt::format("sample {} of the sound is {}; full scale is ±1", frame, *wrong)};
  }

  std::size_t channels_;
  Mix mix_;
  std::size_t clipped_ = 0;
};

/// The announced length is not believed: it is only where reading must have ended.
Result<Sound> read_all(SNDFILE* file, const SF_INFO& info, SoundFormat format, Mix mix,
                       const SoundLimits& limits) {
  const auto channels = static_cast<std::size_t>(info.channels);
  Sound sound{.samples = {}, .rate = info.samplerate, .channels = info.channels};
  sound.samples.reserve(
      static_cast<std::size_t>(std::clamp<sf_count_t>(info.frames, 0, kReservedMax)));
  Mixer mixer(channels, mix);
  std::vector<float> block(kBlockFrames * channels);
  while (true) {
    const sf_count_t got = sf_readf_float(file, block.data(), kBlockFrames);
    if (got <= 0) {
      break;
    }
    BRAID_TRY_DO(
        mixer.add(std::span(block).first(static_cast<std::size_t>(got) * channels), sound.samples));
    BRAID_TRY_DO(check_sound(info.channels, info.samplerate,
                             static_cast<std::int64_t>(sound.samples.size()), limits));
  }
  if (sf_error(file) != SF_ERR_NO_ERROR) {
    return damaged(format, "its samples cannot be decoded");
  }
  const auto count = static_cast<sf_count_t>(sound.samples.size());
  // An MP3 only guesses its length.
  if (format != SoundFormat::kMp3 && info.frames != SF_COUNT_MAX && count < info.frames) {
    return damaged(format, "it ends before its samples do");
  }
  if (count == 0) {
    return Error{Code::kInvalidArgument, "the sound holds no samples"};
  }
  sound.clipped =
      static_cast<double>(mixer.clipped()) / static_cast<double>(sound.samples.size() * channels);
  return sound;
}

}  // namespace

Result<Sound> decode_sound(Bytes raw, Mix mix, const SoundLimits& limits) {
  BRAID_TRY(const SoundFile container, open_container(raw, limits));
  MemoryFile memory(container);
  SF_VIRTUAL_IO callbacks = MemoryFile::callbacks();
  SF_INFO info = {};
  const Handle file(sf_open_virtual(&callbacks, SFM_READ, &info, &memory));
  // Why it failed is in a buffer that all threads share, so it is not asked for.
  if (file == nullptr) {
    return damaged(container.format, "its header cannot be read");
  }
  if (!is_of(container.format, info.format)) {
    return damaged(container.format, "it is a file of another kind inside");
  }
  const std::int64_t frames = info.frames == SF_COUNT_MAX ? 0 : info.frames;
  BRAID_TRY_DO(check_sound(info.channels, info.samplerate, frames, limits));
  if (mix == Mix::kSecond && info.channels < 2) {
    return Error{Code::kInvalidArgument,
                 "the sound has one channel, but 'mix: second' wants the second"};
  }
  return read_all(file.get(), info, container.format, mix, limits);
}

}  // namespace braid
