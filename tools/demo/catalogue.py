"""Reads the stamps catalogue of Tux Paint and decides what is an item, its label and its group.

The rules were set from counts, before any accuracy was seen (docs/decisions/0013-demo-catalogue.md):
950 pictures give 802 items in 12 classes and 638 groups.
"""

import collections
import dataclasses
import pathlib
import re

import numpy as np

# First folder -> class; None drops the folder, what is not named keeps its own name. Classes under
# thirty items were merged with their nearest or left out.
CLASS_OF_FOLDER = {
    "sports": "leisure", "hobbies": "leisure", "naturalforces": "space",
    "military": None, "medical": None,
}
# Alphabets, coins, houses and road signs are long series of near duplicates: at most so many of a
# folder in these two classes, and money of every country counts as one folder.
CAPPED_FOLDERS = ("symbols", "town")
CAP = 12
MONEY = "symbols/money"
# The caption is read out in many languages; English is hardly among them (65 of 950). Taken are those
# in which 95 of 100 items of the task are spoken, since the five are used together or not at all.
VOICES = ("bg", "ca", "fr", "ro", "ru")
# Words that name a class, or are a synonym of one: with them a caption would give its label away.
LABEL_WORDS = set(
    "animal animals bird birds food foods fruit vegetable vegetables clothes clothing household town "
    "house houses building symbol symbols sign plant plants flower flowers vehicle vehicles people "
    "person space planet season seasonal christmas halloween easter hanukkah hobby sport sports "
    "leisure cartoon".split()
)


@dataclasses.dataclass
class Item:
    id: str  # folder and name, e.g. "animals/birds/duck"
    folder: str
    name: str
    picture: pathlib.Path  # .png or .svg
    caption: str  # first line of the text beside it; may be empty
    options: list  # words of the .dat file, set by the catalogue's curators
    has_mirror: bool
    has_flip: bool
    voices: dict  # language -> recording of the caption
    sound: pathlib.Path | None  # what the thing itself sounds like
    group: str = ""

    @property
    def top_folder(self):
        return self.folder.split("/")[0]

    @property
    def label(self):
        return CLASS_OF_FOLDER.get(self.top_folder, self.top_folder)

    @property
    def title(self):
        """The caption in lower case, without the words that would give the label away."""
        words = re.findall(r"[\w$'’]+", self.caption.lower())
        return " ".join(word for word in words if word not in LABEL_WORDS)


def read_item(picture, names, folder):
    name, suffix = picture.stem, picture.suffix
    caption, options = "", []
    if name + ".txt" in names:
        lines = picture.with_suffix(".txt").read_text("utf-8", errors="replace").splitlines()
        caption = lines[0].strip() if lines else ""
    if name + ".dat" in names:
        options = picture.with_suffix(".dat").read_text("utf-8", errors="replace").split()
    return Item(
        f"{folder}/{name}", folder, name, picture, caption, options,
        f"{name}_mirror{suffix}" in names, f"{name}_flip{suffix}" in names,
        {language: picture.with_name(f"{name}_desc_{language}.ogg") for language in VOICES
         if f"{name}_desc_{language}.ogg" in names},
        next((picture.with_suffix(end) for end in (".ogg", ".wav") if name + end in names), None),
    )


def read_folder(root, folder):
    paths = sorted((root / folder).iterdir(), key=lambda path: path.name)
    names = {path.name for path in paths}
    for path in paths:
        # A mirrored or flipped twin says something of its item; it is not an item.
        if path.suffix not in (".png", ".svg") or path.stem.endswith(("_mirror", "_flip")):
            continue
        if path.suffix == ".png" and path.stem + ".svg" in names:
            continue
        yield read_item(path, names, folder)


def set_groups(items):
    """Items with one caption or one name, transitively, are a group: no split may part them."""
    parent = {}

    def root(node):
        while parent.setdefault(node, node) != node:
            node = parent[node]
        return node

    def letters(text):
        return re.sub(r"[\W\d_]+", "", text.lower())

    for index, item in enumerate(items):
        for key in (("caption", letters(item.caption)), ("name", letters(item.name))):
            parent[root(index)] = root(key)
    return [root(index) for index in range(len(items))]


def cap_series(items):
    """Which items stay, as sorted indexes: those with a class, long series drawn by a fixed seed."""
    labelled = [index for index, item in enumerate(items) if item.label]
    taken, kept = collections.Counter(), []
    for index in np.random.default_rng(1).permutation(labelled):
        item = items[index]
        series = MONEY if item.folder.startswith(MONEY) else item.folder
        if item.top_folder in CAPPED_FOLDERS and taken[series] >= CAP:
            continue
        taken[series] += 1
        kept.append(int(index))
    return sorted(kept)


def read_catalogue(root):
    """The items of the task. A group is named by its first item."""
    root = pathlib.Path(root)
    # The order of folders is part of the data set: it decides what the seed draws and which item of
    # a group is first. A file system has an order of its own, so this one is kept in a file.
    order = pathlib.Path(__file__).with_name("folder_order.txt").read_text().split()
    items = [item for folder in order for item in read_folder(root, folder)]
    roots = set_groups(items)
    first, kept = {}, []
    for index in cap_series(items):
        item = items[index]
        item.group = first.setdefault(roots[index], item.id)
        kept.append(item)
    return kept
