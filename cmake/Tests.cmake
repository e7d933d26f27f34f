# Tests of a room: one executable, registered test by test with ctest.
find_package(Catch2 2.13 REQUIRED)
include(Catch)

# With precompiled headers g++ 12 sees false overruns where a long std::string is moved; in src/ the place is mended
# instead (tl::unexpect in place of a moved Error).
add_library(sinkproof_test_flags INTERFACE)
target_link_libraries(sinkproof_test_flags INTERFACE Catch2::Catch2WithMain)
target_compile_options(sinkproof_test_flags INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow>)
# What tests themselves do with a local after its end is not what the sanitizers are for, and a third of their compiling.
if(SINKPROOF_SANITIZE)
  target_compile_options(sinkproof_test_flags INTERFACE -fno-sanitize-address-use-after-scope)
endif()
sinkproof_precompile(sinkproof_tests_precompiled sinkproof_test_flags <catch2/catch.hpp>)

# sinkproof_tests(NAME [OF folder] SOURCES... [APART sources...] USES folders... LINKS libraries...): tests of src/NAME
# (of src/FOLDER), the program test_NAME: label default, a test a process, and label quick, one process of all but those
# tagged [slow] or [seconds]; sanitize.sh short leaves out [slow] and [figures].
function(sinkproof_tests name)
  cmake_parse_arguments(arg "" "OF" "SOURCES;APART;USES;LINKS" ${ARGN})
  if(NOT arg_OF)
    set(arg_OF ${name})
  endif()
  sinkproof_program(test_${name} LIGHT SOURCES ${arg_SOURCES} APART ${arg_APART} USES ${arg_OF} ${arg_USES}
    LINKS sinkproof_test_flags ${arg_LINKS} PRECOMPILED sinkproof_tests_precompiled)
  target_compile_definitions(test_${name} PRIVATE
    SINKPROOF_SOURCE_DIR="${SINKPROOF_ROOT}" SINKPROOF_BINARY_DIR="${CMAKE_BINARY_DIR}")
  catch_discover_tests(test_${name} TEST_PREFIX "${name}: " PROPERTIES LABELS default)
  add_test(NAME "quick: ${name}" COMMAND test_${name} "~[slow]~[seconds]")
  set_tests_properties("quick: ${name}" PROPERTIES LABELS quick TIMEOUT 300)
endfunction()

