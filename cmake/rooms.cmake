# src/LAYERS is the only place that lists the rooms: each line becomes a library, its tests and its
# benchmarks (_bench.cc) and fuzz targets (_fuzz.cc).

# Tests run in the source folder, so that they name files as people do.
function(braid_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ${braid_room_libraries} fmt::fmt GTest::gmock
                        GTest::gtest_main)
  braid_precompiled(${name} precompiled_test.h)
  # A suite with Slow in its name is labelled: `ctest -LE slow` leaves it out, CI runs it.
  set(discovery WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DISCOVERY_TIMEOUT 120)
  gtest_discover_tests(${name} ${discovery} TEST_FILTER "-*Slow*" PROPERTIES TIMEOUT 300)
  gtest_discover_tests(${name} ${discovery} TEST_FILTER "*Slow*"
                       PROPERTIES TIMEOUT 1800 LABELS slow)
endfunction()

macro(braid_rooms)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/LAYERS)
  file(STRINGS src/LAYERS layers REGEX "^[a-z]+:")
  set(braid_room_libraries)
  foreach(layer IN LISTS layers)
    string(REGEX MATCHALL "[a-z]+" below "${layer}")
    list(POP_FRONT below room)
    list(TRANSFORM below PREPEND braid_)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${room}/*.cc)
    list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$|/main\\.cc$|/src/${room}/modules/")
    add_library(braid_${room} STATIC ${sources} cmake/empty.cc)  # a room may have only plug-ins
    target_include_directories(braid_${room} PUBLIC src)
    target_link_libraries(braid_${room} PUBLIC ${below} Threads::Threads
                          PRIVATE fmt::fmt ${braid_libraries_${room}})
    braid_precompiled(braid_${room} precompiled.h)
    list(APPEND braid_room_libraries braid_${room})
  endforeach()
  foreach(layer IN LISTS layers)
    string(REGEX MATCH "^[a-z]+" room "${layer}")
    braid_room_programs(${room})
  endforeach()
endmacro()

# The tests of a room may name what the room itself may name, no more: they link only that.
function(braid_room_programs room)
  set(braid_room_libraries braid_${room} fmt::fmt ${braid_libraries_${room}})
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS src/${room}/*_test.cc)
  if(tests)
    braid_test(${room}_test ${tests})
  endif()
  file(GLOB_RECURSE benches CONFIGURE_DEPENDS src/${room}/*_bench.cc)
  foreach(bench IN LISTS benches)
    cmake_path(GET bench STEM stem)
    add_executable(${stem} EXCLUDE_FROM_ALL ${bench})
    target_link_libraries(${stem} PRIVATE ${braid_room_libraries} benchmark::benchmark
                          ${braid_bench_libraries_${room}})
  endforeach()
  file(GLOB_RECURSE fuzzers CONFIGURE_DEPENDS src/${room}/*_fuzz.cc)
  if(fuzzers)
    braid_fuzzers(${room} ${fuzzers})
  endif()
endfunction()
