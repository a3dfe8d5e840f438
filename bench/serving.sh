#!/usr/bin/env bash
# The figures of serving over HTTP and gRPC, beside Triton on the same ONNX Runtime and beside bare loops, into
# docs/evidence/serving.json: P1 to P6, P11 to P13, P15. A quiet machine and about an hour.
#
#   bench/serving.sh [--only P1,P3] [--rounds N] [--seconds N] [--no-evidence]
#
# PEERS      the peers' scripts (default ../shared/peers); PREFIX is where they set Triton up
# BUILD      folder of the release build;  OUT is where repositories, logs and rows go
set -euo pipefail
cd "$(dirname "$0")/.."
cache=${BRAID_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/braid}
export PREFIX=${PREFIX:-$cache/peers}
PEERS=${PEERS:-../shared/peers} BUILD=${BUILD:-build/release} OUT=${OUT:-build/serving}
evidence=true arguments=()
for word in "$@"; do
  case $word in
    --no-evidence) evidence=false ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) arguments+=("$word") ;;
  esac
done

command="bench/serving.sh $*"
commit=$(git rev-parse --short HEAD)
slots=$(nproc)
mkdir -p "$OUT"
ulimit -n "$(ulimit -Hn)"  # a thousand connections are as many files

PREFIX=$PREFIX bash "$PEERS/setup_triton.sh" --no-peers >"$OUT/setup.log" 2>&1 ||
  { echo "bench/serving.sh: Triton could not be set up; see $OUT/setup.log" >&2; exit 1; }
cmake --preset release -B "$BUILD" >/dev/null
ninja -C "$BUILD" braid http_bench grpc_echo_bench engine_bench >&2

python=$PREFIX/venv-tools/bin/python
rm -rf "$OUT/bare"
"$python" bench/make_mlp.py "$OUT/bare"  # what bench/a2_http.sh measures
for server in braid:onnxruntime triton:ortmini; do
  name=${server%:*} backend=${server#*:}
  rm -rf "$OUT/$name"
  "$python" "$PEERS/make_models.py" "$OUT/$name/base" --backend "$backend"
  "$python" bench/make_serving_models.py "$OUT/$name/base" "$OUT/$name/more" "$backend" "$slots"
done

"$python" bench/serving.py --braid "$BUILD/braid" --http-bench "$BUILD/http_bench" \
  --grpc-echo "$BUILD/grpc_echo_bench" --engine-bench "$BUILD/engine_bench" --peers "$PEERS" \
  --prefix "$PREFIX" --out "$OUT" --slots "$slots" "${arguments[@]}"
if $evidence; then
  tools/evidence.py serving --command "$command" --commit "$commit" --file "$OUT/rows.json"
  tools/render_docs
fi
