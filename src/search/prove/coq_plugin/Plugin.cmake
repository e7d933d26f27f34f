# The commands that Coq is asked by, as a plugin of Coq's: build/lib/sinkproof/coq, once installed
# lib/sinkproof/coq beside the programs' folder. Without OCaml's and Coq's compilers it is left out,
# and `prove` says so where a claim needs it.
find_program(SINKPROOF_OCAMLFIND ocamlfind)
find_program(SINKPROOF_COQPP coqpp)
if(NOT SINKPROOF_OCAMLFIND OR NOT SINKPROOF_COQPP)
  message(WARNING "ocamlfind or coqpp is missing (Debian: libcoq-core-ocaml-dev): claims that rest on Coq cannot be proved")
  return()
endif()
set(source ${CMAKE_CURRENT_SOURCE_DIR}/coq_plugin)
set(work ${CMAKE_CURRENT_BINARY_DIR}/coq_plugin)
set(plugin ${CMAKE_BINARY_DIR}/lib/sinkproof/coq/sinkproof)
set(units paths plain_terms fresh_names hypotheses)
set(ocamlopt ${SINKPROOF_OCAMLFIND} ocamlopt -package coq-core.vernac -thread -rectypes)
list(TRANSFORM units APPEND .ml OUTPUT_VARIABLE files)
list(TRANSFORM files PREPEND ${source}/ OUTPUT_VARIABLE sources)
list(APPEND sources ${source}/sinkproof_questions.mlg)
file(MAKE_DIRECTORY ${work})
add_custom_command(OUTPUT ${plugin}/sinkproof_questions.cmxs ${plugin}/META
  COMMAND ${CMAKE_COMMAND} -E make_directory ${plugin}
  COMMAND ${CMAKE_COMMAND} -E copy ${sources} ${work}
  COMMAND ${CMAKE_COMMAND} -E copy ${source}/META ${plugin}
  COMMAND ${SINKPROOF_COQPP} sinkproof_questions.mlg
  COMMAND ${ocamlopt} -shared -o ${plugin}/sinkproof_questions.cmxs ${files} sinkproof_questions.ml
  WORKING_DIRECTORY ${work}
  DEPENDS ${sources} ${source}/META
  VERBATIM)
add_custom_target(sinkproof_coq_plugin ALL DEPENDS ${plugin}/sinkproof_questions.cmxs)
add_dependencies(sinkproof_prove sinkproof_coq_plugin)
