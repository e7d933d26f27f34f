# Manual pages and completions, written by the program itself from its own options (src/apps/cli/manual.cpp)
# and the words in docs/man. Pages are compressed without a time stamp: the same bytes every time.
find_program(GZIP gzip REQUIRED)
set(SINKPROOF_MANUAL_DATE "November 28, 2026" CACHE STRING "Date the manual pages carry")
set(manual ${CMAKE_BINARY_DIR}/manual)
file(GLOB fragments CONFIGURE_DEPENDS ${SINKPROOF_ROOT}/docs/man/*.mdoc)
add_custom_command(
  OUTPUT ${manual}/stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}/man1
  COMMAND sinkproof manual --fragments ${SINKPROOF_ROOT}/docs/man --date ${SINKPROOF_MANUAL_DATE} -o ${manual}
  COMMAND sh -c "for page in '${manual}'/*.1; do '${GZIP}' -9n <\"$page\" >'${manual}'/man1/\"\${page##*/}\".gz; done"
  COMMAND ${CMAKE_COMMAND} -E touch ${manual}/stamp
  DEPENDS sinkproof ${fragments}
  VERBATIM COMMENT "Writing manual pages and completions")
add_custom_target(manual ALL DEPENDS ${manual}/stamp)
