#!/usr/bin/env python3
"""Merges figures that a script measured into docs/evidence/NAME.json, by the id of each row.

    BENCHMARK | tools/evidence.py NAME --command 'bench/http.sh' --commit HASH [--date 2025-01-31] [--file rows.json]

Reads a JSON list of rows (or an object with "rows") from standard input or --file. A row has id, what
and value, and may have low, high, unit, goal, holds, note. A goal that reads like "≥ 0.84", ">= 1" or
"<= 10 µs" decides `holds` where the row does not say it. Rows of other ids are left as they are.
`braid evaluate --evidence` writes the same format.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import re
import sys
import tempfile

FIELDS = ["id", "what", "value", "low", "high", "unit", "goal", "holds", "note"]
EMPTY = {"low": None, "high": None, "unit": "", "goal": "", "holds": None, "note": ""}
ROOT = pathlib.Path(__file__).resolve().parent.parent


def machine():
    """What the figures were measured on."""
    model = re.search(r"^model name\s*:\s*(.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    memory = re.search(r"^MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text(), re.M)
    return {
        "cpu": model.group(1) if model else "",
        "cores": os.cpu_count(),
        "memory_gib": round(int(memory.group(1)) / 2**20, 1) if memory else 0,
    }


def holds(value, goal):
    """Whether the value meets a goal such as "≥ 0.84"; None when the goal is no comparison."""
    match = re.match(r"\s*(≥|>=|≤|<=)\s*([-+]?\d[\d ]*(?:\.\d+)?)", goal)
    if not match:
        return None
    bound = float(match.group(2).replace(" ", ""))
    return value >= bound if match.group(1) in ("≥", ">=") else value <= bound


def checked(row):
    """The row with every field in order; stops at what is missing or unknown."""
    unknown = set(row) - set(FIELDS)
    missing = {"id", "what", "value"} - set(row)
    if unknown or missing:
        raise SystemExit(f"error: row {row.get('id', row)}: unknown {sorted(unknown)}, missing {sorted(missing)}")
    if isinstance(row["value"], bool) or not isinstance(row["value"], (int, float)) or not math.isfinite(row["value"]):
        raise SystemExit(f"error: row {row['id']}: value {row['value']!r} is not a number")
    full = {**EMPTY, **row}
    if full["holds"] is None:
        full["holds"] = holds(full["value"], full["goal"])
    return {field: full[field] for field in FIELDS}


def merge(old, rows, source):
    """The evidence with these rows in it: replaced where the id is known, else appended."""
    merged = {row["id"]: row for row in old.get("rows", [])}
    for row in rows:
        merged[row["id"]] = {**checked(row), **source}
    return {"command": source["command"], "commit": source["commit"], "machine": machine(),
            "date": source["date"], "rows": list(merged.values())}


def write(path, evidence):
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in evidence["rows"]]
    head = {key: value for key, value in evidence.items() if key != "rows"}
    text = json.dumps(head, ensure_ascii=False, indent=2)[:-2] + ',\n  "rows": [\n    '
    text += ",\n    ".join(lines) + "\n  ]\n}\n"
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as part:
        part.write(text)
    os.chmod(part.name, 0o644)
    os.replace(part.name, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="skeleton, serving, kinds, …")
    parser.add_argument("--command", required=True, help="what to run to measure this again")
    parser.add_argument("--commit", required=True)
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    parser.add_argument("--file", type=argparse.FileType(), default=sys.stdin)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "docs" / "evidence")
    arguments = parser.parse_args()

    given = json.load(arguments.file)
    rows = given["rows"] if isinstance(given, dict) else given
    path = arguments.folder / f"{arguments.name}.json"
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    source = {"command": arguments.command, "commit": arguments.commit, "date": arguments.date}
    write(path, merge(old, rows, source))
    print(f"{path}: {len(rows)} rows merged")


if __name__ == "__main__":
    main()
