"""Figure K3, DICOM: a series in a zip to a resampled FP32 tensor, Braid against pydicom and scipy.

    bench/k3_dicom.py BUILD_FOLDER [--rounds N]

Run by a Python that has pydicom, pylibjpeg with libjpeg and openjpeg, and scipy. Each round runs both on
the same archives, one thread each; a ratio is taken within a round, so that a busy machine slows both.
Times are CPU time of the process. Prints JSON: for each archive and over all, the time of pydicom and
scipy ÷ ours; above 1 is faster.
"""

import argparse
import io
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

os.environ["OMP_NUM_THREADS"] = "1"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools/oracles"))

import numpy as np
import pydicom
import pydicom.uid
import scipy
import scipy.ndimage

import dicom_files
from k3_volume import SECONDS, SETTINGS, SIZE, WINDOW, head, summary

AXIAL_RAS = (slice(None, None, -1), slice(None, None, -1))  # of axial slices: left and back turned


def with_pydicom(data):
    """As people write it: read each slice, sort by place, rescale, turn to RAS, zoom, window."""
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        files = [pydicom.dcmread(io.BytesIO(source.read(name))) for name in source.namelist()]
    files.sort(key=lambda each: float(each.ImagePositionPatient[2]))
    volume = np.stack([each.pixel_array.astype(np.float32) * np.float32(each.RescaleSlope)
                       + np.float32(each.RescaleIntercept) for each in files])
    volume = volume.transpose(2, 1, 0)[AXIAL_RAS]
    zoom = [after / before for after, before in zip(SIZE, volume.shape)]
    resized = scipy.ndimage.zoom(volume, zoom, order=1, mode="nearest")
    low, high = WINDOW
    return ((np.clip(resized, low, high) - low) / (high - low)).astype(np.float32)[None, None]


def pydicom_ms(data):
    count = 0
    begin = time.process_time()
    while (elapsed := time.process_time() - begin) < SECONDS or count == 0:
        with_pydicom(data)
        count += 1
    return elapsed / count * 1e3


def braid_ms(build, files):
    command = [build / "volume_bench", "--benchmark_format=json",
               f"--benchmark_min_time={SECONDS}", SETTINGS, *files]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    results = json.loads(run.stdout)["benchmarks"]
    scale = {"ns": 1e-6, "us": 1e-3, "ms": 1.0}
    return {each["name"]: each["cpu_time"] * scale[each["time_unit"]] for each in results}


def make_series(folder):
    rescale = {"RescaleSlope": "1", "RescaleIntercept": "-1024"}
    kinds = {
        "ct_512x512x96": ((96, 512, 512), zipfile.ZIP_DEFLATED, None),
        "ct_512x512x96_stored": ((96, 512, 512), zipfile.ZIP_STORED, None),
        "mr_256x256x128": ((128, 256, 256), zipfile.ZIP_DEFLATED, None),
        "ct_512x512x24_rle": ((24, 512, 512), zipfile.ZIP_STORED, pydicom.uid.RLELossless),
        "ct_512x512x24_jpeg2000": ((24, 512, 512), zipfile.ZIP_STORED, pydicom.uid.JPEG2000Lossless),
    }
    for seed, (name, (shape, method, syntax)) in enumerate(kinds.items()):
        values = (head(shape, 12, np.int16, seed) + 1024).astype(np.uint16)
        datasets = dicom_files.slices(values, **rescale)
        for each in datasets if syntax else []:
            dicom_files.compressed(each, syntax)
        (folder / f"{name}.zip").write_bytes(dicom_files.series(datasets, method=method, level=6))


def compare(build, files, rounds):
    ratios = {file.name: [] for file in files}
    ours = {file.name: [] for file in files}
    for _ in range(rounds):
        theirs = {str(file): pydicom_ms(file.read_bytes()) for file in files}
        for name, milliseconds in braid_ms(build, [str(file) for file in files]).items():
            ratios[pathlib.Path(name).name].append(theirs[name] / milliseconds)
            ours[pathlib.Path(name).name].append(milliseconds)
    overall = [math.exp(statistics.fmean(map(math.log, of_round)))
               for of_round in zip(*ratios.values(), strict=True)]
    return {
        "what": f"CPU time of pydicom and scipy ÷ Braid's, DICOM series in zip to {SIZE} FP32, one thread",
        "pydicom": pydicom.__version__, "scipy": scipy.__version__, "rounds": rounds,
        "load": os.getloadavg()[0],
        "ratio": summary(overall),  # geometric mean over the archives, of each round
        "series": {name: {"ratio": summary(values), "braid_ms": round(statistics.median(ours[name]), 3)}
                   for name, values in ratios.items()},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        make_series(folder)
        files = sorted(folder.glob("*.zip"))
        print(json.dumps(compare(arguments.build, files, arguments.rounds), indent=1))


if __name__ == "__main__":
    main()
