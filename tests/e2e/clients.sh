#!/usr/bin/env bash
# Runs clients.py with the Python that has the official clients. Without it the test is skipped, except
# where everything is meant to run: CI=true makes that a failure.
#
#   clients.sh BRAID [PATTERN]
set -euo pipefail
cache=${BRAID_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/braid}
python=$cache/clients-venv/bin/python
if [[ ! -x $python ]]; then
  echo "tests/e2e: $python is missing. Cure: tools/setup.sh clients" >&2
  [[ ${CI:-} == true ]] && exit 1 || exit 77
fi
exec "$python" "$(dirname "${BASH_SOURCE[0]}")/clients.py" "$@"
