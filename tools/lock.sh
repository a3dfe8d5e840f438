#!/usr/bin/env bash
# Locks a Python environment: resolves FOLDER/requirements.in for Debian 12's Python and writes
# FOLDER/requirements.txt with every version and digest. Run it after an edit of the .in file.
#   tools/lock.sh tools/demo
set -euo pipefail
folder=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python=/usr/bin/python3
"$python" -m venv --without-pip "$scratch/venv"
"$python" -m pip --python "$scratch/venv/bin/python" install --quiet --dry-run --only-binary=:all: \
  --report "$scratch/report.json" -r "$folder/requirements.in"
"$python" - "$scratch/report.json" >"$scratch/locked" <<'PY'
import json
import sys

for item in sorted(json.load(open(sys.argv[1]))["install"], key=lambda i: i["metadata"]["name"].lower()):
    digest = item["download_info"]["archive_info"]["hash"].removeprefix("sha256=")
    print(f"{item['metadata']['name']}=={item['metadata']['version']} --hash=sha256:{digest}")
PY
mv "$scratch/locked" "$folder/requirements.txt"
