#include "modality/modules/video/colours.h"

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/pixfmt.h>
#include <libswscale/swscale.h>
}

namespace braid {
namespace {

constexpr std::size_t kBlock = 64;  // libswscale writes whole vectors

/// Where a clip names no matrix: BT.601, as FFmpeg and PyAV.
int matrix_of(AVColorSpace space) {
  switch (space) {
    case AVCOL_SPC_BT709:
      return SWS_CS_ITU709;
    case AVCOL_SPC_FCC:
      return SWS_CS_FCC;
    case AVCOL_SPC_SMPTE240M:
      return SWS_CS_SMPTE240M;
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL:
      return SWS_CS_BT2020;
    default:
      return SWS_CS_ITU601;
  }
}

/// The formats of JPEG are of full range whatever the frame says.
bool is_full_range(const AVFrame& frame) {
  switch (frame.format) {
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVJ444P:
    case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ411P:
      return true;
    default:
      return frame.color_range == AVCOL_RANGE_JPEG;
  }
}

}  // namespace

bool FrameColours::convert(const AVFrame& frame) {
  const auto format = static_cast<AVPixelFormat>(frame.format);
  if (sws_isSupportedInput(format) == 0) {
    return false;
  }
  scale_.reset(sws_getCachedContext(scale_.release(), frame.width, frame.height, format,
                                    frame.width, frame.height, AV_PIX_FMT_RGBA, SWS_BILINEAR,
                                    nullptr, nullptr, nullptr));
  if (scale_ == nullptr) {
    return false;
  }
  constexpr int kOne = 1 << 16;
  const int* matrix = sws_getCoefficients(matrix_of(frame.colorspace));
  // Fails for sources that are red, green and blue already.
  sws_setColorspaceDetails(scale_.get(), matrix, is_full_range(frame) ? 1 : 0, matrix, 1, 0, kOne,
                           kOne);
  const auto width = static_cast<std::size_t>(frame.width);
  const auto height = static_cast<std::size_t>(frame.height);
  stride_bytes_ = (width * 4 + kBlock - 1) / kBlock * kBlock + kBlock;
  pixels_.resize(stride_bytes_ * height + kBlock);
  std::uint8_t* const planes[4] = {pixels_.data(), nullptr, nullptr, nullptr};
  const int strides[4] = {static_cast<int>(stride_bytes_), 0, 0, 0};
  return sws_scale(scale_.get(), frame.data, frame.linesize, 0, frame.height, planes, strides) ==
         frame.height;
}

}  // namespace braid
