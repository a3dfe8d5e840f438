# Python environments: small, outside the tree, every wheel pinned by digest.
# shellcheck shell=bash disable=SC2154

# fill_venv TARGET REQUIREMENTS BYTES makes in $new the environment that will live at $cache/TARGET.
fill_venv() {
  local home=$cache/$1 requirements=$2 bytes=$3 wheels=$cache/downloads/$1-wheels before
  mkdir -p "$wheels"
  before=$(folder_bytes "$wheels")
  echo "bytes $scratch/pip $((bytes))" >"$goal"
  mkdir -p "$scratch/pip"
  TMPDIR=$scratch/pip "$python" -m pip download --quiet --no-cache-dir --require-hashes \
    --only-binary=:all: --dest "$wheels" -r "$requirements"
  echo $(($(folder_bytes "$wheels") - before)) >>"$bytes_got"
  "$python" -m venv --without-pip "$new"
  "$python" -m pip --python "$new/bin/python" install --quiet --no-index --find-links "$wheels" \
    --no-compile --require-hashes -r "$requirements"
  # Scripts name their interpreter by its full path, which changes when the folder is put in place.
  grep -rlIZ -- "$new" "$new/bin" "$new/pyvenv.cfg" | xargs -0r sed -i "s#$new#$home#g"
}

folder_bytes() { du -sb "$1" | cut -f1; }
