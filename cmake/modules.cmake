# braid_module(<room> <name> <library>...): src/<room>/modules/<name>/*.cc become libbraid_<name>.so
# beside the program, opened on first use by src/base/module.h. Only the module links the libraries,
# and it links nothing of ours: a module includes headers that need no .cc. Whoever links the room
# finds the module built. Without its libraries it is left out, and its error says so at run time.
function(braid_module room name)
  foreach(library IN LISTS ARGN)
    if(NOT library)
      message(WARNING "libbraid_${name}.so is left out: a library is missing. "
                      "Cure: run  tools/setup.sh build")
      return()
    endif()
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS src/${room}/modules/${name}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  add_library(braid_module_${name} MODULE ${sources})
  target_include_directories(braid_module_${name} PRIVATE src)
  target_link_libraries(braid_module_${name} PRIVATE ${ARGN})
  set_target_properties(braid_module_${name} PROPERTIES
    OUTPUT_NAME braid_${name}
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  add_dependencies(braid_${room} braid_module_${name})
endfunction()

# GDCM by its files: its CMake package insists on programs of another Debian package.
find_path(gdcm_include gdcmImageReader.h PATH_SUFFIXES gdcm-3.0)
foreach(part MSFF DICT DSED Common)
  find_library(gdcm_${part} gdcm${part})
endforeach()
find_library(charls charls)
pkg_check_modules(openjpeg IMPORTED_TARGET libopenjp2)
braid_module(modality dicom
  "${gdcm_MSFF}" "${gdcm_DICT}" "${gdcm_DSED}" "${gdcm_Common}" "${charls}" "${openjpeg_LINK_LIBRARIES}")
if(TARGET braid_module_dicom)
  target_include_directories(braid_module_dicom SYSTEM PRIVATE ${gdcm_include} ${openjpeg_INCLUDE_DIRS})
endif()

pkg_check_modules(ffmpeg IMPORTED_TARGET libavformat libavcodec libswscale libavutil)
set(ffmpeg_libraries ffmpeg-NOTFOUND)
if(ffmpeg_FOUND)
  set(ffmpeg_libraries PkgConfig::ffmpeg)
endif()
braid_module(modality video ${ffmpeg_libraries})
