#!/usr/bin/env bash
# Figures A1 to A4 into docs/evidence/skeleton.json, on a quiet machine; A5 is `./demo --folds 5`'s.
#
#   bench/skeleton.sh       BUILD=folder of the release build; needs tools/setup.sh build demo oracles
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
python=${ORACLES:-$HOME/.cache/braid/oracles-venv/bin/python}

cmake --preset release -B "$build" >/dev/null
ninja -C "$build" engine_bench wordpiece_bench image_bench >&2

evidence() { # evidence COMMAND < ROWS
  tools/evidence.py skeleton --command "$1" --commit "$(git rev-parse --short HEAD)"
}

"$build/engine_bench" 9 | evidence "build/release/engine_bench 9"

row() { # row ID WHAT SECTION UNIT GOAL NOTE < JSON
  python3 -c '
import json, sys
id, what, section, unit, goal, note = sys.argv[1:]
spread = json.load(sys.stdin)[section]
print(json.dumps([{"id": id, "what": what, "value": spread["median"], "low": spread["min"], "high": spread["max"],
                   "unit": unit, "goal": goal, "note": note}]))' "$@"
}

http=$(mktemp)
trap 'rm -f "$http"' EXIT
bench/a2_http.sh 15 >"$http"
row A2 "HTTP binary infer at one connection minus (bare Beast echo + bare ONNX Runtime)" over_us "µs" "<= 50 µs" \
  "MLP of 256 inputs; median, least and most of 15 rounds of medians; the client spins" <"$http" |
  evidence "bench/a2_http.sh 15"
row A2.server "the same minus a Beast server that runs the model in its handler" over_server_us "µs" "" \
  "what Braid adds where both have just been woken" <"$http" |
  evidence "bench/a2_http.sh 15"
"$python" bench/a3_text.py "$build" |
  row A3.text "WordPiece: Hugging Face tokenizers' fastest way ÷ Braid, CPU time, one thread" ratio "×" ">= 1" \
    "captions, prose and varied lines; median, least and most of 7 rounds" |
  evidence "bench/a3_text.py build/release"
"$python" bench/a3_image.py "$build" |
  row A3.image "JPEG to 224 × 224 tensor: Pillow ÷ Braid, CPU time, one thread" ratio "×" ">= 1" \
    "seven pictures of 256 to 2560 pixels; median, least and most of 5 rounds" |
  evidence "bench/a3_image.py build/release"
tools/render_docs
