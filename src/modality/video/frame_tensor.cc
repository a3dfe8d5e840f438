#include "modality/video/frame_tensor.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "modality/image/compose.h"
#include "modality/image/exif.h"
#include "modality/image/resize.h"

namespace braid {
namespace {

Picture picture_of(const VideoFrame& frame) {
  Picture picture({frame.width, frame.height});
  for (std::size_t y = 0; y < frame.height; ++y) {
    std::copy_n(frame.pixels + y * frame.stride_bytes, frame.width * kPixelBytes, picture.row(y));
  }
  return picture;
}

}  // namespace

FrameTensor::FrameTensor(const VideoOptions& options, std::size_t frame_count, int orientation)
    : options_(options),
      frame_count_(frame_count),
      orientation_(orientation),
      normaliser_(options.normalise) {}

TensorSpec FrameTensor::spec(const VideoOptions& options) {
  const bool is_free = options.framing.fit == Fit::kShorterSide;
  const auto side = [&](std::size_t pixels) {
    return is_free ? -1 : static_cast<std::int64_t>(pixels);
  };
  const std::int64_t frames =
      options.choice.frames == 0 ? -1 : static_cast<std::int64_t>(options.choice.frames);
  const std::int64_t height = side(options.framing.size.height);
  const std::int64_t width = side(options.framing.size.width);
  const std::int64_t channels = options.normalise.channels == Channels::kGrey ? 1 : 3;
  TensorSpec spec{"video", DType::kFp32, {1, frames, channels, height, width}};
  if (options.layout == FrameLayout::kChannelsLast) {
    spec.shape = {1, frames, height, width, channels};
  } else if (options.layout == FrameLayout::kChannelsFirst) {
    spec.shape = {1, channels, frames, height, width};
  }
  return spec;
}

Result<void> FrameTensor::begin(Extent source, Extent extent) {
  source_ = source;
  extent_ = extent;
  const std::size_t channels = normaliser_.channel_count();
  const std::size_t bytes = frame_count_ * channels * extent.pixels() * sizeof(float);
  if (std::cmp_greater(bytes, options_.limits.tensor_max)) {
    return Error{
        Code::kExhausted,
        fmt::format("{} frames of {} × {} pixels make a tensor of {} bytes; tensor_max is "
                    "{}: give 'frames', or a lower 'rate' or 'size'",
                    frame_count_, extent.width, extent.height, bytes, options_.limits.tensor_max)};
  }
  Shape shape = {1, frame_count_, channels, extent.height, extent.width};
  if (options_.layout == FrameLayout::kChannelsLast) {
    shape = {1, frame_count_, extent.height, extent.width, channels};
  } else if (options_.layout == FrameLayout::kChannelsFirst) {
    shape = {1, channels, frame_count_, extent.height, extent.width};
    planes_.resize(channels * extent.pixels());
  }
  BRAID_TRY(tensor_, Tensor::zeros(DType::kFp32, shape));
  return {};
}

Result<void> FrameTensor::add(const VideoFrame& given) {
  Picture picture = picture_of(given);
  if (orientation_ != 1) {
    picture = turned(std::move(picture), orientation_);
  }
  if (normaliser_.channel_count() == 1) {
    turn_grey(picture);
  }
  BRAID_TRY(const Framed frame,
            framed(picture.extent(), options_.framing, options_.limits.pixels_max));
  if (!tensor_.has_value()) {
    BRAID_TRY_DO(begin(picture.extent(), frame.window.extent));
  }
  if (frame.window.extent != extent_) {
    return Error{Code::kInvalidArgument,
                 fmt::format("a frame has {} × {} pixels, the first {} × {}: with 'fit: "
                             "shorter_side' they cannot share a tensor; use 'fit: crop'",
                             picture.width(), picture.height(), source_.width, source_.height)};
  }
  const PictureQuality quality = measure_quality(picture);
  sums_.blur += quality.blur;
  sums_.brightness += quality.brightness;
  sums_.clipped += quality.clipped;
  ++given_;
  write(picture, frame, given.begin);
  for (std::size_t i = 1; i < given.count; ++i) {
    repeat(given.begin, given.begin + i);
  }
  return {};
}

void FrameTensor::write(const Picture& picture, const Framed& frame, std::size_t place) {
  const std::size_t plane = extent_.pixels();
  const std::size_t size = normaliser_.channel_count() * plane;
  const std::span<float> all = tensor_->mutable_values<float>();
  const std::span<float> to = planes_.empty() ? all.subspan(place * size, size) : planes_;
  resize(picture, frame, options_.resampling, [&](std::size_t row, const std::uint8_t* pixels) {
    normaliser_.write_row(row, pixels, extent_, to);
  });
  for (std::size_t begin = 0; begin < planes_.size(); begin += plane) {
    std::ranges::copy(
        std::span(planes_).subspan(begin, plane),
        all.begin() + static_cast<std::ptrdiff_t>(begin * frame_count_ + place * plane));
  }
}

void FrameTensor::repeat(std::size_t from, std::size_t to) {
  const std::size_t channels = normaliser_.channel_count();
  const bool is_apart = options_.layout == FrameLayout::kChannelsFirst;
  const std::size_t part = is_apart ? extent_.pixels() : channels * extent_.pixels();
  const std::span<float> all = tensor_->mutable_values<float>();
  for (std::size_t c = 0; c < (is_apart ? channels : 1); ++c) {
    const std::span<float> channel = all.subspan(c * frame_count_ * part, frame_count_ * part);
    std::ranges::copy(channel.subspan(from * part, part), channel.subspan(to * part).begin());
  }
}

PictureQuality FrameTensor::quality() const {
  const auto count = static_cast<double>(std::max<std::size_t>(given_, 1));
  return {sums_.blur / count, sums_.brightness / count, sums_.clipped / count};
}

}  // namespace braid
