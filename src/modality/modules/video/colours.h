#pragma once
// FrameColours: a decoded frame as pixels of red, green and blue, by libswscale with the matrix and
// the range that the clip names. Threads: one at a time.

#include <cstdint>
#include <vector>

#include "modality/modules/video/handles.h"

namespace braid {

class FrameColours {
 public:
  /// False when the frame cannot be converted. What it gave before is overwritten.
  bool convert(const AVFrame& frame);

  const std::uint8_t* pixels() const { return pixels_.data(); }
  std::size_t stride_bytes() const { return stride_bytes_; }

 private:
  bool prepare(const AVFrame& frame);

  /// What the scaler was made for.
  struct Kind {
    int width = 0;
    int height = 0;
    int format = -1;
    int matrix = 0;
    bool is_full_range = false;
    bool operator==(const Kind&) const = default;
  };

  Kind kind_;
  ScaleHandle scale_;
  std::vector<std::uint8_t> pixels_;
  std::size_t stride_bytes_ = 0;
};

}  // namespace braid
