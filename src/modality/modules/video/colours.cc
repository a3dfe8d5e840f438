#include "modality/modules/video/colours.h"

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
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

/// PyAV's numbers. Up to 8 bits libswscale has tables of its own, which give the same bytes in
/// every version; deeper ones go through its filters, which newer versions begin at the chroma's
/// true place.
void configure(const AVFrame& frame, SwsContext& scale) {
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  const bool is_deep = format != nullptr && format->comp[0].depth > 8;
  for (const char* name : {"srcw", "dstw"}) {
    av_opt_set_int(&scale, name, frame.width, 0);
  }
  for (const char* name : {"srch", "dsth"}) {
    av_opt_set_int(&scale, name, frame.height, 0);
  }
  av_opt_set_int(&scale, "src_format", frame.format, 0);
  av_opt_set_int(&scale, "dst_format", AV_PIX_FMT_RGBA, 0);
  av_opt_set_int(&scale, "sws_flags", is_deep ? SWS_BICUBIC : SWS_BILINEAR, 0);
  if (is_deep) {
    av_opt_set_int(&scale, "src_h_chr_pos", 0, 0);
  }
}

}  // namespace

bool FrameColours::prepare(const AVFrame& frame) {
  const Kind kind = {frame.width, frame.height, frame.format, matrix_of(frame.colorspace),
                     is_full_range(frame)};
  if (kind == kind_ && scale_ != nullptr) {
    return true;
  }
  kind_ = kind;
  scale_.reset();
  if (sws_isSupportedInput(static_cast<AVPixelFormat>(frame.format)) == 0) {
    return false;
  }
  scale_.reset(sws_alloc_context());
  if (scale_ == nullptr) {
    return false;
  }
  configure(frame, *scale_);
  if (sws_init_context(scale_.get(), nullptr, nullptr) < 0) {
    scale_.reset();
    return false;
  }
  constexpr int kOne = 1 << 16;
  const int* matrix = sws_getCoefficients(kind.matrix);
  // Fails for sources that are red, green and blue already.
  sws_setColorspaceDetails(scale_.get(), matrix, kind.is_full_range ? 1 : 0, matrix, 1, 0, kOne,
                           kOne);
  return true;
}

bool FrameColours::convert(const AVFrame& frame) {
  if (!prepare(frame)) {
    return false;
  }
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
