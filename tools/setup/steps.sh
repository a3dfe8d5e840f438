# Steps: a piece of work that is done once, is all or nothing, and reports in one line.
#
#   step NAME TARGET FUNCTION [FILE...]
#
# TARGET is a folder below $cache. FUNCTION fills a fresh folder, named in $new; only when it has
# ended well does that folder take TARGET's place, so an interrupted step leaves nothing half done.
# A stamp in done/ remembers the hash of FUNCTION's text and of the FILEs: a changed step runs again.
# For work outside the cache (Debian packages) TARGET is '-': FUNCTION is told by its own check.
# shellcheck shell=bash disable=SC2154

scratch=        # this run's own folder for unfinished work, removed at the end whatever happens
bytes_got=      # file to which fetchers append the size of each download
goal=           # file in which a step may say how to measure its progress, see `progress`

open_cache() {
  mkdir -p "$cache"/{downloads,done,logs} 2>/dev/null ||
    fail "Cache folder" "cannot write $cache" "set BRAID_CACHE to a folder that you may write" ""
  # Two commands at once would fetch the same files: the second waits for the first.
  exec 9>"$cache/.lock"
  flock -n 9 || { echo "… another set-up is running; waiting for it"; flock 9; }
  rm -rf "$cache"/scratch.*    # what a killed run has left; we hold the lock, so it is nobody's
  scratch=$(mktemp -d "$cache/scratch.XXXXXX") ||
    fail "Cache folder" "no space for a file in $cache" "free some, or set BRAID_CACHE" ""
  bytes_got=$scratch/bytes_got goal=$scratch/goal
  trap close_cache EXIT
  trap 'exit 130' INT TERM
}

close_cache() {
  [[ -z ${job:-} ]] || kill -- "-$job" 2>/dev/null || true
  [[ -z $scratch ]] || rm -rf "$scratch"
}

step() {
  local name=$1 target=$2 function=$3; shift 3
  local stamp="$cache/done/$function" key began
  key=$({ declare -f "$function"; cat "$@" /dev/null; } | sha256sum)
  if [[ -e $cache/$target && -e $stamp && $(<"$stamp") == "$key" ]]; then
    printf '· %-32s in cache\n' "$name"
    return
  fi
  began=$EPOCHREALTIME
  new=$scratch/new; rm -rf "$new"; mkdir "$new"
  watch_over "$name" "$function"
  mkdir -p "$(dirname "$cache/$target")"
  rm -rf "${cache:?}/$target"
  mv -T "$new" "$cache/$target"
  echo "$key" >"$stamp"
  report "$name" "$began"
}

# As `step`, for what lives outside the cache: CHECK says quietly whether there is work to do.
step_outside() {
  local name=$1 check=$2 function=$3 began=$EPOCHREALTIME
  if "$check"; then
    printf '· %-32s already there\n' "$name"
    return
  fi
  new=$scratch/new; rm -rf "$new"; mkdir "$new"
  watch_over "$name" "$function"
  report "$name" "$began"
}

# The hungriest step writes 400 MB. Asked for beforehand, because apt-get update does not fail on a
# full disk: it waits for ever.
need_space() {
  local name=$1 megabytes
  megabytes=$(($(df --output=avail -k "$cache" | tail -n 1) / 1024))
  ((megabytes >= 500)) || fail "$name" "only $megabytes MB left on the disk that holds $cache" \
    "free about 2 GB there, or set BRAID_CACHE to a folder on a larger disk" ""
}

