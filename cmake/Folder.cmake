# sinkproof_folder(NAME SOURCES... USES folders... LINKS libraries...)
#
# Each folder of src/ is one library. Its headers are reachable only through
# build/include/NAME/NAME (a link to src/NAME), so `#include "prove/..."` compiles
# only in a folder that lists prove under USES: the build enforces the arrows.
function(sinkproof_folder name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;LINKS" ${ARGN})
  add_library(sinkproof_${name} STATIC ${arg_SOURCES})
  set(root ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${root}/${name} SYMBOLIC)
  target_include_directories(sinkproof_${name} PUBLIC ${root})
  foreach(used ${arg_USES})
    target_link_libraries(sinkproof_${name} PUBLIC sinkproof_${used})
  endforeach()
  target_link_libraries(sinkproof_${name} PUBLIC ${arg_LINKS} PRIVATE sinkproof_warnings)
  target_precompile_headers(sinkproof_${name} REUSE_FROM sinkproof_precompiled)
endfunction()
