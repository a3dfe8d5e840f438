#!/usr/bin/env bash
# The demo's main job, once ./demo has set up and built: fit, serve, decide, evaluate.
# Takes ./demo's own options. What it makes lies in build/demo; what it reads, in the cache.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
braid=build/release/braid
cache=${BRAID_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/braid}
data=$cache/stamps-data
out=$PWD/build/demo
[[ -x $braid ]] || { echo "✗ $braid is not built. Cure: run ./demo" >&2; exit 1; }
mkdir -p "$out"

folds=1 keep=no
while (($# > 0)); do
  case $1 in
    --folds) folds=$2; shift 2 ;;
    --keep-serving) keep=yes; shift ;;
  esac
done

heading() { printf '\n── %s\n' "$1"; }

# fit NAME MANIFEST: build/demo/NAME, unless it was fitted from just these bytes already.
fit() {
  local name=$1 manifest=$2 key
  sed "s#@CACHE@#$cache#g; s#@OUT@#$out/$name#" tools/demo/fit.yaml >"$out/$name.yaml"
  key=$(cat "$out/$name.yaml" "$manifest" "$braid" "$cache"/encoders/*/1/model.onnx | sha256sum)
  if [[ -d $out/$name && $(cat "$out/$name.key" 2>/dev/null) == "$key" ]]; then
    echo "· $name is fitted already; delete $out/$name to fit again"
    return
  fi
  rm -f "$out/$name.key" "$out/$name.table"
  "$braid" fit "$out/$name.yaml" --manifest "$manifest" --json "$out/$name.fit.json"
  echo "$key" >"$out/$name.key"
}

# Rows without an input, and what the voices are worth with the caption and without it.
rows=(--without photo --without title --without record --without voices --without title,voices
  --compare 'hybrid - without_voices' --compare 'without_title - without_title_voices')

evaluate() {
  "$braid" evaluate "$@" "${rows[@]}" --date "$(date -u +%F)" \
    --commit "$(git rev-parse --short HEAD 2>/dev/null || echo none)"
}

# evaluate_once NAME MANIFEST: a fit that was evaluated is not evaluated again; its table is shown.
evaluate_once() {
  local name=$1 manifest=$2
  if [[ -f $out/$name.table ]]; then
    cat "$out/$name.table"
    echo "· measured on $(date -ur "$out/$name.table" '+%F %H:%M') UTC; delete $out/$name.table to measure again"
    return
  fi
  evaluate --repository "$out/$name" --manifest "$manifest" --json "$out/$name.evaluate.json" |
    tee "$out/$name.table.part"
  mv "$out/$name.table.part" "$out/$name.table"
}

# The server takes free ports and says which; it is stopped on the way out, however that is.
serve() {
  : >"$out/serve.log"
  "$braid" serve --repository "$out/repository" --http-port "$1" --grpc-port "$2" --metrics-port "$3" 2>"$out/serve.log" &
  server=$!
  trap 'kill "$server" 2>/dev/null || true' EXIT
  for _ in $(seq 100); do
    url=$(grep -om1 'http://[^, ]*' "$out/serve.log" || true)
    [[ -z $url ]] || return 0
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  echo "✗ the server did not start: $(tail -n 1 "$out/serve.log")" >&2
  exit 1
}

if ((folds > 1)); then
  heading "Fit on each of $folds folds (802 items: picture, caption, record, voices, sound)"
  arguments=()
  for ((k = 0; k < folds; ++k)); do
    fit "fold$k" "$data/folds/fold$k.csv"
    arguments+=(--repository "$out/fold$k" --manifest "$data/folds/fold$k.csv")
  done
  heading "All 802 items, each answered by the fold that did not see it"
  evaluate "${arguments[@]}" --json "$out/folds.json" \
    --goal 'hybrid.accuracy >= 0.84' --goal 'hybrid_best_single.accuracy >= 0.06' \
    --goal 'without_title.accuracy >= 0.74' --goal 'without_photo.accuracy >= 0.77' \
    --goal 'policy_hybrid.saving >= 0.25' --goal 'policy_hybrid.accuracy.low >= -0.01' \
    ${BRAID_EVIDENCE:+--evidence "$BRAID_EVIDENCE" --evidence-id demo} && rc=0 || rc=$?
  if [[ -n ${BRAID_EVIDENCE:-} ]]; then
    tools/demo/voices_evidence.py "$BRAID_EVIDENCE" |
      tools/evidence.py kinds --folder "$(dirname "$BRAID_EVIDENCE")" \
        --command "BRAID_EVIDENCE=$BRAID_EVIDENCE ./demo --folds 5" \
        --commit "$(git rev-parse --short HEAD 2>/dev/null || echo none)" --date "$(date -u +%F)"
  fi
  exit "$rc"
fi

heading "Fit: pictures, captions, records, voices and sounds to a calibrated pipeline"
fit repository "$data/manifest.csv"

heading "Serve, and send the test items over HTTP"
if [[ $keep == yes ]]; then serve 8000 8001 8002; else serve 0 0 0; fi
python3 tools/demo/decide.py "$url" "$data/manifest.csv" stamps

heading "The same 173 items through every strategy"
evaluate_once repository "$data/manifest.csv"

heading "What next"
cat <<EOF
  ./demo --folds 5          the claims, on all 802 items, with intervals
  ./demo --keep-serving     leaves the server up
  $braid run --repository build/demo/repository --input title='a zebra'
  docs/fit.md               your own pictures, texts and records
EOF

if [[ $keep == yes ]]; then
  photo=$(find "$data/images" -name '*.png' | sort | head -n 1)
  cat <<EOF

The server runs on $url until Ctrl-C. Try:
  curl -s $url/v2/pipelines/stamps
  curl -s -F title='a zebra' -F photo=@$photo $url/v2/pipelines/stamps/decide
  curl -s -H 'Content-Type: application/json' -d '{"inputs": {"title": "a pair of shoes"}}' \\
       $url/v2/pipelines/stamps/decide
  curl -s http://127.0.0.1:8002/metrics | grep braid_pipeline
EOF
  wait "$server"
fi
