"""Writes tests/data/modality/video: clips, settings and what PyAV, Pillow and soxr make of them.

    video_goldens.py [OUT_FOLDER]

cases.yaml lists the cases; a case's frames begin `at` a byte of frames.bin, one byte a value, since
all ask for `scale: 1`, its sound `sound_at` an FP32 value of sound.bin. PyAV decodes everything; a
frame is chosen from the list of all by numpy.linspace, or by its time.
"""

import io
import json
import pathlib
import sys
from fractions import Fraction

import av
import numpy as np
import soxr
from PIL import Image

import video_files

MIRRORED = "mirrored.mp4"  # which PyAV tells as a turn by 180 degrees
DEEP = "ten_bits.mkv"  # whose pixels differ a little between the versions of libswscale


def decoded(data):
    """All frames upright, their times, and their distance."""
    container = av.open(io.BytesIO(data))
    stream = container.streams.video[0]
    frames = list(container.decode(video=0))
    times = [frame.pts * frame.time_base if frame.pts is not None else None for frame in frames]
    if container.format.name == "avi":  # it stores no times: what a demuxer gives is a guess
        times = [i / Fraction(stream.average_rate) for i in range(len(frames))]
    images = [frame.to_ndarray(format="rgb24") for frame in frames]
    turn = frames[0].rotation
    if turn:
        images = [np.rot90(image, round(turn / 90)) for image in images]
    length = frames[-1].duration * frames[-1].time_base
    return images, times, length or 1 / Fraction(stream.average_rate), stream.time_base


def chosen(times, settings, length, clock):
    """Indexes of frames. A clock finer than 2 ms has rounded the frames' times."""
    count = settings.get("frames")
    if "rate" not in settings and settings.get("places", "ends") == "ends" and settings.get(
            "even", True):
        return np.linspace(0, len(times) - 1, count).astype(int)
    end = times[-1] + length
    if "rate" in settings:
        rate = Fraction(str(settings["rate"]))
        moments = []
        while len(moments) / rate < end - times[0]:
            moments.append(times[0] + len(moments) / rate)
        if count:
            moments = (moments + [moments[-1]] * count)[:count]
    elif settings.get("places") == "centres":
        moments = [times[0] + (end - times[0]) * Fraction(2 * i + 1, 2 * count)
                   for i in range(count)]
    else:
        moments = [times[0] + (times[-1] - times[0]) * Fraction(i, count - 1)
                   for i in range(count)]
    if clock <= Fraction(2, 1000):
        moments = [(moment / clock + Fraction(1, 2)) // 1 * clock for moment in moments]
    return [max(i for i, time in enumerate(times) if time <= moment) for moment in moments]


def resized(image, size):
    """As Pillow up to 12: along the rows first."""
    height, width = size
    picture = Image.fromarray(np.ascontiguousarray(image))
    return np.asarray(picture.resize((width, picture.height), Image.BILINEAR).resize(
        (width, height), Image.BILINEAR))


def sound_of(data, settings, zero):
    container = av.open(io.BytesIO(data))
    frames = list(container.decode(audio=0))
    parts = []
    for frame in frames:
        part = frame.to_ndarray()
        if not frame.format.is_planar:
            part = part.reshape(-1, frame.layout.nb_channels).T
        scale = {"s16": 32768, "flt": 1}[frame.format.packed.name]
        parts.append(part.astype(np.float64) / scale)
    rate = frames[0].rate
    samples = np.concatenate(parts, 1)
    mix = settings.get("mix", "mean")
    samples = samples.mean(0) if mix == "mean" else samples[{"first": 0, "second": 1}[mix]]
    shift = round(float(frames[0].pts * frames[0].time_base - zero) * rate)
    samples = np.concatenate([np.zeros(max(shift, 0)), samples[max(-shift, 0):]])
    samples = soxr.resample(samples.astype(np.float32), rate, settings["rate"], quality="HQ")
    if "seconds" in settings:
        count = round(settings["seconds"] * settings["rate"])
        samples = np.pad(samples[:count], (0, max(count - len(samples), 0)))
    return samples


SIZE = [18, 24]
SOUND = {"features": "waveform", "rate": 8000, "seconds": 0.25}
CASES = [
    ("mpeg1.mpg", {"frames": 5, "sound": SOUND}),
    ("mpeg1.mpg", {"rate": 10}),
    ("bframes.mp4", {"frames": 12}),
    ("bframes.mp4", {"frames": 4, "places": "centres", "sound": {**SOUND, "mix": "second"}}),
    ("bframes.mp4", {"rate": 12.5, "frames": 9, "layout": "cthw"}),
    ("mpeg4.avi", {"frames": 5, "layout": "thwc", "sound": SOUND}),
    ("vp8.webm", {"frames": 5, "sound": SOUND}),
    ("vp9.webm", {"rate": 30}),
    ("stream.ts", {"frames": 5, "sound": SOUND}),
    ("bare.264", {"frames": 7}),
    ("ten_bits.mkv", {"frames": 3}),
    ("motion_jpeg.avi", {"frames": 3}),
    ("uneven.mkv", {"frames": 6, "even": False}),
    ("uneven.mkv", {"rate": 20}),
    ("sound_late.mkv", {"frames": 2, "sound": SOUND}),
    ("sound_early.mkv", {"frames": 2, "sound": SOUND}),
    ("bt709.mp4", {"frames": 2, "size": [36, 48]}),
    ("full_range.mp4", {"frames": 2, "size": [36, 48]}),
    ("turned_90.mp4", {"frames": 2}),
    ("turned_180.mp4", {"frames": 2}),
    ("turned_270.mp4", {"frames": 2}),
    ("mirrored.mp4", {"frames": 2}),
]


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/modality/video"
    out.mkdir(parents=True, exist_ok=True)
    files = video_files.accepted()
    for name, data in {**files, **video_files.refused()}.items():
        (out / name).write_bytes(data)
    frames_out, sound_out = b"", b""
    lines = ["# Written by tools/oracles/video_goldens.py."]
    for name, settings in CASES:
        images, times, length, clock = decoded(files[name])
        if name == MIRRORED:
            images = [np.rot90(image, 2)[:, ::-1] for image in images]
        indexes = chosen(times, settings, length, clock)
        settings = {"size": SIZE, "scale": 1, **settings}
        settings.pop("even", None)
        frames = np.stack([resized(images[i], settings["size"]) for i in indexes])
        order = {"tchw": (0, 3, 1, 2), "thwc": (0, 1, 2, 3), "cthw": (3, 0, 1, 2)}
        frames = frames.transpose(order[settings.get("layout", "tchw")])[None]
        case = {"file": name, "at": len(frames_out), "shape": list(frames.shape),
                "mean_within": 2 if name == DEEP else 0}
        frames_out += np.ascontiguousarray(frames).tobytes()
        if "sound" in settings:
            samples = sound_of(files[name], settings["sound"], times[0])
            case |= {"sound_at": len(sound_out) // 4, "samples": len(samples)}
            sound_out += samples.astype("<f4").tobytes()
        lines.append("- " + json.dumps({**case, "settings": settings}))
    (out / "frames.bin").write_bytes(frames_out)
    (out / "sound.bin").write_bytes(sound_out)
    (out / "cases.yaml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
