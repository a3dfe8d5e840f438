#pragma once
// FrameTensor: decoded frames, one after the other, to one tensor: turned, resized and normalised
// as pictures are. Threads: one at a time.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "modality/image/picture.h"
#include "modality/image/quality.h"
#include "modality/modules/video/clip.h"
#include "modality/video/video_options.h"
#include "tensor/spec.h"
#include "tensor/tensor.h"

namespace braid {

class FrameTensor {
 public:
  /// `options` outlive it. `orientation` is EXIF's, 1 … 8.
  FrameTensor(const VideoOptions& options, std::size_t frame_count, int orientation);

  /// Each place of 0 … frame_count - 1 is given once. kExhausted above the limits,
  /// kInvalidArgument when a frame cannot have the size of those before it.
  Result<void> add(const VideoFrame& frame);

  /// After all frames.
  Tensor take() { return *std::move(tensor_); }
  Extent extent() const { return source_; }  // of the first frame, turned
  PictureQuality quality() const;            // mean of the frames that were given

  static TensorSpec spec(const VideoOptions& options);

 private:
  Result<void> begin(Extent source, Extent extent);
  void write(const Picture& picture, const Framed& frame, std::size_t place);
  void repeat(std::size_t from, std::size_t to);

  const VideoOptions& options_;
  std::size_t frame_count_;
  int orientation_;
  Normaliser normaliser_;
  Extent source_;
  Extent extent_;
  std::optional<Tensor> tensor_;
  std::vector<float> planes_;  // of one frame, where they do not follow each other in the tensor
  PictureQuality sums_;
  std::size_t given_ = 0;
};

}  // namespace braid
