# Warnings are errors, everywhere in this project and nowhere outside it.
add_library(sinkproof_warnings INTERFACE)
target_compile_options(sinkproof_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual
  -Wconversion -Wno-sign-conversion -Wextra-semi -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ 12 reports a false overlap in std::string's operator+ (GCC bug 105651).
  target_compile_options(sinkproof_warnings INTERFACE -Wno-restrict)
  # With the sanitizers it also takes std::regex's own states for uninitialised (GCC bug 105562).
  if(SINKPROOF_SANITIZE)
    target_compile_options(sinkproof_warnings INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(SINKPROOF_SANITIZE)
  add_compile_options(-fsanitize=${SINKPROOF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SINKPROOF_SANITIZE})
endif()
