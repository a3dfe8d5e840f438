"""Figure K5, logs: lines to templates, Braid against Drain3, one thread each.

    bench/k5_drain.py BUILD_FOLDER [FILE] [--rounds N]

Run by a Python that has Drain3 (`pip install drain3==0.9.11`: it has no wheel, so the oracles' venv
lacks it); needs a release build of log_bench. Lines are those of FILE,
else 50,000 that tools/oracles/log_lines.py makes. Each round runs Drain3 with the same masks and
settings, then log_bench, on the same lines; a ratio is taken within a round, so that a busy machine
slows both. Times are CPU time of the process; both sides begin with the raw line. `fit` is
add_log_message, `match` is match by the path alone. Prints JSON: Drain3's time ÷ ours; above 1 is
faster.
"""

import argparse
import importlib.metadata
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools/oracles"))
from log_goldens import MASKS, drain_of, masker  # noqa: E402
from log_lines import lines_of  # noqa: E402

SECONDS = 1.0  # a case and a round of ours
CASES = {
    "all masks": {},
    "no masks": {"masks": []},
    "deep": {"depth": 6, "sim_th": 0.6, "max_clusters": 500, "masks": ["ip", "number"]},
}


def with_drain3(settings, lines):
    masks = masker(settings.get("masks", list(MASKS)))
    drain = drain_of(settings)
    begin = time.process_time()
    for line in lines:
        drain.add_log_message(masks.mask(line))
    fitted = time.process_time()
    known = sum(drain.match(masks.mask(line)) is not None for line in lines)
    return {"fit": fitted - begin, "match": time.process_time() - fitted,
            "templates": len(drain.clusters), "known": known}


def with_braid(build, settings, file):
    command = [build / "log_bench", "--benchmark_format=json", f"--benchmark_min_time={SECONDS}",
               json.dumps(settings), file]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    each = {b["name"]: b for b in json.loads(run.stdout)["benchmarks"]}
    return {"fit": each["fit"]["cpu_time"] * scale[each["fit"]["time_unit"]],
            "match": each["match"]["cpu_time"] * scale[each["match"]["time_unit"]],
            "templates": int(each["fit"]["templates"]), "known": int(each["match"]["known"])}


def summary(values):
    return {"min": round(min(values), 1), "median": round(statistics.median(values), 1),
            "max": round(max(values), 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    lines = lines_of(50000, 5)
    if arguments.file is not None:
        text = arguments.file.read_text(errors="replace")
        lines = [line for line in text.split("\n") if line.strip()]
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "lines.log"
        file.write_text("\n".join(lines))
        for name, settings in CASES.items():
            ratios = {"fit": [], "match": []}
            for _ in range(arguments.rounds):
                theirs = with_drain3(settings, lines)
                ours = with_braid(arguments.build, settings, file)
                assert ours["templates"] == theirs["templates"], (name, ours, theirs)
                assert ours["known"] == theirs["known"], (name, ours, theirs)
                for kind, ratio in ratios.items():
                    ratio.append(theirs[kind] / ours[kind])
            results[name] = {"templates": ours["templates"], "known": ours["known"],
                             "braid us a line": round(ours["fit"] / len(lines) * 1e6, 2),
                             **{k: summary(v) for k, v in ratios.items()}}
    print(json.dumps({
        "what": "Drain3's CPU time ÷ Braid's, one thread", "lines": len(lines),
        "drain3": importlib.metadata.version("drain3"), "rounds": arguments.rounds,
        "load": os.getloadavg()[0], "results": results}, indent=1))


if __name__ == "__main__":
    main()
