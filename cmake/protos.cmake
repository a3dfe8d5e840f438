# braid_proto(<room> <file>): makes C++ of a .proto file with protoc and adds it to the room, as
# "<path from src>.pb.h". What protoc writes is not held to our warnings.
function(braid_proto room file)
  cmake_path(REPLACE_EXTENSION file LAST_ONLY ".pb.cc" OUTPUT_VARIABLE source)
  cmake_path(REPLACE_EXTENSION file LAST_ONLY ".pb.h" OUTPUT_VARIABLE header)
  set(folder ${CMAKE_BINARY_DIR}/protos)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${folder}/${source} ${folder}/${header}
    COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR}/src --cpp_out=${folder} ${file}
    DEPENDS ${CMAKE_SOURCE_DIR}/src/${file}
    VERBATIM)
  set_source_files_properties(${folder}/${source} PROPERTIES COMPILE_OPTIONS -w SKIP_PRECOMPILE_HEADERS ON)
  target_sources(braid_${room} PRIVATE ${folder}/${source} ${folder}/${header})
  target_include_directories(braid_${room} SYSTEM PRIVATE ${folder})
endfunction()

# The same for the service of a .proto file: "<path from src>.grpc.pb.h".
function(braid_grpc_service room file)
  braid_proto(${room} ${file})
  cmake_path(REPLACE_EXTENSION file LAST_ONLY ".grpc.pb.cc" OUTPUT_VARIABLE source)
  cmake_path(REPLACE_EXTENSION file LAST_ONLY ".grpc.pb.h" OUTPUT_VARIABLE header)
  set(folder ${CMAKE_BINARY_DIR}/protos)
  add_custom_command(
    OUTPUT ${folder}/${source} ${folder}/${header}
    COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR}/src --grpc_out=${folder}
            --plugin=protoc-gen-grpc=${grpc_cpp_plugin} ${file}
    DEPENDS ${CMAKE_SOURCE_DIR}/src/${file}
    VERBATIM)
  set_source_files_properties(${folder}/${source} PROPERTIES COMPILE_OPTIONS -w
                                                             SKIP_PRECOMPILE_HEADERS ON)
  target_sources(braid_${room} PRIVATE ${folder}/${source} ${folder}/${header})
endfunction()

braid_proto(model model/triton_config.proto)
braid_grpc_service(net net/inference.proto)
braid_grpc_service(net net/health.proto)
target_include_directories(net_test SYSTEM PRIVATE ${CMAKE_BINARY_DIR}/protos)
target_include_directories(grpc_echo_bench SYSTEM PRIVATE ${CMAKE_BINARY_DIR}/protos)
