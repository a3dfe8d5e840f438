#include "modality/image/exif.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/check.h"

namespace braid {
namespace {

/// TIFF 6.0, section 2: numbers in the byte order that the header names, all reads in bounds.
class TiffReader {
 public:
  explicit TiffReader(Bytes bytes) : bytes_(bytes), big_(bytes.starts_with("MM")) {}

  std::optional<std::size_t> number(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) {
      return std::nullopt;
    }
    std::size_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t place = big_ ? i : size - 1 - i;
      value = value << 8 | static_cast<unsigned char>(bytes_[at + place]);
    }
    return value;
  }

 private:
  Bytes bytes_;
  bool big_;
};

constexpr std::size_t kEntryBytes = 12;
constexpr std::size_t kOrientation = 0x0112;

/// In bytes, of the types that hold a whole number: BYTE, SHORT, LONG.
std::size_t size_of_type(std::size_t type) { return type == 1 ? 1 : type == 3 ? 2 : 4; }

}  // namespace

int exif_orientation(Bytes tiff) {
  const TiffReader reader(tiff);
  const auto magic = reader.number(2, 2);
  const auto directory = reader.number(4, 4);
  if (!(tiff.starts_with("II") || tiff.starts_with("MM")) || magic != 42 || !directory) {
    return 1;
  }
  const std::size_t entry_count = reader.number(*directory, 2).value_or(0);
  for (std::size_t i = 0; i < entry_count; ++i) {
    const std::size_t entry = *directory + 2 + i * kEntryBytes;
    const auto tag = reader.number(entry, 2);
    if (!tag) {
      return 1;
    }
    if (*tag == kOrientation) {
      const std::size_t type = reader.number(entry + 2, 2).value_or(0);
      const std::size_t value = reader.number(entry + 8, size_of_type(type)).value_or(1);
      return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
  }
  return 1;
}

Picture turned(Picture picture, int orientation) {
  BRAID_CHECK(orientation >= 1);
  BRAID_CHECK(orientation <= 8);
  if (orientation == 1) {
    return picture;
  }
  // EXIF 2.32, table 6, as three yes-or-no questions: where the source begins and whether the rows
  // of the result run along its columns.
  const bool swaps = orientation >= 5;
  const bool from_right = orientation == 2 || orientation == 3 || orientation >= 7;
  const bool from_bottom =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const auto width = static_cast<std::ptrdiff_t>(picture.width());
  const auto height = static_cast<std::ptrdiff_t>(picture.height());
  const std::ptrdiff_t along_x = from_right ? -1 : 1;
  const std::ptrdiff_t along_y = from_bottom ? -width : width;
  const std::ptrdiff_t step = swaps ? along_y : along_x;
  const std::ptrdiff_t row_step = swaps ? along_x : along_y;
  const std::ptrdiff_t begin =
      (from_right ? width - 1 : 0) + (from_bottom ? (height - 1) * width : 0);

  Picture result(swaps ? Extent{picture.height(), picture.width()} : picture.extent());
  const std::uint8_t* from = picture.row(0);
  constexpr std::size_t kTile = 32;  // both sides of a transposition stay in the first cache
  for (std::size_t top = 0; top < result.height(); top += kTile) {
    for (std::size_t left = 0; left < result.width(); left += kTile) {
      const std::size_t right = std::min(left + kTile, result.width());
      for (std::size_t y = top; y < std::min(top + kTile, result.height()); ++y) {
        std::ptrdiff_t index = begin + static_cast<std::ptrdiff_t>(y) * row_step +
                               static_cast<std::ptrdiff_t>(left) * step;
        std::uint8_t* to = result.row(y) + left * kPixelBytes;
        for (std::size_t x = left; x < right; ++x, index += step, to += kPixelBytes) {
          std::memcpy(to, from + index * static_cast<std::ptrdiff_t>(kPixelBytes), kPixelBytes);
        }
      }
    }
  }
  return result;
}

}  // namespace braid
