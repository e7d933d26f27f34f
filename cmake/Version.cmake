# Before project(): what the whole tree and the checker by itself (src/checker) have in common.
set(SINKPROOF_VERSION 0.1.0)
get_filename_component(SINKPROOF_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
# -O3 serves the loops of training, which ask for it (FAST, Folder.cmake).
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "Flags of a release build")
# ccache refuses precompiled headers unless it is told that their macros do not depend on the file that includes them.
find_program(SINKPROOF_CCACHE ccache)
if(SINKPROOF_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${SINKPROOF_CCACHE})
endif()
