#!/usr/bin/env bash
# The set-up that ./demo and ./check share: brings what Braid needs onto this machine.
#
#   tools/setup.sh PART...
#     build    packages to compile with, ONNX Runtime, XGBoost
#     tools    clang-19 with tidy, format and fuzzer: only ./check needs them
#     demo     the demo's catalogue, encoders and manifest
#     oracles  reference libraries in Python, to make goldens anew
#     clients  the protocol's official clients in Python, for tests/e2e
#     kinds    reference libraries in Python, to measure the kinds of data against
#
# Downloads are pinned, checked by SHA-256, and kept in $BRAID_CACHE (by default ~/.cache/braid);
# a second run finds all of it there. Docs: docs/decisions/0012-cache-and-setup.md.
set -euo pipefail
shopt -s inherit_errexit    # a failure inside $(...) is a failure

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${BRAID_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/braid}

# shellcheck source=tools/setup/steps.sh
source "$here/setup/steps.sh"
# shellcheck source=tools/setup/fetch.sh
source "$here/setup/fetch.sh"
# shellcheck source=tools/setup/debian.sh
source "$here/setup/debian.sh"
# shellcheck source=tools/setup/python.sh
source "$here/setup/python.sh"
for part in "$@"; do
  case $part in
    build | tools | demo | oracles | clients | kinds)
      # shellcheck source=/dev/null
      source "$here/setup/part_$part.sh" ;;
    *)
      echo "tools/setup.sh: no part '$part'; parts are: build tools demo oracles clients kinds" >&2
      exit 2 ;;
  esac
done
(($# > 0)) || { sed -n '2,14s/^# \{0,1\}//p' "$0"; exit 2; }

open_cache
for part in "$@"; do "part_$part"; done
