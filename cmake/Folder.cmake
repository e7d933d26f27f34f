# Each room (src/WING/ROOM) is one library. `#include "room/..."` finds what is in its own wing and in the wings of the
# rooms it lists under USES; that it names only rooms listed there, and that wings include downwards only, is what
# tests/build/arrows_test.py reads in every file.
# A LIGHT room waits for others: -O1 is enough for it, and takes three quarters of the time to compile.
# Those listed under FAST are the loops that seconds are spent in, and the plain ones these are measured beside: -O3,
# and without the precompiled headers, which are of -O2.

# Where CMAKE_UNITY_BUILD is on, ten files of a room are compiled as one, which takes 40 % of the time. Names in
# their unnamed namespaces then meet: those listed under APART share such names with others and are compiled by themselves.

# sinkproof_target(TARGET [LIGHT] SOURCES... [FAST sources...] [APART sources...] USES rooms... LINKS libraries... [PRECOMPILED target])
function(sinkproof_target target)
  cmake_parse_arguments(arg "LIGHT" "PRECOMPILED" "SOURCES;FAST;APART;USES;LINKS" ${ARGN})
  target_sources(${target} PRIVATE ${arg_SOURCES} ${arg_FAST} ${arg_APART})
  set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_source_files_properties(${arg_FAST} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
  if(arg_LIGHT)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  list(TRANSFORM arg_USES PREPEND sinkproof_)
  target_link_libraries(${target} PUBLIC ${arg_USES} ${arg_LINKS} PRIVATE sinkproof_warnings)
  if(NOT arg_PRECOMPILED)
    set(arg_PRECOMPILED sinkproof_precompiled)
  endif()
  # A room that lists no library, too, is compiled with the definitions the precompiled header was.
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:${arg_PRECOMPILED},COMPILE_DEFINITIONS>)
  target_precompile_headers(${target} REUSE_FROM ${arg_PRECOMPILED})
endfunction()

# sinkproof_folder(NAME ...): the library of src/WING/NAME.
function(sinkproof_folder name)
  add_library(sinkproof_${name} STATIC)
  target_include_directories(sinkproof_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/..>)
  sinkproof_target(sinkproof_${name} ${ARGN})
endfunction()

# sinkproof_program(NAME ...)
function(sinkproof_program name)
  add_executable(${name})
  sinkproof_target(${name} ${ARGN})
endfunction()
