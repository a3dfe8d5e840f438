"""Real files for bench/kinds.sh from the folder of shared data: hippocampus volumes as .nii.gz, spoken
orders as one WAV of ten seconds, the GRID clips as they are.

    bench/kinds_data.py DATA OUT      writes OUT/volumes, OUT/speech.wav, OUT/clips

What DATA lacks is left out, and the benchmark of that kind makes its own files. Nothing is kept.
"""

import csv
import gzip
import io
import pathlib
import sys

import nibabel
import numpy as np
import soundfile

VOLUMES = 8
SECONDS = 10
RATE = 8000


def volumes(folder, out):
    array = np.load(io.BytesIO(gzip.decompress((folder / "volumes_u8.npy.gz").read_bytes())))
    out.mkdir(parents=True)
    for i in range(0, len(array), len(array) // VOLUMES):
        image = nibabel.Nifti1Image(array[i], np.diag([-1.0, -1.0, 1.0, 1.0]))
        (out / f"{i}.nii.gz").write_bytes(gzip.compress(image.to_bytes(), 6, mtime=0))


def linear(mu_law):
    """G.711 to whole numbers of 16 bits."""
    bits = ~mu_law
    size = ((bits & 0x0F).astype(np.int32) << 3) + 0x84 << ((bits >> 4) & 7)
    return np.where(bits & 0x80, 0x84 - size, size - 0x84).astype(np.int16)


def speech(folder, out):
    samples = linear(np.fromfile(folder / "audio_mulaw8k.bin", np.uint8, SECONDS * RATE))
    with open(folder / "items.csv", newline="") as items:
        assert next(csv.DictReader(items))["offset"] == "0"
    soundfile.write(out, samples, RATE, subtype="PCM_16")


def main():
    data, out = map(pathlib.Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    if (data / "hippocampus-mri").exists():
        volumes(data / "hippocampus-mri", out / "volumes")
    if (data / "barista-speech-intent").exists():
        speech(data / "barista-speech-intent", out / "speech.wav")
    if (data / "grid-av-samples").exists():
        (out / "clips").symlink_to((data / "grid-av-samples").resolve())


if __name__ == "__main__":
    main()
