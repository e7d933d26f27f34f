# After project(): how everything is compiled, and the functions the folders are written with.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(SINKPROOF_SANITIZE "" CACHE STRING "Sanitizers to build with, as of -fsanitize=, such as address,undefined")
option(SINKPROOF_TESTS "Build the tests" ON)

# g++'s own garbage is collected where it grows past a gigabyte, not from 128 MiB on: a twentieth of the time of compiling.
add_compile_options("$<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>")

include(${CMAKE_CURRENT_LIST_DIR}/Warnings.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/CheckerDependencies.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/Precompiled.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/Folder.cmake)
