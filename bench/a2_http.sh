#!/usr/bin/env bash
# A2: HTTP binary inference at one connection minus (bare Beast echo + bare ONNX Runtime), for an MLP
# of 256 → 512 → 512 → 10. Prints JSON; times in microseconds, over the rounds of one process run.
#
#   bench/a2_http.sh [ROUNDS] [REQUESTS]       BUILD=folder of the release build
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
python=${ORACLES:-$HOME/.cache/braid/oracles-venv/bin/python}
repository=$(mktemp -d)
trap 'rm -rf "$repository"' EXIT

"$python" bench/make_mlp.py "$repository"
cmake --preset release -B "$build" >/dev/null
ninja -C "$build" http_bench >&2
"$build/http_bench" "$repository" mlp "${1:-11}" "${2:-2000}"
