"""Figure K6, video: clips to 16 frames and their sound, Braid against PyAV, Pillow and soxr.

    bench/k6_video.py BUILD_FOLDER [--rounds N] [--clips FOLDER]

Run by a Python that has av, numpy, Pillow and soxr. Without --clips: three generated ones, 3 s of
25 fps at 360 × 288 in MPEG-1 with MP2 sound, as the GRID corpus has them. Each round runs PyAV, then
video_bench (a release build), on the same bytes, one thread each; a ratio is taken within a round,
so that a busy machine slows both. Times are CPU time of the process. PyAV decodes every frame in one
thread, 16 are taken by numpy.linspace, resized with antialias, scaled and normalised; the sound
becomes one channel of 16 kHz. Prints JSON: PyAV's time ÷ ours; above 1 is faster.
"""

import argparse
import io
import json
import math
import os
import pathlib
import statistics
import subprocess
import tempfile
import time
from fractions import Fraction

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
import av  # noqa: E402
import numpy as np  # noqa: E402
import soxr  # noqa: E402
from PIL import Image  # noqa: E402

SECONDS = 1.0  # a clip and a round
FRAMES, SIDE, RATE = 16, 112, 16000
MEAN = np.array([0.43216, 0.394666, 0.37645], np.float32)  # torchvision's video models
STD = np.array([0.22803, 0.22145, 0.216989], np.float32)
SETTINGS = (f"{{frames: {FRAMES}, size: {SIDE}, mean: {MEAN.tolist()}, std: {STD.tolist()}, "
            f"sound: {{features: waveform, rate: {RATE}}}}}")


def with_pyav(data):
    """As people write it; video and sound in one pass over the file."""
    container = av.open(io.BytesIO(data))
    for stream in container.streams:
        stream.codec_context.thread_count = 1
        stream.codec_context.thread_type = "NONE"
    frames, sounds = [], []
    for frame in container.decode(container.streams.video[0], container.streams.audio[0]):
        (frames if isinstance(frame, av.VideoFrame) else sounds).append(frame)
    shown = []
    for i in np.linspace(0, len(frames) - 1, FRAMES).astype(int):
        image = Image.fromarray(
            frames[i].reformat(format="rgb24", threads=1).to_ndarray(format="rgb24"))
        shown.append(np.asarray(image.resize((SIDE, SIDE), Image.BILINEAR)))
    video = (np.stack(shown).astype(np.float32) / 255 - MEAN) / STD
    samples = np.concatenate([sound.to_ndarray() for sound in sounds], 1)
    samples = samples.astype(np.float32).mean(0) / 32768
    return (np.ascontiguousarray(video.transpose(0, 3, 1, 2))[None],
            soxr.resample(samples, sounds[0].rate, RATE, quality="HQ")[None])


def pyav_ms(data):
    with_pyav(data)
    count = 0
    begin = time.process_time()
    while (elapsed := time.process_time() - begin) < SECONDS:
        with_pyav(data)
        count += 1
    return elapsed / count * 1e3


def braid_ms(build, files):
    command = [build / "video_bench", "--benchmark_format=json",
               f"--benchmark_min_time={SECONDS}", SETTINGS, *files]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    scale = {"ns": 1e-6, "us": 1e-3, "ms": 1.0}
    return {each["name"]: each["cpu_time"] * scale[each["time_unit"]]
            for each in json.loads(run.stdout)["benchmarks"]}


def write_clip(path, seed):
    """A moving texture with a camera's noise, and a sweep for a sound."""
    generator = np.random.default_rng(seed)
    container = av.open(str(path), "w", format="mpeg")
    video = container.add_stream("mpeg1video", rate=25)
    video.width, video.height, video.pix_fmt, video.bit_rate = 360, 288, "yuv420p", 1_000_000
    audio = container.add_stream("mp2", rate=44100)
    audio.layout = "stereo"
    y, x = np.mgrid[0:288, 0:360].astype(np.float32)
    for i in range(75):
        waves = [127 + 60 * np.sin(x / (9 + c) + i / 5) + 50 * np.cos(y / 13 - i / 7 + c)
                 for c in range(3)]
        noisy = np.stack(waves, -1) + generator.normal(0, 4, (288, 360, 1))
        frame = av.VideoFrame.from_ndarray(noisy.clip(0, 255).astype(np.uint8), format="rgb24")
        frame.pts, frame.time_base = i, Fraction(1, 25)
        container.mux(video.encode(frame.reformat(format="yuv420p")))
        t = np.arange(i * 1764, (i + 1) * 1764) / 44100
        wave = (9000 * np.sin(2 * np.pi * (300 + 80 * t) * t)).astype(np.int16)
        sound = av.AudioFrame.from_ndarray(np.stack([wave, wave], 1).reshape(1, -1), format="s16",
                                           layout="stereo")
        sound.sample_rate, sound.pts, sound.time_base = 44100, i * 1764, Fraction(1, 44100)
        container.mux(audio.encode(sound))
    container.mux(video.encode())
    container.mux(audio.encode())
    container.close()


def summary(values):
    return {"min": round(min(values), 3), "median": round(statistics.median(values), 3),
            "max": round(max(values), 3)}


def compare(build, files, rounds):
    ratios = {str(file): [] for file in files}
    ours = {str(file): [] for file in files}
    for _ in range(rounds):
        theirs = {str(file): pyav_ms(file.read_bytes()) for file in files}
        for name, milliseconds in braid_ms(build, [str(file) for file in files]).items():
            ratios[name].append(theirs[name] / milliseconds)
            ours[name].append(milliseconds)
    overall = [math.exp(statistics.fmean(map(math.log, of_round)))
               for of_round in zip(*ratios.values(), strict=True)]
    return {
        "what": "CPU time of PyAV, Pillow and soxr ÷ Braid's: a clip to 16 frames of 112 × 112 and "
                "its sound at 16 kHz, one thread",
        "pyav": av.__version__, "rounds": rounds, "load": os.getloadavg()[0],
        "ratio": summary(overall),  # geometric mean over the clips, of each round
        "clips": {pathlib.Path(name).name: {"ratio": summary(values),
                                            "braid_ms": round(statistics.median(ours[name]), 2)}
                  for name, values in ratios.items()},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clips", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.clips or pathlib.Path(temporary)
        if arguments.clips is None:
            for seed in range(3):
                write_clip(folder / f"clip{seed}.mpg", seed)
        files = sorted(folder.glob("*.mpg"))
        print(json.dumps(compare(arguments.build, files, arguments.rounds), indent=1,
                         ensure_ascii=False))


if __name__ == "__main__":
    main()
