#!/usr/bin/env bash
# Runs one fuzz target for a time, from a copy of its corpus, outside the tree.
#
#   tools/fuzz/run.sh THING SECONDS FOLDER     after  cmake --preset fuzz && ninja -C build/fuzz THING_fuzz
#
# FOLDER/THING gets corpus/, findings/ and log; the last line says executions, coverage and findings.
# A time-out that the input does not repeat alone is the machine's, and the run goes on. What is worth
# keeping: tools/fuzz/keep.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
thing=$1 seconds=$2 work=$3/$1
program=build/fuzz/${thing}_fuzz

# As long as a small file of the kind; longer ones only make each try slow.
case $thing in
  video | dicom) len_max=65536 ;;
  audio | image | volume) len_max=32768 ;;
  bytes_framing) len_max=512 ;;
  text | ngrams | table) len_max=2048 ;;
  *) len_max=8192 ;;
esac

mkdir -p "$work/corpus" "$work/findings"
golden=$(find src -name "${thing}_fuzz.cc" -printf 'tests/data/%P\n')
for folder in "tests/data/fuzz/$thing" "$(dirname "$golden")"; do
  [[ ! -d $folder || ${folder##*/} != "$thing" ]] ||
    find "$folder" -type f -size -"$((len_max / 1024 + 1))"k ! -name '*.yaml' ! -name '*.bin' \
      -exec cp -t "$work/corpus" {} +
done

findings() { find "$work/findings" -type f | wc -l; }
deadline=$(($(date +%s) + seconds)) executed=0 status=0
: >"$work/log"
while ((left = deadline - $(date +%s), left > 5 && status == 0)); do
  "$program" "$work/corpus" -max_total_time="$left" -timeout=10 -report_slow_units=86400 -rss_limit_mb=2048 \
    -max_len="$len_max" -print_final_stats=1 -artifact_prefix="$work/findings/" >"$work/part" 2>&1 || status=$?
  cat "$work/part" >>"$work/log"
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/part")
  executed=$((executed + ${count:-0}))
  for input in "$work"/findings/timeout-*; do
    [[ -f $input ]] || continue
    if timeout 10 "$program" "$input" >>"$work/log" 2>&1; then
      rm "$input"
      echo "not repeated alone: $input" >>"$work/log"
      status=0
    fi
  done
done
cover=$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$work/log" | tail -1)
echo "$thing: $seconds s, $executed executions, $cover, $(findings) findings" | tee -a "$work/log"
