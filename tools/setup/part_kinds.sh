# Part `kinds`: the libraries that bench/kinds.sh measures the kinds of data against.
# shellcheck shell=bash disable=SC2154

part_kinds() {
  step "Python for kinds" kinds-venv get_kinds_venv "$here"/kinds/{requirements,sdists}.txt
}

# Drain3 and pyvips come as sources of pure Python; what they need is in requirements.txt.
get_kinds_venv() {
  fill_venv kinds-venv "$here/kinds/requirements.txt" 260000000
  TMPDIR=$scratch/pip "$python" -m pip --python "$new/bin/python" install --quiet --no-cache-dir \
    --no-deps --no-compile --require-hashes -r "$here/kinds/sdists.txt"
}
