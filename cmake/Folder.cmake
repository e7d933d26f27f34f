# Each folder of src/ is one library. Its headers are reachable only through build/include/NAME/NAME (a link
# to src/NAME), and a target is compiled with those of exactly the folders it lists under USES, whatever
# these use themselves: `#include "prove/..."` compiles only where prove is listed. (What a listed
# folder's headers include has to be listed, too.) It links all of them and what they need.

# Its sources are compiled together (CMAKE_UNITY_BUILD) but for those listed under ALONE, which have names of their
# own that others of the folder have, too. Where it is TRUSTED each is by itself: what a name means there must
# not depend on a neighbour; only under sanitizers, whose verdicts nobody is given, these are compiled together, too.
# A LIGHT folder waits for others: -O1 is enough for it, and takes three quarters of the time to compile.
# Those listed under FAST are the loops that seconds are spent in, and the plain ones these are measured beside: -O3, each
# by itself, and without the precompiled headers, which are of -O2.

# sinkproof_target(TARGET [TRUSTED] [LIGHT] SOURCES... [ALONE sources...] [FAST sources...] USES folders... LINKS libraries...
#                  [PRECOMPILED target])
function(sinkproof_target target)
  cmake_parse_arguments(arg "TRUSTED;LIGHT" "PRECOMPILED" "SOURCES;ALONE;FAST;USES;LINKS" ${ARGN})
  target_sources(${target} PRIVATE ${arg_SOURCES} ${arg_ALONE} ${arg_FAST})
  set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_source_files_properties(${arg_FAST} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
  if(arg_TRUSTED AND NOT SINKPROOF_SANITIZE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
  if(arg_LIGHT)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  foreach(used ${arg_USES})
    target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/include/${used})
    target_link_libraries(${target} PUBLIC sinkproof_${used})
  endforeach()
  target_link_libraries(${target} PUBLIC ${arg_LINKS} PRIVATE sinkproof_warnings)
  if(NOT arg_PRECOMPILED)
    set(arg_PRECOMPILED sinkproof_precompiled)
  endif()
  # A folder that lists no library, too, is compiled with the definitions the precompiled header was.
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${arg_PRECOMPILED},COMPILE_DEFINITIONS>)
  target_precompile_headers(${target} REUSE_FROM ${arg_PRECOMPILED})
endfunction()

# sinkproof_folder(NAME ...): the library of src/NAME.
function(sinkproof_folder name)
  set(root ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${root}/${name} SYMBOLIC)
  add_library(sinkproof_${name} STATIC)
  target_include_directories(sinkproof_${name} PRIVATE ${root})
  sinkproof_target(sinkproof_${name} ${ARGN})
endfunction()

# sinkproof_program(NAME ...)
function(sinkproof_program name)
  add_executable(${name})
  sinkproof_target(${name} ${ARGN})
endfunction()
