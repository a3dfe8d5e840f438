#!/usr/bin/env bash
# The demo's main job, once ./demo has set up and built: fit, serve, decide, evaluate.
# Takes ./demo's own options. What it makes lies in build/demo; what it reads, in the cache:
#   encoders/{efficientnet_lite0,minilm,minilm_l3}/1/model.onnx, encoders/minilm/vocab.txt,
#   stamps-data/{manifest.csv,record_schema.json,folds/fold0.csv …}
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
braid=build/release/braid
[[ -x $braid ]] || { echo "✗ $braid is not built. Cure: run ./demo" >&2; exit 1; }

echo "✗ the main job is not written yet" >&2
exit 1
