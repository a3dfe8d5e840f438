# The two libraries that Debian 12 lacks (or has too old), as imported targets:
#   onnxruntime::onnxruntime   xgboost::xgboost
# tools/setup.sh puts them into the cache folder; docs/decisions/0010-onnxruntime-xgboost.md says why.

if(DEFINED ENV{BRAID_CACHE})
  set(braid_cache "$ENV{BRAID_CACHE}")
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(braid_cache "$ENV{XDG_CACHE_HOME}/braid")
else()
  set(braid_cache "$ENV{HOME}/.cache/braid")
endif()
set(BRAID_DEPS "${braid_cache}/deps" CACHE PATH "Folder that holds onnxruntime/ and xgboost/")

# Imports BRAID_DEPS/<name>/lib/<library>; stops with the cure when it is not there.
function(braid_import name library header)
  set(root "${BRAID_DEPS}/${name}")
  foreach(file "lib/${library}" "include/${header}")
    if(NOT EXISTS "${root}/${file}")
      message(FATAL_ERROR "${root}/${file} is missing. Cure: run  tools/setup.sh build")
    endif()
  endforeach()
  add_library(${name}::${name} SHARED IMPORTED GLOBAL)
  set_target_properties(${name}::${name} PROPERTIES
    IMPORTED_LOCATION "${root}/lib/${library}"
    INTERFACE_INCLUDE_DIRECTORIES "${root}/include")
  # An old-style run path also serves what the library itself needs (XGBoost's own libgomp); the
  # new style, which is the default, would leave that one unfound.
  target_link_options(${name}::${name} INTERFACE
    "LINKER:-rpath,${root}/lib" "LINKER:--disable-new-dtags")
endfunction()

braid_import(onnxruntime libonnxruntime.so onnxruntime_cxx_api.h)
braid_import(xgboost libxgboost.so xgboost/c_api.h)
