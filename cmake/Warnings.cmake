# Warnings are errors, everywhere in this project and nowhere outside it.
add_library(sinkproof_warnings INTERFACE)
target_compile_options(sinkproof_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual
  -Wconversion -Wno-sign-conversion -Wextra-semi -Werror)
if(SINKPROOF_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
