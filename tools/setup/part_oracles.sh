# Part `oracles`: reference libraries to make goldens anew with (tools/oracles/). Never needed to run.
# shellcheck shell=bash disable=SC2154

part_oracles() {
  step "Python for oracles" oracles-venv get_oracles_venv "$here/oracles/requirements.txt"
}

get_oracles_venv() { fill_venv oracles-venv "$here/oracles/requirements.txt" 130000000; }
