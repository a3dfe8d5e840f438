# braid_precompiled(<target> <header>): the targets that name one header share what was compiled of it.
# It is made by a target of its own, which has no definitions that the others lack.
function(braid_precompiled target header)
  cmake_path(GET header STEM owner)
  if(NOT TARGET ${owner})
    add_library(${owner} OBJECT cmake/empty.cc)
    target_link_libraries(${owner} PRIVATE fmt::fmt)
    if(header MATCHES test)
      target_link_libraries(${owner} PRIVATE GTest::gmock)
    endif()
    target_precompile_headers(${owner} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# Else ccache gives up at a precompiled header.
if(ccache)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${ccache})
endif()
