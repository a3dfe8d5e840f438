"""Writes tests/data/modality/log: lines and what Drain3 makes of them.

    log_goldens.py [OUT_FOLDER]

Needs `pip install drain3==0.9.11`, which has no wheel, so that requirements.txt cannot lock it.


lines.json    {"fit": [...], "match": [...]}
cases.jsonl   a line a case: settings; the cluster id of each line of "fit" as Drain3 adds it; the
              templates that are left as [id, size, template]; for each line of "match" the id that
              match() gives by the path alone and with a full search (0: none)
masks.json    [mask, line, masked line] of each mask alone, by Python's re
table.json, sample.log, sample_other.log   for tests/conformance; the table is Drain3's own tree
"""

import json
import pathlib
import re
import sys

from drain3.drain import Drain
from drain3.masking import LogMasker, MaskingInstruction
from log_lines import lines_of

# The expressions of docs/ngrams-and-logs.md.
NOT_AFTER = r"(?<![A-Za-z0-9])"
NOT_BEFORE = r"(?![A-Za-z0-9])"
MASKS = {
    "uuid": ("UUID", NOT_AFTER + r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}" + NOT_BEFORE),
    "ip": ("IP", NOT_AFTER + r"[0-9]{1,3}(\.[0-9]{1,3}){3}(:[0-9]{1,5})?" + NOT_BEFORE),
    "mac": ("MAC", NOT_AFTER + r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}" + NOT_BEFORE),
    "path": ("PATH", r"(?<![A-Za-z0-9._/-])(/[A-Za-z0-9._-]+){2,}/?"),
    "hex": ("HEX", NOT_AFTER + r"0[xX][0-9a-fA-F]+" + NOT_BEFORE),
    "id": ("ID", NOT_AFTER + r"(?=[a-fA-F]*[0-9])(?=[0-9]*[a-fA-F])[0-9a-fA-F]{8,}" + NOT_BEFORE),
    "number": ("NUM", NOT_AFTER + r"[-+]?[0-9]+(\.[0-9]+)?" + NOT_BEFORE),
}
CASES = [
    {},
    {"masks": []},
    {"masks": [], "parametrize_numeric_tokens": False, "max_children": 4},
    {"sim_th": 0.7, "depth": 5, "max_children": 3, "masks": ["ip", "number"]},
    {"sim_th": 0.5, "depth": 6, "max_clusters": 60},
    {"depth": 3, "max_clusters": 5, "masks": []},
    {"extra_delimiters": ["=", ":", ", "], "masks": ["number", "hex", "uuid"]},
    {"max_clusters": 1, "masks": ["path", "id", "mac"]},
]
CORNERS = ["-5 +5 a-5 5- --5 1.5x 1.55x 1..5 .5 5. 1.2.3 +", "1.2.3.4:80 1.2.3.4:123456 1.2.3.4567",
           "0.0.0.0:1x 256.256.256.256/24 x1.2.3.4 1.2.3.4.5.6.7.8", "/a /a/b /a/b/ a/b/c //a/b /a//b/c",
           "http://host/a/b/c (/x/y) \"/x y/z\" é/a/b -/a/b", "0x1 0X1F 0xg 00x1 0x 0x1g",
           "deadbeef dead1eef 12345678 1234567a abcdef12g", "00:11:22:33:44:55 0:11:22:33:44:55",
           "00:11:22:33:44:55:66 a00:11:22:33:44:55", "123e4567-e89b-12d3-a456-426614174000",
           "123e4567-e89b-12d3-a456-426614174000a 123e4567e89b-12d3-a456-426614174000",
           "é5 5é ٣ ²3", "<NUM>5<IP>", "5 5\t5,5;5", ""]


def masker(names):
    return LogMasker([MaskingInstruction(MASKS[n][1], MASKS[n][0]) for n in names], "<", ">")


def drain_of(settings):
    return Drain(depth=settings.get("depth", 4), sim_th=settings.get("sim_th", 0.4),
                 max_children=settings.get("max_children", 100),
                 max_clusters=settings.get("max_clusters", 1024),
                 extra_delimiters=settings.get("extra_delimiters", []),
                 parametrize_numeric_tokens=settings.get("parametrize_numeric_tokens", True))


def run(settings, lines, matched):
    masks = masker(settings.get("masks", list(MASKS)))
    drain = drain_of(settings)
    ids = [drain.add_log_message(masks.mask(line))[0].cluster_id for line in lines]
    templates = sorted([c.cluster_id, c.size, c.get_template()] for c in drain.clusters)

    def match(line, strategy):
        found = drain.match(masks.mask(line), strategy)
        return found.cluster_id if found else 0
    return {"settings": settings, "ids": ids, "templates": templates,
            "path": [match(line, "never") for line in matched],
            "full": [match(line, "fallback") for line in matched]}


def table_of(drain, settings):
    """Drain3's state as a table of ours, which a test reads: a miner that runs already can move."""
    clusters = sorted(drain.clusters, key=lambda c: c.cluster_id)
    places = {c.cluster_id: i for i, c in enumerate(clusters)}
    leaves = []

    def collect(node, count, path):
        if len(path) == (min(drain.max_node_depth, count) - 1 if count else 0):
            leaves.append({"words": count, "path": path, "templates": [
                places[i] for i in node.cluster_ids if i in places]})
        else:
            for word, below in node.key_to_child_node.items():
                collect(below, count, path + [word])
    for count, node in drain.root_node.key_to_child_node.items():
        collect(node, int(count), [])
    return {"kind": "braid.log.1", "rules": settings,
            "templates": [{"id": c.cluster_id, "size": c.size, "template": c.get_template()}
                          for c in clusters],
            "leaves": leaves}


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/modality/log"
    out.mkdir(parents=True, exist_ok=True)
    fit = lines_of(3000, 26) + CORNERS
    matched = lines_of(400, 27, fresh=0.1) + ["never seen before at all", "", "   ", "ok ok"]
    (out / "lines.json").write_text(json.dumps({"fit": fit, "match": matched}, ensure_ascii=False))
    (out / "cases.jsonl").write_text("".join(
        json.dumps(run(settings, fit, matched), ensure_ascii=False) + "\n" for settings in CASES))
    masked = [[name, line, re.sub(pattern, f"<{word}>", line)]
              for name, (word, pattern) in MASKS.items() for line in CORNERS + fit[:60]]
    (out / "masks.json").write_text(json.dumps(masked, ensure_ascii=False))
    settings = {"max_clusters": 200, "masks": ["ip", "number", "id"]}
    drain = drain_of(settings)
    for line in fit:
        if line:
            drain.add_log_message(masker(settings["masks"]).mask(line))
    (out / "table.json").write_text(json.dumps(table_of(drain, settings), ensure_ascii=False) + "\n")
    (out / "sample.log").write_text("\n".join(fit[:40]) + "\n")
    (out / "sample_other.log").write_text("\r\n".join(matched[:25]))


if __name__ == "__main__":
    main()
