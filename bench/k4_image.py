"""Figure K4, pictures: JPEG and PNG to a normalised 224 × 224 FP32 tensor, Braid against the faster of
Pillow and libvips (pyvips), one thread each.

    bench/k4_image.py BUILD_FOLDER [--rounds N] [--pictures FOLDER]

Run by the Python of tools/setup.sh kinds. Each round runs the others, then image_bench (a release
build), on the same files; a ratio is taken within a round, so that a busy machine slows both. Times are
CPU time of the process. libvips reads a JPEG shrunk where that is enough (`thumbnail_buffer`), which
gives other pixels than training had; Pillow's are those of the goldens. Without --pictures: generated
ones. Prints JSON: the faster one's time ÷ ours, for each kind; above 1 is faster.
"""

import math
import os
import statistics

os.environ["VIPS_CONCURRENCY"] = "1"
import numpy as np  # noqa: E402
import PIL  # noqa: E402
from PIL import Image  # noqa: E402

from a3_image import (  # noqa: E402
    MEAN, SIDE, STD, braid_ms, cloud, cpu_ms, print_comparison, summary, with_pillow)

try:
    import pyvips
    pyvips.cache_set_max(0)
except (ImportError, OSError):
    pyvips = None


def with_vips(data):
    image = pyvips.Image.thumbnail_buffer(data, SIDE, height=SIDE, size="force")
    scaled = image.numpy()[..., :3].astype(np.float32) / 255
    return np.ascontiguousarray(((scaled - MEAN) / STD).transpose(2, 0, 1))[None]


def make_pictures(folder):
    for width, height in ((256, 256), (640, 480), (1280, 960), (2560, 1920)):
        picture = cloud(width, height, width)
        picture.save(folder / f"cloud_{width}.jpg", quality=88)
        picture.save(folder / f"cloud_{width}.png")
    drawing = Image.new("RGB", (1024, 768), (250, 250, 245))  # large areas of one colour
    for i in range(60):
        colour = (40 * i % 256, 90 * i % 256, 200 - 3 * i)
        drawing.paste(colour, (i * 15, i * 9, i * 15 + 80, i * 9 + 120))
    drawing.save(folder / "drawing.png")


def compare(build, files, rounds):
    others = {"Pillow": with_pillow, **({"libvips": with_vips} if pyvips else {})}
    ratios = {"jpeg": {name: [] for name in others}, "png": {name: [] for name in others}}
    for _ in range(rounds):
        theirs = {name: {str(file): cpu_ms(run, file.read_bytes()) for file in files}
                  for name, run in others.items()}
        ours = braid_ms(build, [str(file) for file in files])
        for kind, of_kind in ratios.items():
            names = [str(f) for f in files if (f.suffix == ".png") == (kind == "png")]
            for other, times in theirs.items():
                of_kind[other].append(math.exp(statistics.fmean(
                    math.log(times[name] / ours[name]) for name in names)))
    results = {}
    for kind, of_kind in ratios.items():
        faster = min(of_kind, key=lambda name: statistics.median(of_kind[name]))
        results[kind] = {"faster": faster, "ratio": summary(of_kind[faster]),
                         **{name: summary(values) for name, values in of_kind.items()}}
    return {"what": "CPU time of the faster of Pillow and libvips ÷ Braid's, one thread",
            "pillow": PIL.__version__, "libvips": pyvips.version(0) if pyvips else "not installed",
            "rounds": rounds, "load": os.getloadavg()[0], "results": results}


if __name__ == "__main__":
    print_comparison(__doc__.splitlines()[0], make_pictures, ["*.jp*g", "*.png"], compare)
