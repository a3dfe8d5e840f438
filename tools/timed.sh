# timed NAME COMMAND...: runs a command of the build quietly and says in one line how long it took.
# On a terminal its last line ([12/80] …) is shown while it runs; elsewhere one line every half minute.
# A command that fails prints what its log says of errors, the log's path, and returns its status.
# shellcheck shell=bash

logs=build/logs

timed() {
  local name=$1 log=$logs/${1//[^[:alpha:]]/_}.log began=$SECONDS shown=0 status=0 job; shift
  mkdir -p "$logs"
  "$@" >"$log" 2>&1 </dev/null &
  job=$!
  while kill -0 "$job" 2>/dev/null; do
    if [[ -t 1 ]]; then
      printf '\r\e[K▸ %-24s %4d s  %.50s' "$name" $((SECONDS - began)) "$(last_line "$log")"
    elif (((SECONDS - began) / 30 > shown)); then
      shown=$(((SECONDS - began) / 30))
      printf '  %-24s %4d s  %.70s\n' "$name" $((SECONDS - began)) "$(last_line "$log")"
    fi
    sleep 0.2
  done
  wait "$job" || status=$?
  [[ ! -t 1 ]] || printf '\r\e[K'
  if ((status == 0)); then
    printf '✓ %-24s %4d s\n' "$name" $((SECONDS - began))
  else
    printf '✗ %-24s %4d s. Log: %s\n' "$name" $((SECONDS - began)) "$log"
    errors_of "$log"
  fi
  return "$status"
}

last_line() { tail -n 1 "$1" | tr -d '\r\n'; }

# The first errors with a few lines around them; the end of the log where none is marked as such.
errors_of() {
  grep -aE -m 5 -A 6 'error:|FAILED:|CMake Error|undefined reference' "$1" | head -n 40 | cut -c 1-240 ||
    tail -n 20 "$1"
}
