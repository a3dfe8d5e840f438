#!/usr/bin/env bash
# Clang's thread-safety analysis over the rooms that have threads: what base/mutex.h marks as guarded
# is touched only under its lock. g++, which builds Braid, ignores the marks.
#
#   tools/thread_safety.sh BUILD_FOLDER [ROOM...]     rooms: base model serve net, unless named
#
# Reads the sources without making anything; the options are those of BUILD_FOLDER's
# compile_commands.json. First a planted mistake must be found: an analysis that is off finds nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1
shift
(($# > 0)) || set -- base model serve net
command -v clang++-19 >/dev/null || { echo "skipped: no clang++-19; run  tools/setup.sh tools"; exit 77; }
[[ -f $build/compile_commands.json ]] || { echo "error: no $build/compile_commands.json; run ./check"; exit 1; }

flags=(-std=c++20 -fsyntax-only -Wno-everything -Wthread-safety -Werror=thread-safety)
planted=tests/must_not_compile/unguarded_write.cc
if found=$(clang++-19 "${flags[@]}" -I src "$planted" 2>&1) || [[ $found != *"requires holding mutex"* ]]; then
  printf '%s\nerror: the mistake in %s was not found; the marks of src/base/mutex.h are off\n' "$found" "$planted"
  exit 1
fi

# FILE, a tab, its -D, -I and -isystem: sanitizers, warnings and what g++ precompiled are left out.
list=$(python3 - "$build/compile_commands.json" "$PWD" "$@" <<'PYTHON'
import json, shlex, sys
commands, root, *rooms = sys.argv[1:]
for entry in json.load(open(commands)):
    room = entry["file"].removeprefix(root + "/").split("/")
    if room[0] != "src" or room[1] not in rooms:
        continue
    words = iter(shlex.split(entry["command"])[1:])
    kept = []
    for word in words:
        if word == "-isystem":
            kept += [word, next(words)]
        elif word.startswith(("-D", "-I")):
            kept.append(word)
    print(entry["file"], shlex.join(kept), sep="\t")
PYTHON
)
count=$(wc -l <<<"$list")
((count > 1)) || { echo "error: $build/compile_commands.json names no file of: $*"; exit 1; }

export flags_text="${flags[*]}"
# shellcheck disable=SC2016  # the inner shell expands these
xargs -a <(sort -u <<<"$list") -d '\n' -P "$(nproc)" -I '{}' bash -c '
  eval "options=(${1#*$'"'\t'"'})"
  clang++-19 $flags_text "${options[@]}" "${1%%$'"'\t'"'*}"' _ '{}'
echo "thread safety: $count files of $* hold their locks"
