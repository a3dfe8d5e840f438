"""Small clips of every kind that the video preprocessor reads or refuses, written by PyAV."""

import io
import struct
from fractions import Fraction

import av
import numpy as np
from av.video.reformatter import ColorRange, Colorspace

av.logging.set_level(av.logging.PANIC)
WIDTH, HEIGHT = 48, 36
# Left to right: white, red, green, blue, a middle grey, black.
PATCHES = ((255, 255, 255), (230, 30, 30), (30, 200, 30), (30, 30, 220), (128, 128, 128), (0, 0, 0))
BITEXACT = {"fflags": "+bitexact"}


def scene(i, width=WIDTH, height=HEIGHT):
    """A gradient that drifts, with a square that says which frame it is."""
    y, x = np.mgrid[0:height, 0:width].astype(float)
    frame = np.stack([127 + 120 * np.sin(x / 9 + i / 3), 127 + 120 * np.cos(y / 7 - i / 4),
                      127 + 100 * np.sin((x + y) / 11 + i / 2)], -1)
    frame[4:12, 2 * i % width: 2 * i % width + 8] = (250, 240, 20)
    return frame.clip(0, 255).astype(np.uint8)


def patches(_):
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    for i, colour in enumerate(PATCHES):
        image[:, 8 * i: 8 * i + 8] = colour
    return image


def tone(rate, seconds, channels):
    """A sweep; the second channel is half as loud. 16 bits, planar."""
    time = np.arange(int(rate * seconds)) / rate
    sweep = 0.4 * np.sin(2 * np.pi * (200 + 400 * time) * time)
    return np.stack([sweep / (c + 1) for c in range(channels)] * 1).astype(np.float64)


def add_sound(container, stream, samples, rate, layout, begin):
    """Encodes planar float samples that begin at `begin` seconds."""
    whole = np.round(samples * 32767).astype(np.int16)
    frame = av.AudioFrame.from_ndarray(whole, format="s16p", layout=layout)
    frame.sample_rate = rate
    context = stream.codec_context
    if not context.is_open:
        context.open()
    size = context.frame_size or 1024
    resampler = av.AudioResampler(context.format, layout, rate, frame_size=size)
    at = round(begin * rate)
    packets = []
    for each in resampler.resample(frame) + resampler.resample(None):
        each.pts = at
        each.time_base = Fraction(1, rate)
        at += each.samples
        packets += stream.encode(each)
    return packets + stream.encode()


def clip(kind, codec, count=12, fps=25, pixel="yuv420p", draw=scene, sound=None, rate=16000,
         layout="mono", begin=0, sound_begin=0, sound_seconds=None, times=None, options=None,
         matrix=None, full=None):
    """The bytes of a clip. `times`: of its frames, in 1/1000 s."""
    out = io.BytesIO()
    container = av.open(out, "w", format=kind, container_options=BITEXACT)
    video = container.add_stream(codec, rate=fps)
    video.width, video.height, video.pix_fmt = WIDTH, HEIGHT, pixel
    video.codec_context.thread_count = 1
    video.options = options or {}
    video.codec_context.gop_size = 6
    if times:
        video.codec_context.time_base = Fraction(1, 1000)
    if matrix:
        video.codec_context.colorspace = {"bt709": 1, "bt601": 6}[matrix]
    if full is not None:
        video.codec_context.color_range = 2 if full else 1
    stream = None
    if sound:
        stream = container.add_stream(sound, rate=rate)
        stream.layout = layout
    packets = []
    for i in range(count):
        frame = av.VideoFrame.from_ndarray(draw(i), format="rgb24").reformat(
            format=pixel,
            dst_colorspace={"bt709": Colorspace.ITU709, "bt601": Colorspace.ITU601}.get(matrix),
            dst_color_range=None if full is None else ColorRange.JPEG if full else ColorRange.MPEG,
            interpolation="BICUBIC")
        frame.time_base = Fraction(1, 1000) if times else Fraction(1, fps)
        frame.pts = times[i] if times else i + round(begin * fps)
        packets += video.encode(frame)
    packets += video.encode()
    if stream:
        seconds = sound_seconds or count / fps
        channels = 1 if layout == "mono" else 2
        packets += add_sound(container, stream, tone(rate, seconds, channels), rate, layout,
                             sound_begin)
    packets.sort(key=lambda p: float((p.dts if p.dts is not None else p.pts) * p.time_base))
    for packet in packets:
        container.mux(packet)
    container.close()
    return out.getvalue()


