# Fetchers: bring one pinned file into $cache/downloads and print its path.
# A file counts as there only when its SHA-256 is the pinned one, so a torn download is fetched anew.
# shellcheck shell=bash disable=SC2154

# Debian's own interpreter, so that a bare machine and a developer's (pyenv, conda) do the same.
python=/usr/bin/python3

has_digest() { [[ -f $1 ]] && echo "$2  $1" | sha256sum --check --status; }

# fetch FILE SHA256 BYTES COMMAND... runs COMMAND in an empty folder, where it must leave FILE.
fetch() {
  local file=$1 digest=$2 bytes=$3; shift 3
  local kept=$cache/downloads/$file folder=$scratch/fetch
  if ! has_digest "$kept" "$digest"; then
    rm -rf "$folder"; mkdir -p "$folder/tmp"
    echo "bytes $folder $bytes" >"$goal"
    (cd "$folder" && TMPDIR=$folder/tmp "$@") >&2
    if ! has_digest "$folder/$file" "$digest"; then
      echo "ERROR: digest of $file is not the pinned $digest" >&2
      return 1
    fi
    stat -c %s "$folder/$file" >>"$bytes_got"
    mv "$folder/$file" "$kept"
    : >"$goal"
  fi
  echo "$kept"
}

# fetch_wheel REQUIREMENT FILE SHA256 BYTES [PIP_OPTION...]: one wheel, without what it depends on.
fetch_wheel() {
  local requirement=$1 file=$2 digest=$3 bytes=$4; shift 4
  fetch "$file" "$digest" "$bytes" "$python" -m pip download --quiet --no-cache-dir --no-deps \
    --only-binary=:all: "$@" "$requirement"
}
