# The libraries of each room. A library is named in one .cc family; docs/decisions/ says why it is
# here at all.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)      # libstdc++ 12 has no <format>
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(simdjson REQUIRED)
find_package(spdlog REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc i18n)
pkg_check_modules(sndfile REQUIRED IMPORTED_TARGET sndfile)
pkg_check_modules(soxr REQUIRED IMPORTED_TARGET soxr)
find_package(Protobuf REQUIRED)
find_package(ONNX REQUIRED)     # writes heads; libonnx 1.12
find_program(grpc_cpp_plugin grpc_cpp_plugin REQUIRED)
find_package(Boost REQUIRED)
find_package(ZLIB REQUIRED)
find_package(prometheus-cpp REQUIRED COMPONENTS core)
find_package(Eigen3 REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(deflate REQUIRED IMPORTED_TARGET libdeflate)  # volumes in gzip

set(braid_libraries_base yaml-cpp simdjson::simdjson spdlog::spdlog OpenSSL::Crypto)
set(braid_libraries_modality JPEG::JPEG PNG::PNG ICU::uc ICU::i18n ZLIB::ZLIB PkgConfig::deflate
    PkgConfig::sndfile PkgConfig::soxr)
set(braid_libraries_model onnxruntime::onnxruntime xgboost::xgboost onnx onnx_proto
    protobuf::libprotobuf)
# gRPC by name: its CMake package adds -pthread, which spoils what is precompiled.
set(braid_libraries_net Boost::headers ZLIB::ZLIB prometheus-cpp::core simdjson::simdjson
    protobuf::libprotobuf grpc++ grpc gpr absl_synchronization)
set(braid_libraries_learn Eigen3::Eigen)
set(braid_libraries_apps CLI11::CLI11)
set(braid_bench_libraries_net onnxruntime::onnxruntime)  # the bare runs to compare with
