#include "apps/frame_strip.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace braid {
namespace {

constexpr std::size_t kShown = 4;

/// Where an axis is in the shape.
struct Axes {
  std::size_t frame, channel, row, column;
};

std::optional<Axes> axes_of(const Shape& shape) {
  const auto is_colour = [&](std::size_t axis) { return shape[axis] == 1 || shape[axis] == 3; };
  if (shape.size() != 5) {
    return std::nullopt;
  }
  if (is_colour(2)) {
    return Axes{1, 2, 3, 4};
  }
  if (is_colour(4)) {
    return Axes{1, 4, 2, 3};
  }
  return is_colour(1) ? std::optional(Axes{2, 1, 3, 4}) : std::nullopt;
}

}  // namespace

std::optional<TensorPicture> frame_strip(const Shape& shape, const std::vector<double>& numbers) {
  const std::optional<Axes> axes = axes_of(shape);
  if (!axes.has_value()) {
    return std::nullopt;
  }
  std::size_t step[5] = {0, 0, 0, 0, 1};
  for (std::size_t axis = 4; axis > 1; --axis) {
    step[axis - 1] = step[axis] * shape[axis];
  }
  const std::size_t frames = shape[axes->frame];
  const std::size_t channels = shape[axes->channel];
  const std::size_t height = shape[axes->row];
  const std::size_t width = shape[axes->column];
  const std::size_t count = std::min(frames, kShown);
  std::vector<double> strip(channels * height * width * count);
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t frame = count == 1 ? 0 : i * (frames - 1) / (count - 1);
    shown.push_back(frame);
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
          strip[((c * height + y) * count + i) * width + x] =
              numbers[frame * step[axes->frame] + c * step[axes->channel] + y * step[axes->row] +
                      x * step[axes->column]];
        }
      }
    }
  }
  auto picture = picture_of({1, channels, height, width * count}, strip);
  if (picture.has_value()) {
    picture->title = fmt::format("frames {} of {}", fmt::join(shown, ", "), frames);
  }
  return picture;
}

}  // namespace braid
