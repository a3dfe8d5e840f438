#include "apps/tensor_picture.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/tensor_numbers.h"
#include "modality/image/framing.h"
#include "modality/image/resize.h"

namespace braid {
namespace {

constexpr std::size_t kMatrixMin = 8;   // rows and columns below which numbers say more
constexpr std::size_t kCurveMin = 256;  // values, likewise
constexpr Extent kCurve = {512, 128};
constexpr std::size_t kGap = 2;  // pixels between slices

/// Numbers to pixels.
class Shader {
 public:
  explicit Shader(const std::vector<double>& numbers) {
    std::vector<double> finite;
    std::ranges::copy_if(numbers, std::back_inserter(finite),
                         [](double number) { return std::isfinite(number); });
    if (!finite.empty()) {
      const NumberFacts facts = facts_of(finite);
      low_ = facts.min;
      range_ = facts.max > facts.min ? facts.max - facts.min : 1;
    }
  }

  std::uint8_t shade(double number) const {
    return static_cast<std::uint8_t>(
        std::lround(std::clamp((number - low_) / range_, 0.0, 1.0) * 255));
  }

  void grey(double number, std::uint8_t* pixel) const { colour(number, number, number, pixel); }

  void colour(double red, double green, double blue, std::uint8_t* pixel) const {
    const bool unknown = std::isnan(red) || std::isnan(green) || std::isnan(blue);
    pixel[0] = unknown ? 255 : shade(red);
    pixel[1] = unknown ? 0 : shade(green);
    pixel[2] = unknown ? 0 : shade(blue);
    pixel[3] = 255;
  }

 private:
  double low_ = 0;
  double range_ = 1;
};

Picture black(Extent extent) {
  Picture picture(extent);
  for (std::size_t y = 0; y < extent.height; ++y) {
    for (std::size_t x = 0; x < extent.width; ++x) {
      std::uint8_t* pixel = picture.row(y) + x * kPixelBytes;
      std::fill_n(pixel, 3, std::uint8_t{0});
      pixel[3] = 255;
    }
  }
  return picture;
}

/// Numbers of a plane: begin + y · down + x · right.
struct Plane {
  Extent extent;
  std::size_t begin = 0;
  std::size_t down = 0;
  std::size_t right = 0;
};

void draw(const Plane& plane, const std::vector<double>& numbers, const Shader& shader,
          std::size_t left, Picture& picture) {
  for (std::size_t y = 0; y < plane.extent.height; ++y) {
    for (std::size_t x = 0; x < plane.extent.width; ++x) {
      shader.grey(numbers[plane.begin + y * plane.down + x * plane.right],
                  picture.row(y) + (left + x) * kPixelBytes);
    }
  }
}

/// `step` numbers from one colour of a pixel to the next.
Picture coloured(const Plane& plane, std::size_t step, const std::vector<double>& numbers) {
  const Shader shader(numbers);
  Picture picture = black(plane.extent);
  for (std::size_t y = 0; y < plane.extent.height; ++y) {
    for (std::size_t x = 0; x < plane.extent.width; ++x) {
      const double* at = &numbers[y * plane.down + x * plane.right];
      shader.colour(at[0], at[step], at[2 * step], picture.row(y) + x * kPixelBytes);
    }
  }
  return picture;
}

std::optional<TensorPicture> image(const Shape& shape, const std::vector<double>& numbers) {
  const std::size_t c = shape[1];
  if (c == 3) {
    const Plane plane{{shape[3], shape[2]}, 0, shape[3], 1};
    return TensorPicture{coloured(plane, shape[2] * shape[3], numbers), "the image"};
  }
  if (shape[3] == 3) {
    const Plane plane{{shape[2], shape[1]}, 0, shape[2] * 3, 3};
    return TensorPicture{coloured(plane, 1, numbers), "the image"};
  }
  if (c != 1 && shape[3] != 1) {
    return std::nullopt;
  }
  const Extent extent = c == 1 ? Extent{shape[3], shape[2]} : Extent{shape[2], shape[1]};
  Picture picture = black(extent);
  draw({extent, 0, extent.width, 1}, numbers, Shader(numbers), 0, picture);
  return TensorPicture{std::move(picture), "the image"};
}

TensorPicture slices(const Shape& shape, const std::vector<double>& numbers) {
  const std::size_t depth = shape[2];
  const std::size_t height = shape[3];
  const std::size_t width = shape[4];
  const std::size_t plane_size = height * width;
  const Plane planes[] = {{{width, height}, depth / 2 * plane_size, width, 1},
                          {{width, depth}, height / 2 * width, plane_size, 1},
                          {{height, depth}, width / 2, plane_size, width}};
  Picture picture = black({width + width + height + 2 * kGap, std::max(height, depth)});
  const Shader shader(numbers);
  std::size_t left = 0;
  for (const Plane& plane : planes) {
    draw(plane, numbers, shader, left, picture);
    left += plane.extent.width + kGap;
  }
  return {std::move(picture), "the middle slices along depth, height and width"};
}

/// From the least to the greatest value of each column's share, white on black.
TensorPicture curve(const std::vector<double>& numbers, std::size_t count) {
  const Extent extent = {std::min(kCurve.width, count), kCurve.height};
  Picture picture = black(extent);
  const Shader shader(numbers);
  const auto row_of = [&](double number) {
    return (255 - std::size_t{shader.shade(number)}) * (extent.height - 1) / 255;
  };
  for (std::size_t x = 0; x < extent.width; ++x) {
    const std::size_t begin = x * count / extent.width;
    const std::size_t end = (x + 1) * count / extent.width;
    std::size_t top = extent.height;
    std::size_t bottom = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (!std::isnan(numbers[i])) {
        top = std::min(top, row_of(numbers[i]));
        bottom = std::max(bottom, row_of(numbers[i]));
      }
    }
    for (std::size_t y = top; y <= bottom && y < extent.height; ++y) {
      std::fill_n(picture.row(y) + x * kPixelBytes, 3, std::uint8_t{255});
    }
  }
  return {std::move(picture), fmt::format("the first {} values as a curve", count)};
}

std::uint32_t blended(const std::uint8_t* above, const std::uint8_t* below) {
  return (std::uint32_t{luma(above)} + luma(below)) / 2;
}

}  // namespace

