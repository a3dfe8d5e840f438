# Part `build`: what compiling and running Braid needs. See docs/decisions/0010-onnxruntime-xgboost.md.
# shellcheck shell=bash disable=SC2154

part_build() {
  debian_packages "Debian packages, build" \
    g++ cmake ninja-build ccache pkg-config git ca-certificates unzip \
    python3 python3-pip \
    libboost-dev libboost-system-dev prometheus-cpp-dev libspdlog-dev libfmt-dev libcli11-dev \
    libyaml-cpp-dev nlohmann-json3-dev libsimdjson-dev libeigen3-dev libgtest-dev libgmock-dev \
    libbenchmark-dev libprotobuf-dev protobuf-compiler libgrpc++-dev protobuf-compiler-grpc \
    libonnx-dev libicu-dev libjpeg62-turbo-dev libpng-dev libsndfile1-dev libsoxr-dev zlib1g-dev \
    libdeflate-dev libssl-dev \
    libgdcm-dev libcharls-dev libopenjp2-7-dev \
    libavformat-dev libavcodec-dev libavutil-dev libswscale-dev
  step "ONNX Runtime 1.28.0" deps/onnxruntime get_onnxruntime
  step "XGBoost 3.4.1" deps/xgboost get_xgboost
}

# The library comes from the Python wheel: Debian 12 has none. Not 1.29 or newer: they write a
# device id under the home folder. The wheel has no headers, so those come from Debian 13's package;
# older headers with a newer library is the direction that ONNX Runtime supports.
get_onnxruntime() {
  local wheel headers
  wheel=$(fetch_wheel onnxruntime==1.28.0 \
    onnxruntime-1.28.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl \
    a166b78ee04f3a37fa1ef82034b6a3ce96d9684e582d4d30b296de83e9998bb5 19000000 \
    --python-version 3.11 --implementation cp --abi cp311 \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64)
  headers=$(fetch libonnxruntime-dev_1.21.0+dfsg-1_amd64.deb \
    14f7d959d5deacbcf1504830d4189f91fc67382b399ed9ae9d3aa9c4050ced08 10000000 \
    download_from_suite trixie libonnxruntime-dev=1.21.0+dfsg-1)

  mkdir -p "$new/include" "$new/lib"
  unzip -q -j "$wheel" 'onnxruntime/capi/libonnxruntime.so.1.28.0' -d "$new/lib"
  ln -s libonnxruntime.so.1.28.0 "$new/lib/libonnxruntime.so.1"
  ln -s libonnxruntime.so.1 "$new/lib/libonnxruntime.so"
  unzip -q -j "$wheel" onnxruntime/LICENSE onnxruntime/ThirdPartyNotices.txt -d "$new"
  dpkg-deb -x "$headers" "$scratch/headers"
  find "$scratch/headers/usr/include" -name 'onnxruntime_*.h' -exec cp -t "$new/include" {} +
}

# Library from the wheel, its C header from the source archive of the same version.
get_xgboost() {
  local wheel source
  wheel=$(fetch_wheel xgboost-cpu==3.4.1 xgboost_cpu-3.4.1-py3-none-manylinux_2_28_x86_64.whl \
    1f16331f5c6beb2b40fbd4bf2834333062d93c9eb38b76186a5c206841dc1809 6000000 --python-version 3.12)
  source=$(fetch xgboost_cpu-3.4.1.tar.gz \
    ee0b249eaa962837cdc4e67adfec54567bfe7386337f3c3a3ce5d68909492e81 1200000 \
    "$python" -m pip download --quiet --no-cache-dir --no-deps --no-binary=xgboost-cpu \
    --ignore-requires-python xgboost-cpu==3.4.1)

  local unpacked=$scratch/xgboost
  mkdir -p "$new/include/xgboost" "$new/lib" "$unpacked"
  unzip -q "$wheel" -d "$unpacked"
  # The library names itself libxgboost.so.3, and looks for its own libgomp beside it.
  cp "$unpacked/xgboost/lib/libxgboost.so" "$new/lib/libxgboost.so.3"
  ln -s libxgboost.so.3 "$new/lib/libxgboost.so"
  cp "$unpacked"/xgboost_cpu.libs/libgomp-* "$new/lib/"
  tar -xzf "$source" -C "$unpacked" --strip-components=1
  cp "$unpacked/LICENSE" "$new/"
  cp "$unpacked"/cpp_src/include/xgboost/{c_api,version_config}.h "$new/include/xgboost/"
}
