#include "modality/modules/video/handles.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

namespace braid {

void FreeFfmpeg::operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
void FreeFfmpeg::operator()(AVFormatContext* context) const { avformat_close_input(&context); }
void FreeFfmpeg::operator()(AVFrame* frame) const { av_frame_free(&frame); }
void FreeFfmpeg::operator()(AVPacket* packet) const { av_packet_free(&packet); }
void FreeFfmpeg::operator()(SwsContext* context) const { sws_freeContext(context); }

}  // namespace braid