std::optional<TensorPicture> picture_of(const Shape& shape, const std::vector<double>& numbers) {
  const std::size_t columns = shape.back();
  if (shape.size() == 5) {
    return slices(shape, numbers);
  }
  if (shape.size() == 4) {
    return image(shape, numbers);
  }
  if (shape.size() == 3 && shape[1] > kMatrixMin && columns > kMatrixMin) {
    Picture picture = black({columns, shape[1]});
    draw({{columns, shape[1]}, 0, columns, 1}, numbers, Shader(numbers), 0, picture);
    return TensorPicture{std::move(picture), "the matrix, row 0 on top"};
  }
  if ((shape.size() == 2 || shape.size() == 3) && columns >= kCurveMin) {
    return curve(numbers, columns);
  }
  return std::nullopt;
}

Picture shrunk(Picture picture, std::size_t width_max, std::size_t height_max) {
  const double scale =
      std::min({1.0, static_cast<double>(width_max) / static_cast<double>(picture.width()),
                static_cast<double>(height_max) / static_cast<double>(picture.height())});
  const auto side = [&](std::size_t pixels) {
    return std::max<std::size_t>(
        1, static_cast<std::size_t>(std::lround(static_cast<double>(pixels) * scale)));
  };
  const Extent extent = {side(picture.width()), side(picture.height())};
  if (extent == picture.extent()) {
    return picture;
  }
  Picture small(extent);
  resize(picture, {extent, {0, 0, extent}}, {},
         [&](std::size_t row_index, const std::uint8_t* pixels) {
           std::copy_n(pixels, extent.width * kPixelBytes, small.row(row_index));
         });
  return small;
}

std::string in_text(const Picture& picture, bool in_colours) {
  static constexpr const char* kShades[] = {" ", "░", "▒", "▓", "█"};
  std::string text;
  for (std::size_t y = 0; y < picture.height(); y += 2) {
    const std::uint8_t* above = picture.row(y);
    const std::uint8_t* below = picture.row(std::min(y + 1, picture.height() - 1));
    for (std::size_t x = 0; x < picture.width(); ++x, above += kPixelBytes, below += kPixelBytes) {
      if (in_colours) {
        text += fmt::format("\x1b[38;2;{};{};{}m\x1b[48;2;{};{};{}m▀", above[0], above[1], above[2],
                            below[0], below[1], below[2]);
      } else {
        text += kShades[blended(above, below) * 5 / 256];
      }
    }
    text += in_colours ? "\x1b[0m\n" : "\n";
  }
  return text;
}

}  // namespace braid
