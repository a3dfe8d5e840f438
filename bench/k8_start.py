"""Figure K8: what a pipeline with video and DICOM costs the server's start, and the modules themselves.

    bench/k8_start.py BUILD_FOLDER [--rounds N]

Needs a release build of braid. Starts `braid serve` in turn over a repository with a pipeline of
records, and over the same with a pipeline of clips and volumes besides; milliseconds from the fork to
the line with the ports, when all is loaded. Then a module alone, in a fresh process each: how long the dynamic
linker takes to open it, and what it adds to resident memory. Prints JSON.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/e2e"))
import repository  # noqa: E402

HEAVY = """name: heavy
decision: {classes: [low, middle, high]}
inputs:
  record: {modality: table, columns: [a, b, c, d]}
  clip: {modality: video, frames: 4, size: 16}
  scan: {modality: volume, size: 8, dicom: at_load}
branches:
  first: {inputs: [record], variants: [mlp]}
  moving: {inputs: [clip], variants: [clip]}
  inside: {inputs: [scan], variants: [scan]}
fusion:
  decision: {op: mean, inputs: [first, moving, inside]}
"""

ONCE = """
import ctypes, json, os, pathlib, sys, time
def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
before, begin = resident(), time.perf_counter()
ctypes.CDLL(sys.argv[1], os.RTLD_NOW | os.RTLD_LOCAL)
print(json.dumps([(time.perf_counter() - begin) * 1e3, (resident() - before) / 2**20]))
"""


def write_repository(folder, with_heavy):
    repository.build(folder)
    for name in ("slow", "sleeper", "types", "optional", "unlimited"):
        subprocess.run(["rm", "-r", folder / name], check=True)
    if with_heavy:
        (folder / "heavy").mkdir()
        (folder / "heavy" / "pipeline.yaml").write_text(HEAVY)
        for name in ("clip", "scan"):
            (folder / name / "1").mkdir(parents=True)
            shutil.copy(ROOT / f"tests/data/e2e/{name}.onnx", folder / name / "1" / "model.onnx")


def start_ms(braid, folder):
    begin = time.perf_counter()
    server = subprocess.Popen(
        [braid, "serve", "--repository", folder, "--http-port", "0", "--grpc-port", "0",
         "--metrics-port", "0", "--strict"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = []
    for line in server.stderr:
        said.append(line)
        if "on http://" in line:
            took = (time.perf_counter() - begin) * 1e3
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=60)
            return took
    raise SystemExit("the server does not get ready:\n" + "".join(said))


def summary(values):
    return {"min": round(min(values), 2), "median": round(statistics.median(values), 2),
            "max": round(max(values), 2)}


def modules(build, rounds):
    results = {}
    for name in ("video", "dicom"):
        library = (build / f"libbraid_{name}.so").resolve()
        runs = [json.loads(subprocess.run([sys.executable, "-c", ONCE, library], check=True,
                                          capture_output=True).stdout) for _ in range(rounds)]
        results[name] = {"open_ms": summary([run[0] for run in runs]),
                         "resident_mib": summary([run[1] for run in runs])}
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    result = {"what": "from fork to ready, and opening a module", "rounds": arguments.rounds,
              "load": os.getloadavg()[0], "modules": modules(arguments.build, arguments.rounds)}
    braid = arguments.build / "braid"
    if braid.exists():
        with tempfile.TemporaryDirectory() as temporary:
            folders = {"without": pathlib.Path(temporary) / "light",
                       "with": pathlib.Path(temporary) / "heavy"}
            for name, folder in folders.items():
                write_repository(folder, name == "with")
            starts = {name: [] for name in folders}
            for _ in range(arguments.rounds):
                for name, folder in folders.items():
                    starts[name].append(start_ms(str(braid), folder))
            result["start_ms"] = {name: summary(values) for name, values in starts.items()}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
