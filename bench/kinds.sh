#!/usr/bin/env bash
# The figures of the kinds of data, K1 to K8, and what hostile files cost, into docs/evidence/kinds.json.
# One thread, the same files for both sides, in turn; a quiet machine and about half an hour.
#
#   bench/kinds.sh [--only K1,K3] [--rounds N] [--data FOLDER] [--no-evidence]
#
# --only    of hostile, K1 (with K2), K3, K4, K5, K6, K7, K8
# --data    real files (default ../shared/data); what it lacks the benchmarks make themselves
# BUILD     folder of the release build;  OUT is where the results of each script go
# TESTS     the golden tests (default BUILD/modality_test);  SKIP_BUILD=true takes what is built
set -euo pipefail
cd "$(dirname "$0")/.."
cache=${BRAID_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/braid}
python=$cache/kinds-venv/bin/python
BUILD=${BUILD:-build/release} OUT=${OUT:-build/kinds}
TESTS=${TESTS:-$BUILD/modality_test}
evidence=true only=hostile,K1,K3,K4,K5,K6,K7,K8 rounds=5 data=../shared/data
while (($# > 0)); do
  case $1 in
    --no-evidence) evidence=false; shift ;;
    --only) only=$2; shift 2 ;;
    --rounds) rounds=$2; shift 2 ;;
    --data) data=$2; shift 2 ;;
    *) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
done
wanted() { [[ ",$only," == *",$1,"* ]]; }

tools/setup.sh kinds >&2
if [[ ${SKIP_BUILD:-} != true ]]; then
  cmake --preset release -B "$BUILD" >/dev/null
  targets=(hostile_bench audio_bench volume_bench image_bench ngrams_bench log_bench video_bench)
  if wanted K7; then targets+=(modality_test); fi
  if wanted K8; then targets+=(braid); fi
  ninja -C "$BUILD" "${targets[@]}" >&2
fi

rm -rf "$OUT"
mkdir -p "$OUT"
"$python" bench/kinds_data.py "$data" "$OUT/real"
real() { # real OPTION NAME: both words where the file is there
  [[ ! -e $OUT/real/$2 ]] || printf '%s\n' "$1" "$OUT/real/$2"
}
measure() { # measure NAME SCRIPT ARGUMENT...
  local name=$1; shift
  echo "bench/$1" >&2
  "$python" "bench/$1" "${@:2}" >"$OUT/$name.json"
}

mapfile -t speech < <(real --speech speech.wav)
mapfile -t volumes < <(real --volumes volumes)
mapfile -t clips < <(real --clips clips)
if wanted hostile; then "$BUILD/hostile_bench" "$rounds" >"$OUT/hostile.json"; fi
if wanted K1; then measure audio k1_audio.py "$BUILD" --rounds "$rounds" "${speech[@]}"; fi
if wanted K3; then
  measure nifti k3_volume.py "$BUILD" --rounds "$rounds"
  if ((${#volumes[@]} > 0)); then
    measure nifti_real k3_volume.py "$BUILD" --rounds "$rounds" "${volumes[@]}"
  fi
  measure dicom k3_dicom.py "$BUILD" --rounds "$rounds"
fi
if wanted K4; then measure image k4_image.py "$BUILD" --rounds "$rounds"; fi
if wanted K5; then
  measure ngrams k5_ngram.py "$BUILD" --rounds "$rounds"
  measure drain k5_drain.py "$BUILD" --rounds "$rounds"
fi
if wanted K6; then measure video k6_video.py "$BUILD" --rounds "$rounds" "${clips[@]}"; fi
if wanted K7; then measure goldens k7_goldens.py "$TESTS"; fi
if wanted K8; then
  measure start k8_start.py "$BUILD" --rounds "$((rounds * 3))"
  measure dicom_module k8_dicom_module.py "$BUILD"
fi

"$python" bench/kinds_rows.py "$OUT" >"$OUT/rows.json"
if $evidence; then
  tools/evidence.py kinds --command "bench/kinds.sh --only $only --rounds $rounds" \
    --commit "$(git rev-parse --short HEAD)" --file "$OUT/rows.json"
  tools/render_docs
else
  cat "$OUT/rows.json"
fi
