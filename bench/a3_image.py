"""Figure A3, pictures: JPEG to a normalised 224 × 224 FP32 tensor, Braid against Pillow.

    bench/a3_image.py BUILD_FOLDER [--rounds N] [--pictures FOLDER]

Run by the Python of the oracles' venv. Each round runs Pillow, then image_bench, on the same files,
one thread each; a ratio is taken within a round, so that a busy machine slows both. Times are CPU
time of the process. Without --pictures: two photographs that scikit-learn ships, and generated ones
of several sizes. Prints JSON: for each picture and over all, Pillow's time ÷ ours; above 1 is faster.
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

import numpy as np
import PIL
from PIL import Image

SIDE = 224
SECONDS = 0.5  # a picture and a round
MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)
STD = np.array([0.229, 0.224, 0.225], dtype=np.float32)
SETTINGS = f"{{size: {SIDE}, mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}"


def with_pillow(data):
    image = Image.open(io.BytesIO(data)).convert("RGB").resize((SIDE, SIDE), Image.BILINEAR)
    scaled = np.asarray(image, dtype=np.float32) / 255
    return np.ascontiguousarray(((scaled - MEAN) / STD).transpose(2, 0, 1))[None]


def cpu_ms(run, data):
    run(data)
    count = 0
    begin = time.process_time()
    while (elapsed := time.process_time() - begin) < SECONDS:
        run(data)
        count += 1
    return elapsed / count * 1e3


def braid_ms(build, files):
    command = [build / "image_bench", "--benchmark_format=json",
               f"--benchmark_min_time={SECONDS}", SETTINGS, *files]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    results = json.loads(run.stdout)["benchmarks"]
    scale = {"ns": 1e-6, "us": 1e-3, "ms": 1.0}
    return {each["name"]: each["cpu_time"] * scale[each["time_unit"]] for each in results}


def cloud(width, height, seed):
    """Noise whose power falls with the square of its frequency, as in photographs."""
    generator = np.random.default_rng(seed)
    frequency = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None])
    frequency[0, 0] = 1
    planes = []
    for _ in range(3):
        spectrum = np.fft.rfft2(generator.normal(size=(height, width))) / frequency
        spectrum[0, 0] = 0
        plane = np.fft.irfft2(spectrum, s=(height, width))
        planes.append(127 + 50 * plane / plane.std())
    return Image.fromarray(np.stack(planes, -1).clip(0, 255).astype(np.uint8))


def make_pictures(folder):
    for width, height in ((256, 256), (640, 480), (1280, 960), (2560, 1920)):
        cloud(width, height, width).save(folder / f"cloud_{width}.jpg", quality=88)
    cloud(640, 480, 1).save(folder / "cloud_640_progressive.jpg", quality=88, progressive=True)
    import sklearn.datasets
    photographs = pathlib.Path(sklearn.datasets.__file__).parent / "images"
    for name in ("china.jpg", "flower.jpg"):
        (folder / name).write_bytes((photographs / name).read_bytes())


def summary(values):
    return {"min": round(min(values), 3), "median": round(statistics.median(values), 3),
            "max": round(max(values), 3)}


def compare(build, files, rounds):
    ratios = {file.name: [] for file in files}
    ours = {file.name: [] for file in files}
    for _ in range(rounds):
        theirs = {str(file): cpu_ms(with_pillow, file.read_bytes()) for file in files}
        for name, milliseconds in braid_ms(build, [str(file) for file in files]).items():
            ratios[pathlib.Path(name).name].append(theirs[name] / milliseconds)
            ours[pathlib.Path(name).name].append(milliseconds)
    overall = [math.exp(statistics.fmean(map(math.log, of_round)))
               for of_round in zip(*ratios.values(), strict=True)]
    return {
        "what": "Pillow's CPU time ÷ Braid's, JPEG to 224 × 224 normalised FP32, one thread",
        "pillow": PIL.__version__, "rounds": rounds, "load": os.getloadavg()[0],
        "ratio": summary(overall),  # geometric mean over the pictures, of each round
        "pictures": {name: {"ratio": summary(values),
                            "braid_ms": round(statistics.median(ours[name]), 3)}
                     for name, values in ratios.items()},
    }


def print_comparison(description, make_pictures, patterns, compare):
    """What every script of pictures does with its command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pictures", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.pictures or pathlib.Path(temporary)
        if arguments.pictures is None:
            make_pictures(folder)
        files = sorted(file for pattern in patterns for file in folder.glob(pattern))
        print(json.dumps(compare(arguments.build, files, arguments.rounds), indent=1,
                         ensure_ascii=False))


if __name__ == "__main__":
    print_comparison(__doc__.splitlines()[0], make_pictures, ["*.jp*g"], compare)
