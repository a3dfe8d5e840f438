#!/usr/bin/env python3
"""Keeps a small part of a fuzz run's corpus in tests/data/fuzz/THING, which ./check replays.

libFuzzer's merge says which features (edges, counters, comparisons) each input reaches; the inputs that
add most for their size are taken until a limit is reached. Files of an earlier run are replaced; seeds
and findings, which have names of their own, stay. Python's standard library only.

    tools/fuzz/keep.py THING FOLDER     # the FOLDER of tools/fuzz/run.sh
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES_MAX = 60
BYTES_MAX = 300_000


def features_of(program, corpus, work):
    """Path → (size, features), by libFuzzer's own table of a merge into an empty folder."""
    control = work / "control"
    (work / "merged").mkdir()
    subprocess.run([program, "-merge=1", f"-merge_control_file={control}", "-timeout=60", work / "merged", corpus],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lines = control.read_text().splitlines()
    count = int(lines[0])
    names = lines[2:2 + count]
    reached = {}
    for line in lines[2 + count:]:
        word, *numbers = line.split()
        if word == "FT":
            path = pathlib.Path(names[int(numbers[0])])
            reached[path] = (path.stat().st_size, set(numbers[1:]))
    return reached


def choose(reached, seeds):
    """Greedy cover: the most new features for their size come first."""
    seen = set().union(*(features for path, (_, features) in reached.items() if path.name in seeds), set())
    chosen, size_bytes = [], 0
    rest = {path: value for path, value in reached.items() if path.name not in seeds}
    while rest and len(chosen) < FILES_MAX:
        path = max(rest, key=lambda p: len(rest[p][1] - seen) / (200 + rest[p][0]))
        size, features = rest.pop(path)
        if not features - seen or size_bytes + size > BYTES_MAX:
            continue
        seen |= features
        size_bytes += size
        chosen.append(path)
    return chosen, size_bytes


def main(thing, folder):
    corpus = pathlib.Path(folder).resolve() / thing / "corpus"
    kept = ROOT / "tests/data/fuzz" / thing
    kept.mkdir(parents=True, exist_ok=True)
    for old in kept.glob("run_*"):
        old.unlink()
    seeds = {path.name for path in (ROOT / "tests/data").rglob("*") if path.is_file()}
    with tempfile.TemporaryDirectory() as work:
        reached = features_of(ROOT / f"build/fuzz/{thing}_fuzz", corpus, pathlib.Path(work))
        chosen, size_bytes = choose(reached, seeds)
    for path in chosen:
        data = path.read_bytes()
        (kept / f"run_{hashlib.sha256(data).hexdigest()[:10]}").write_bytes(data)
    print(f"{thing}: {len(reached)} inputs, {len(chosen)} kept, {size_bytes} bytes")


main(*sys.argv[1:])