# Runs the step in a process group of its own, its words going to a log, and shows how far it is.
watch_over() {
  local name=$1 function=$2 log="$cache/logs/$2.log" shown=0 now line status=0 start=$SECONDS
  need_space "$name"
  : >"$bytes_got"; : >"$goal"
  # errexit is off inside a tested function, so the work runs as a plain job of its own shell.
  set -m
  (set -euo pipefail; "$function") >"$log" 2>&1 </dev/null 9>&- &
  job=$!
  set +m
  while kill -0 "$job" 2>/dev/null; do
    now=$((SECONDS - start))
    if [[ -t 1 ]]; then
      line=$(printf '▸ %-32s %s %3d s' "$name" "$(progress_bar)" "$now")
      printf '\r\e[K%s' "$line"
    elif ((now / 15 > shown)); then
      # Without a terminal: a sign of life every fifteen seconds, for whoever reads the log.
      shown=$((now / 15))
      printf '  %-32s %s %d s\n' "$name" "$(progress_percent)" "$now"
    fi
    sleep 0.3
  done
  wait "$job" || status=$?
  job=
  [[ ! -t 1 ]] || printf '\r\e[K'
  ((status == 0)) || fail_with_log "$name" "$log"
}

# A step's goal is one line: "bytes FOLDER TOTAL", "files FOLDER TOTAL" or "apt STATUS_FILE".
progress() {
  local kind where total done=0
  read -r kind where total <"$goal" 2>/dev/null || { echo -1; return; }
  case $kind in
    bytes) done=$(du -sb "$where" 2>/dev/null | cut -f1) ;;
    files) done=$(find "$where" -type f 2>/dev/null | wc -l) ;;
    # apt's own figure; fetching and installing each run from 0 to 100.
    apt) done=$(grep -aE '^(dl|pm)status:' "$where" 2>/dev/null | tail -n 1 | cut -d: -f3)
         done=${done%%.*} total=100 ;;
  esac
  local percent=$((${done:-0} * 100 / (total > 0 ? total : 1)))
  echo $((percent > 100 ? 100 : percent))
}

progress_bar() {
  local percent filled; percent=$(progress)
  ((percent >= 0)) || { printf '%-26s' ""; return; }
  filled=$((percent / 5))
  local full='████████████████████' empty='░░░░░░░░░░░░░░░░░░░░'
  printf '%s%s %3d %%' "${full:0:filled}" "${empty:0:20-filled}" "$percent"
}

progress_percent() {
  local percent; percent=$(progress)
  ((percent < 0)) || printf '%d %% after' "$percent"
}

seconds_since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN {printf "%.1f", b - a}'; }

report() {
  local name=$1 megabytes
  megabytes=$(awk '{sum += $1} END {if (sum > 0) printf "%.1f MB", sum / 1e6}' "$bytes_got")
  printf '✓ %-32s %9s %8s s\n' "$name" "$megabytes" "$(seconds_since "$2")"
}

fail() {
  local name=$1 why=$2 cure=$3 log=$4
  echo "✗ $name: $why. Cure: $cure.${log:+ Log: $log}" >&2
  exit 1
}

# Why a step failed is the last line of its log that says so, else the last line of all.
fail_with_log() {
  local name=$1 log=$2 why cure="look into the log, then run the command again"
  why=$(grep -aE '^(E:|ERROR|error|fatal|curl:)|[Ee]rror: |No space left' "$log" | tail -n 1 || true)
  [[ -n $why ]] || why=$(grep -av '^[[:space:]]*$' "$log" | tail -n 1 || true)
  # A disk that is quite full leaves an empty log.
  if grep -qa 'No space left' "$log" || { [[ ! -s $log ]] && (($(df --output=avail -k "$cache" | tail -n 1) < 1024)); }; then
    why="no space left on the disk that holds $cache"
    cure="free about 2 GB there, or set BRAID_CACHE to a folder on a larger disk"
  elif grep -qaE 'Temporary failure|Could not resolve|Failed to fetch|timed out|NewConnectionError|No matching distribution' "$log"; then
    cure="check the network (packages come through apt-get and pip as configured here), run again"
  elif grep -qa 'digest of' "$log"; then
    cure="the file is not the one that was pinned: delete it from $cache/downloads and run again"
  fi
  fail "$name" "${why:-ended without a word}" "$cure" "$log"
}
