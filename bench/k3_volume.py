"""Figure K3, volumes: .nii.gz to a resampled FP32 tensor, Braid against nibabel and scipy.

    bench/k3_volume.py BUILD_FOLDER [--rounds N] [--volumes FOLDER]

Run by a Python that has nibabel and scipy. Each round runs both on the same files, one thread each; a
ratio is taken within a round, so that a busy machine slows both. Times are CPU time of the process.
Without --volumes: generated ones, of the noise and the sizes of scanners. Prints JSON: for each volume
and over all, the time of nibabel and scipy ÷ ours; above 1 is faster.
"""

import argparse
import gzip
import json
import math
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"

import nibabel
import numpy as np
import scipy
import scipy.ndimage

SECONDS = 1.0  # a volume and a round
SIZE = (96, 96, 96)
WINDOW = (-1000, 400)
SETTINGS = f"{{size: {list(SIZE)}, window: {list(WINDOW)}}}"


def with_nibabel(data):
    """As people write it: open, nearest canonical axes, zoom, window."""
    image = nibabel.as_closest_canonical(
        nibabel.Nifti1Image.from_bytes(gzip.decompress(data)))
    volume = np.asanyarray(image.dataobj, dtype=np.float32)
    zoom = [after / before for after, before in zip(SIZE, volume.shape)]
    resized = scipy.ndimage.zoom(volume, zoom, order=1, mode="nearest")
    low, high = WINDOW
    return ((np.clip(resized, low, high) - low) / (high - low)).astype(np.float32)[None, None]


def nibabel_ms(data):
    count = 0
    begin = time.process_time()
    while (elapsed := time.process_time() - begin) < SECONDS or count == 0:
        with_nibabel(data)
        count += 1
    return elapsed / count * 1e3


def braid_ms(build, files):
    command = [build / "volume_bench", "--benchmark_format=json",
               f"--benchmark_min_time={SECONDS}", SETTINGS, *files]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    results = json.loads(run.stdout)["benchmarks"]
    scale = {"ns": 1e-6, "us": 1e-3, "ms": 1.0}
    return {each["name"]: each["cpu_time"] * scale[each["time_unit"]] for each in results}


def head(shape, noise, dtype, seed):
    """A smooth body in air, with a scanner's noise in it."""
    generator = np.random.default_rng(seed)
    axes = np.meshgrid(*[np.linspace(-1, 1, n, dtype=np.float32) for n in shape], indexing="ij",
                       sparse=True)
    distance = sum(axis**2 for axis in axes)
    coarse = generator.normal(size=[max(2, n // 16) for n in shape]).astype(np.float32)
    texture = scipy.ndimage.zoom(coarse, [n / m for n, m in zip(shape, coarse.shape)], order=1)
    values = np.where(distance < 0.7, 40 + 60 * texture, -1000)
    values += generator.normal(scale=noise, size=shape).astype(np.float32) * (distance < 0.85)
    return np.rint(values).astype(dtype)


def make_volumes(folder):
    kinds = {
        "ct_512x512x96": ((512, 512, 96), 12, np.int16, (0.7, 0.7, 3.0)),
        "mr_256x256x176": ((256, 256, 176), 8, np.int16, (1.0, 1.0, 1.0)),
        "mr_192_float": ((192, 192, 128), 8, np.float32, (1.2, 1.2, 1.2)),
        "small_64": ((64, 64, 48), 8, np.int16, (2.0, 2.0, 3.0)),
    }
    for seed, (name, (shape, noise, dtype, spacing)) in enumerate(kinds.items()):
        affine = np.diag([-spacing[0], -spacing[1], spacing[2], 1])
        image = nibabel.Nifti1Image(head(shape, noise, dtype, seed), affine)
        (folder / f"{name}.nii.gz").write_bytes(gzip.compress(image.to_bytes(), 6, mtime=0))


def summary(values):
    return {"min": round(min(values), 3), "median": round(statistics.median(values), 3),
            "max": round(max(values), 3)}


def compare(build, files, rounds):
    ratios = {file.name: [] for file in files}
    ours = {file.name: [] for file in files}
    for _ in range(rounds):
        theirs = {str(file): nibabel_ms(file.read_bytes()) for file in files}
        for name, milliseconds in braid_ms(build, [str(file) for file in files]).items():
            ratios[pathlib.Path(name).name].append(theirs[name] / milliseconds)
            ours[pathlib.Path(name).name].append(milliseconds)
    overall = [math.exp(statistics.fmean(map(math.log, of_round)))
               for of_round in zip(*ratios.values(), strict=True)]
    return {
        "what": f"CPU time of nibabel and scipy ÷ Braid's, .nii.gz to {SIZE} FP32, one thread",
        "nibabel": nibabel.__version__, "scipy": scipy.__version__, "rounds": rounds,
        "load": os.getloadavg()[0],
        "ratio": summary(overall),  # geometric mean over the volumes, of each round
        "volumes": {name: {"ratio": summary(values), "braid_ms": round(statistics.median(ours[name]), 3)}
                    for name, values in ratios.items()},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--volumes", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.volumes or pathlib.Path(temporary)
        if arguments.volumes is None:
            make_volumes(folder)
        files = sorted(folder.glob("*.nii.gz"))
        print(json.dumps(compare(arguments.build, files, arguments.rounds), indent=1))


if __name__ == "__main__":
    main()
