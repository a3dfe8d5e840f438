#!/usr/bin/env bash
# clang-tidy over what was changed, and over the rest as far as a time budget goes.
#
#   tools/tidy.sh BUILD_FOLDER [--all]
#
# Changed means: against the branch that this one left (or the last commit, on that branch itself),
# committed or not; a changed header stands for the source file of its name. --all goes on to every
# other file, whose findings are shown without failing. No file is begun after $BRAID_TIDY_SECONDS (300); how many were left is said.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1 scope=${2:-}
budget=${BRAID_TIDY_SECONDS:-300}
[[ -f $build/compile_commands.json ]] || { echo "error: no $build/compile_commands.json; run ./check"; exit 1; }

changed_since() {
  local base
  base=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null || true)
  if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
    base=$(git rev-parse --quiet --verify HEAD~1 || git hash-object -t tree /dev/null)
  fi
  git diff --name-only --diff-filter=d "$base" -- src tests
  git ls-files --others --exclude-standard -- src tests
}

# Only files that the build compiles: clang-tidy must know their options.
compiled() { grep -oE '"file": "[^"]+"' "$build/compile_commands.json" | cut -d'"' -f4; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
changed_since | sed 's/\.h$/.cc/' | sort -u >"$scratch/changed"
compiled | sed "s#^$PWD/##" | grep -E '^(src|tests)/' | sort -u >"$scratch/compiled" || true
grep -Fxf "$scratch/changed" "$scratch/compiled" >"$scratch/list" || true
own=$scratch/own  # findings elsewhere are shown and counted, but are not this change's fault
cp "$scratch/list" "$own"
if [[ $scope == --all ]]; then
  # In another order each time, so that a budget too small for all still reads all in the long run.
  grep -vFxf "$scratch/changed" "$scratch/compiled" | shuf >>"$scratch/list" || true
fi

deadline=$(($(date +%s) + budget))
results=$scratch/results
mkdir "$results"
export build deadline results own
# shellcheck disable=SC2016  # the inner shell expands these
xargs -r -a "$scratch/list" -P "$(nproc)" -I '{}' bash -c '
  name=${1//\//_}
  if (($(date +%s) > deadline)); then : >"$results/$name.left"; exit 0; fi
  clang-tidy-19 -p "$build" --quiet --warnings-as-errors="*" "$1" >"$results/$name.out" 2>/dev/null ||
    { cat "$results/$name.out"; grep -Fxq "$1" "$own" && : >"$results/$name.bad" || : >"$results/$name.noted"; }
' _ '{}'

count() { find "$results" -name "*.$1" | wc -l; }
left=$(count left) bad=$(count bad) total=$(wc -l <"$scratch/list")
echo "clang-tidy: $((total - left)) files read, $bad changed ones with findings, $(count noted) others, $left left out (budget $budget s)"
((bad == 0))