def sound_alone():
    out = io.BytesIO()
    container = av.open(out, "w", format="mp4", container_options=BITEXACT)
    stream = container.add_stream("aac", rate=16000)
    stream.layout = "mono"
    for packet in add_sound(container, stream, tone(16000, 0.2, 1), 16000, "mono", 0):
        container.mux(packet)
    container.close()
    return out.getvalue()


def turned(mp4, a, b, c, d):
    """Another display matrix in the first track's header (ISO 14496-12, 8.3.2)."""
    at = mp4.index(b"tkhd") + 4 + 40
    return mp4[:at] + struct.pack(">9i", a << 16, b << 16, 0, c << 16, d << 16, 0, 0, 0,
                                  1 << 30) + mp4[at + 36:]


def accepted():
    plain = clip("mp4", "libx264", options={"crf": "30"})
    h264 = {"bf": "2", "crf": "26"}
    return {
        "mpeg1.mpg": clip("mpeg", "mpeg1video", sound="mp2", rate=32000, options={"b": "60000"}),
        "bframes.mp4": clip("mp4", "libx264", sound="aac", layout="stereo", options=h264),
        "mpeg4.avi": clip("avi", "mpeg4", sound="libmp3lame", options={"bf": "2", "b": "60000"}),
        "vp8.webm": clip("webm", "libvpx", sound="libopus", rate=48000, options={"b": "60000"}),
        "vp9.webm": clip("webm", "libvpx-vp9", fps=30, options={"b": "60000"}),
        "stream.ts": clip("mpegts", "libx264", sound="mp2", rate=32000, options=h264),
        "bare.264": clip("h264", "libx264", options=h264),
        "ten_bits.mkv": clip("matroska", "libx264", pixel="yuv420p10le", options={"crf": "20"}),
        "motion_jpeg.avi": clip("avi", "mjpeg", count=6, pixel="yuvj420p"),
        "uneven.mkv": clip("matroska", "libx264", options=h264,
                           times=[0, 40, 50, 60, 200, 210, 400, 410, 420, 900, 1000, 1010]),
        "sound_late.mkv": clip("matroska", "libx264", options=h264, sound="pcm_s16le", rate=8000,
                               sound_begin=0.2, sound_seconds=0.28),
        "sound_early.mkv": clip("matroska", "libx264", options=h264, sound="pcm_s16le", rate=8000,
                                begin=0.2, sound_seconds=0.6),
        "bt601.mp4": clip("mp4", "libx264", draw=patches, count=3, matrix="bt601", full=False,
                          options={"crf": "4"}),
        "bt709.mp4": clip("mp4", "libx264", draw=patches, count=3, matrix="bt709", full=False,
                          options={"crf": "4"}),
        "full_range.mp4": clip("mp4", "libx264", draw=patches, count=3, matrix="bt601", full=True,
                               options={"crf": "4"}),
        "turned_90.mp4": turned(plain, 0, 1, -1, 0),
        "turned_180.mp4": turned(plain, -1, 0, 0, -1),
        "turned_270.mp4": turned(plain, 0, -1, 1, 0),
        "mirrored.mp4": turned(plain, -1, 0, 0, 1),
    }


def refused():
    return {"sound_alone.mp4": sound_alone(),
            "prores.mov": clip("mov", "prores_ks", count=2, pixel="yuv422p10le")}
