"""Writes the demo's manifest, its pictures and its folds from the stamps catalogue.

    make_manifest.py STAMPS_FOLDER OUT_FOLDER

OUT_FOLDER receives manifest.csv (columns id, split, group, label, photo, title, record, a voice for
each language, sound), record_schema.json, images/, sounds/, and folds/fold0.csv … fold4.csv, whose rows
are train or test. Paths in a cell are relative to the folder of its file. An empty cell means that the
item has no such input.
"""

import argparse
import collections
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import shutil
import subprocess

from PIL import Image

import catalogue
import folds

DRAWN_PIXELS = 128  # longest side of a picture that is drawn from SVG
FOLDS = 5
SPLIT_SIZES = {"train": 460, "calibration": 169, "test": 173}
GROUPS = 638
SPOKEN, SOUNDS = 765, 132  # items with every voice, and with a sound of their own
VOICES = {f"voice_{language}": language for language in catalogue.VOICES}
FILES = ["photo", *VOICES, "sound"]  # columns that hold a path
COLUMNS = ["id", "split", "group", "label", "photo", "title", "record", *VOICES, "sound"]
OPTIONS = ["noflip", "nomirror", "colorable", "tintable", "scale"]
RECORD_COLUMNS = [
    *OPTIONS, "tinter_vector", "tinter_anyhue", "is_svg", "has_mirror", "has_flip",
    "log_aspect", "log_area", "filled_share",
]


def place_picture(item, out):
    """A PNG as it is; an SVG drawn. Returns the path, relative to `out`."""
    relative = pathlib.Path("images") / (item.id + ".png")
    target = out / relative
    target.parent.mkdir(parents=True, exist_ok=True)
    if item.picture.suffix == ".png":
        shutil.copyfile(item.picture, target)
        return relative
    size = str(DRAWN_PIXELS)
    subprocess.run(
        ["rsvg-convert", "-w", size, "-h", size, "-a", item.picture, "-o", target],
        check=True, timeout=60,
    )
    return relative


def place_sound(source, item, column, out):
    """A recording as it is, by another name of its file where the disk allows; "" for none."""
    if source is None:
        return ""
    relative = pathlib.Path("sounds") / f"{item.id}_{column}{source.suffix}"
    (out / relative).parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, out / relative)
    except OSError:
        shutil.copyfile(source, out / relative)
    return f"@{relative}"


def record(item, picture):
    """The thirteen numbers of an item's record.

    Left out on purpose: length of the caption, number of its translations, presence of a sound. They
    say how well an item is documented, not what it is.
    """
    with Image.open(picture) as image:
        alpha = image.convert("RGBA").getchannel("A")
    width, height = alpha.size
    left, top, right, bottom = alpha.getbbox() or (0, 0, width, height)
    options = " ".join(item.options)
    values = [
        *(option in options for option in OPTIONS),
        "vector" in options, "anyhue" in options, item.picture.suffix == ".svg",
        item.has_mirror, item.has_flip,
        math.log(width / height), math.log(width * height),
        (right - left) * (bottom - top) / (width * height),
    ]
    numbers = (round(value, 6) if isinstance(value, float) else int(value) for value in values)
    return dict(zip(RECORD_COLUMNS, numbers, strict=True))


def row(item, out):
    photo = place_picture(item, out)
    title = item.title
    return {
        "id": item.id,
        "split": folds.fixed_split(item.group),
        "group": item.group,
        "label": item.label,
        "photo": f"@{photo}",
        "title": "@" + title if title.startswith("@") else title,
        "record": json.dumps(record(item, out / photo)),
        **{column: place_sound(item.voices.get(language), item, column, out)
           for column, language in VOICES.items()},
        "sound": place_sound(item.sound, item, "sound", out),
    }


def write_manifest(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_folds(folder, rows):
    folder.mkdir()
    fold_of_row = folds.stratified_group_folds(
        [row["label"] for row in rows], [row["group"] for row in rows], FOLDS
    )
    for fold in range(FOLDS):
        write_manifest(folder / f"fold{fold}.csv", [
            {**row, "split": "test" if mine == fold else "train",
             **{column: row[column].replace("@", "@../", 1) for column in FILES}}
            for row, mine in zip(rows, fold_of_row, strict=True)
        ])


def write_schema(path):
    columns = [{"name": name, "type": "numeric"} for name in RECORD_COLUMNS]
    path.write_text(json.dumps({"columns": columns}, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stamps", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()

    items = catalogue.read_catalogue(arguments.stamps)
    # The work is in rsvg-convert, a process of its own, so two threads keep two cores busy.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda item: row(item, arguments.out), items))

    # Every floor of the demo was measured on exactly these items: another count is another data set.
    sizes = collections.Counter(row["split"] for row in rows)
    if sizes != SPLIT_SIZES or len({row["group"] for row in rows}) != GROUPS:
        raise SystemExit(f"error: the catalogue differs from the one measured: {dict(sizes)}")
    write_manifest(arguments.out / "manifest.csv", rows)
    write_folds(arguments.out / "folds", rows)
    write_schema(arguments.out / "record_schema.json")
    heard = sum(all(row[column] for column in VOICES) for row in rows)
    if (heard, sum(bool(row["sound"]) for row in rows)) != (SPOKEN, SOUNDS):
        raise SystemExit(f"error: {heard} items are spoken in all of {', '.join(catalogue.VOICES)}")
    print(f"{len(rows)} items, {GROUPS} groups: {dict(sizes)}")


if __name__ == "__main__":
    main()
