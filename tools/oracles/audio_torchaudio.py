"""Shows that torchaudio gives what audio_goldens.py computes for `convention: torchaudio`.

    audio_torchaudio.py [FOLDER]

Run by a Python that has torchaudio (Debian: python3-torchaudio) besides numpy; it reads cases.yaml
and expected.bin, and the sound as 16-bit WAV without a library. Fails above 1e-3.
"""

import json
import pathlib
import sys

import numpy as np
import torch
import torchaudio


def mono16(path):
    data = path.read_bytes()
    begin = data.index(b"data") + 8
    return torch.from_numpy(np.frombuffer(data[begin:], "<i2").astype(np.float32) / 32768)


def computed(samples, settings):
    bands = settings.get("bands", 128)
    if settings.get("features") == "mfcc":
        x = torchaudio.transforms.MFCC(16000, n_mfcc=settings.get("coefficients", 40),
                                       melkwargs={"n_mels": bands})(samples)
    else:
        mel = torchaudio.transforms.MelSpectrogram(16000, n_mels=bands)(samples)
        x = torchaudio.transforms.AmplitudeToDB("power")(mel)
    rows = [x]
    for _ in range(settings.get("deltas", 0)):
        rows.append(torchaudio.functional.compute_deltas(rows[-1]))
    return torch.cat(rows).numpy()


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    folder = (pathlib.Path(sys.argv[1]) if len(sys.argv) > 1
              else root / "tests/data/modality/audio")
    values = np.frombuffer((folder / "expected.bin").read_bytes(), "<f4")
    for line in (folder / "cases.yaml").read_text().splitlines()[1:]:
        case = json.loads(line.removeprefix("- "))
        if case["settings"].get("convention") != "torchaudio":
            continue
        wanted = values[case["at"]: case["at"] + np.prod(case["shape"])].reshape(case["shape"])[0]
        found = computed(mono16(folder / case["file"]), case["settings"])
        difference = np.abs(found - wanted).max()
        print(case["settings"], "differs by at most", difference)
        if found.shape != wanted.shape or difference > 1e-3:
            sys.exit(1)


if __name__ == "__main__":
    main()
