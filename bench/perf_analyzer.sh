#!/usr/bin/env bash
# Triton's Perf Analyzer, unchanged, against `braid serve`: HTTP and gRPC, by concurrency and by request
# rate. Prints a line a mode; exit code 1 unless each reports a throughput and no failed request.
#
#   bench/perf_analyzer.sh [BRAID]      the program (default build/release/braid, which is not built here)
#
# PEERS      the peers' scripts (default ../shared/peers); PREFIX is where they set Perf Analyzer up
# OUT        where what it prints goes (default build/perf_analyzer)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cache=${BRAID_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/braid}
export PREFIX=${PREFIX:-$cache/peers}
PEERS=${PEERS:-../shared/peers} OUT=${OUT:-build/perf_analyzer}

# mode NAME PROTOCOL ADDRESS LOAD...
mode() {
  local name=$1 protocol=$2 address=$3 log=$OUT/$1.log; shift 3
  # It waits until latencies are stable to 10 %, which a shared machine never is; one try says enough.
  if ! timeout 120 bash "$PEERS/pa.sh" -m mlp -i "$protocol" -u "$address" --input-data zero \
    --measurement-interval 3000 --stability-percentage 999 --max-trials 3 "$@" >"$log" 2>&1; then
    echo "✗ $name: Perf Analyzer failed; see $log" >&2
    return 1
  fi
  local rate
  rate=$(sed -n 's/^ *Throughput: \([0-9.]*\) infer\/sec.*/\1/p' "$log" | tail -1)
  if ! awk -v rate="${rate:-0}" 'BEGIN {exit !(rate > 0)}' || grep -q 'Failed Request' "$log"; then
    echo "✗ $name: no throughput, or failed requests; see $log" >&2
    return 1
  fi
  printf '✓ %-24s %10s infer/s\n' "$name" "$rate"
}

if [[ ${1:-} == --against ]]; then
  failed=0
  mode http-concurrency http "$2" --concurrency-range 4 || failed=1
  mode http-request-rate http "$2" --request-rate-range 200 || failed=1
  mode grpc-concurrency grpc "$3" --concurrency-range 4 || failed=1
  mode grpc-request-rate grpc "$3" --request-rate-range 200 || failed=1
  exit "$failed"
fi

case ${1:-} in
  -*) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
mkdir -p "$OUT"
if [[ ! -x $PREFIX/venv-tools/pa/perf_analyzer/bin/perf_analyzer ]]; then
  bash "$PEERS/setup_triton.sh" --no-peers >"$OUT/setup.log" 2>&1 ||
    { echo "bench/perf_analyzer.sh: it could not be set up; see $OUT/setup.log" >&2; exit 1; }
fi
python3 tests/e2e/with_server.py "${1:-build/release/braid}" \
  bash bench/perf_analyzer.sh --against {http} {grpc}
