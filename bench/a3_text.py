"""Figure A3, texts: text to token ids, Braid against Hugging Face `tokenizers`, one thread each.

    bench/a3_text.py BUILD_FOLDER [--rounds N]

Run by the Python of the oracles' venv; needs the real vocabulary (tools/setup.sh demo) and a release
build of wordpiece_bench. Each round runs `tokenizers` in three ways (encode for each text,
encode_batch, and encode_batch_fast, which leaves offsets out), then wordpiece_bench, on the same
texts; a ratio is taken within a round, so that a busy machine slows both, and against the fastest of
the three. Times are CPU time of the process. Nothing is truncated, since Braid stops reading there
and `tokenizers` does not. Prints JSON: Hugging Face's time ÷ ours; above 1 is faster.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools/oracles"))
import tokenizers  # noqa: E402
from text_golden import CACHE, read_vocabulary, reference  # noqa: E402

TOKENS_MAX = 65536
SECONDS = 0.5  # a set of texts and a round, each side


def sets_of_texts():
    with open(CACHE / "stamps-data/manifest.csv", newline="") as file:
        captions = [row["title"] for row in csv.DictReader(file) if row["title"]]
    # Paragraphs of English, 400 bytes on average
    licence = pathlib.Path("/usr/share/common-licenses/GPL-3").read_text()
    prose = [" ".join(p.split()) for p in licence.split("\n\n") if len(p) > 80]
    lines = (ROOT / "tests/data/modality/text/lines.jsonl").read_text().split("\n")
    varied = [json.loads(line)[0] for line in lines[:2000] if line]
    return {"captions": captions, "prose": prose, "varied": varied}


def seconds_of(run):
    run()
    count = 0
    begin = time.process_time()
    while (elapsed := time.process_time() - begin) < SECONDS:
        run()
        count += 1
    return elapsed / count


def with_tokenizers(tokenizer, texts):
    return {
        "encode": seconds_of(lambda: [tokenizer.encode(text).ids for text in texts]),
        "encode_batch": seconds_of(lambda: tokenizer.encode_batch(texts)),
        "encode_batch_fast": seconds_of(lambda: tokenizer.encode_batch_fast(texts)),
    }


def with_braid(build, vocabulary, files):
    settings = f"{{vocab: {vocabulary}, tokens_max: {TOKENS_MAX}}}"
    command = [build / "wordpiece_bench", "--benchmark_format=json",
               f"--benchmark_min_time={SECONDS}", settings, *files]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    return {each["name"]: (each["cpu_time"] * scale[each["time_unit"]], int(each["tokens"]))
            for each in json.loads(run.stdout)["benchmarks"]}


def summary(values):
    return {"min": round(min(values), 2), "median": round(statistics.median(values), 2),
            "max": round(max(values), 2)}


def compare(build, rounds, folder):
    vocabulary = CACHE / "encoders/minilm/vocab.txt"
    tokenizer = reference(read_vocabulary(vocabulary), {"tokens_max": TOKENS_MAX})
    sets = sets_of_texts()
    files = {name: folder / f"{name}.json" for name in sets}
    for name, texts in sets.items():
        files[name].write_text(json.dumps(texts, ensure_ascii=False))
    ratios = {name: {"encode": [], "encode_batch": [], "encode_batch_fast": []} for name in sets}
    speeds = {name: [] for name in sets}
    for _ in range(rounds):
        theirs = {name: with_tokenizers(tokenizer, texts) for name, texts in sets.items()}
        ours = with_braid(build, vocabulary, list(files.values()))
        for name, texts in sets.items():
            seconds, token_count = ours[str(files[name])]
            assert token_count == sum(len(tokenizer.encode(text).ids) for text in texts), name
            speeds[name].append(sum(len(text.encode()) for text in texts) / seconds / 1e6)
            for way, their_seconds in theirs[name].items():
                ratios[name][way].append(their_seconds / seconds)
    fastest = {name: [min(of_round) for of_round in zip(*ways.values(), strict=True)]
               for name, ways in ratios.items()}
    overall = [math.exp(statistics.fmean(map(math.log, of_round)))
               for of_round in zip(*fastest.values(), strict=True)]
    return {
        "what": "tokenizers' CPU time ÷ Braid's, text to ids, one thread, its fastest way",
        "tokenizers": tokenizers.__version__, "rounds": rounds, "load": os.getloadavg()[0],
        "ratio": summary(overall),  # geometric mean over the sets, of each round
        "sets": {name: {"texts": len(sets[name]), "ratio": summary(fastest[name]),
                        "ways": {way: summary(values) for way, values in ratios[name].items()},
                        "braid_mb_per_s": round(statistics.median(speeds[name]), 1)}
                 for name in sets},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = compare(arguments.build, arguments.rounds, pathlib.Path(folder))
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
