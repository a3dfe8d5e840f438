"""Figure K5, n-grams: texts to weighted terms, Braid against scikit-learn, one thread each.

    bench/k5_ngram.py BUILD_FOLDER [TEXTS.csv COLUMN] [--rounds N]

Run by the Python of the oracles' venv; needs a release build of ngrams_bench. Texts are a column of a
CSV, else the texts of the goldens' maker, 13,600 of them. Each round runs scikit-learn, then
ngrams_bench, on the same texts with the same table; a ratio is taken within a round, so that a busy
machine slows both. Times are CPU time of the process. `weigh` is TfidfVectorizer.transform (sparse
rows on both sides, with as many cells), `fit` is TfidfVectorizer.fit; `encode us` is a dense row of
ours, as it is served. Prints JSON: scikit-learn's time ÷ ours; above 1 is faster.
"""

import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools/oracles"))
import sklearn  # noqa: E402
from ngram_goldens import table_of, texts_to_fit, vectoriser  # noqa: E402

SECONDS = 1.0  # a case and a round, each side
CASES = {
    "words 1-2": {"ngram_range": (1, 2), "max_features": 50000},
    "char_wb 2-4": {"analyzer": "char_wb", "ngram_range": (2, 4), "max_features": 50000},
    "char 3-5": {"analyzer": "char", "ngram_range": (3, 5), "max_features": 50000},
}


def read_texts(file, column):
    if file is None:
        made = texts_to_fit()
        return [made[i % len(made)] + f" case {i}" for i in range(13600)]
    with open(file, newline="") as rows:
        return [row[column] for row in csv.DictReader(rows) if row[column]]


def cpu_seconds(run):
    count = 0
    begin = time.process_time()
    while (elapsed := time.process_time() - begin) < SECONDS:
        run()
        count += 1
    return elapsed / count


def with_braid(build, table, texts):
    command = [build / "ngrams_bench", "--benchmark_format=json",
               f"--benchmark_min_time={SECONDS}", table, texts]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    return {each["name"]: (each["cpu_time"] * scale[each["time_unit"]], each.get("cells"))
            for each in json.loads(run.stdout)["benchmarks"]}


def summary(values):
    return {"min": round(min(values), 2), "median": round(statistics.median(values), 2),
            "max": round(max(values), 2)}


def compare(arguments, folder):
    texts = read_texts(arguments.file, arguments.column)
    texts_file = folder / "texts.json"
    texts_file.write_text(json.dumps(texts, ensure_ascii=False))
    results = {}
    for name, settings in CASES.items():
        fitted = vectoriser(settings).fit(texts)
        table = folder / "table.json"
        table.write_text(json.dumps(table_of(fitted), ensure_ascii=False))
        cells = fitted.transform(texts).nnz
        ratios = {"weigh": [], "fit": []}
        encode = []
        for _ in range(arguments.rounds):
            theirs = {"weigh": cpu_seconds(lambda: fitted.transform(texts)),
                      "fit": cpu_seconds(lambda: vectoriser(settings).fit(texts))}
            ours = with_braid(arguments.build, table, texts_file)
            assert int(ours["weigh"][1]) == cells, (name, ours["weigh"], cells)
            encode.append(ours["encode"][0] / len(texts) * 1e6)
            for kind, ratio in ratios.items():
                ratio.append(theirs[kind] / ours[kind][0])
        results[name] = {"terms": len(fitted.vocabulary_), "encode us": summary(encode),
                         "cells": cells, **{k: summary(v) for k, v in ratios.items()}}
    return {"what": "scikit-learn's CPU time ÷ Braid's, one thread", "texts": len(texts),
            "bytes": sum(len(t.encode()) for t in texts), "scikit-learn": sklearn.__version__,
            "rounds": arguments.rounds, "load": os.getloadavg()[0], "results": results}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("file", nargs="?")
    parser.add_argument("column", nargs="?", default="text")
    parser.add_argument("--rounds", type=int, default=5)
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(compare(parser.parse_args(), pathlib.Path(folder)), indent=1))


if __name__ == "__main__":
    main()
