# sinkproof-check-verified, extracted from Coq (docs/VERIFIED_CHECKER.md). There is none without Coq and OCaml, nor
# with the sanitizers, which do not look into it.
find_program(SINKPROOF_COQC coqc)
find_program(SINKPROOF_OCAMLFIND ocamlfind)
if(SINKPROOF_COQC AND SINKPROOF_OCAMLFIND AND NOT SINKPROOF_SANITIZE)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${SINKPROOF_ROOT}/proofs/checker/*.v
    ${SINKPROOF_ROOT}/proofs/theory/definitions/*.v ${SINKPROOF_ROOT}/tools/verified/*)
  set(verified ${CMAKE_BINARY_DIR}/bin/sinkproof-check-verified)
  add_custom_command(OUTPUT ${verified}
    COMMAND ${SINKPROOF_ROOT}/tools/verified/build.sh ${CMAKE_BINARY_DIR}/verified
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_BINARY_DIR}/verified/sinkproof-check-verified ${verified}
    DEPENDS ${sources} ${SINKPROOF_ROOT}/proofs/theory/trigger_task.v
    COMMENT "Compiling the proved checker" VERBATIM)
  add_custom_target(sinkproof-check-verified ALL DEPENDS ${verified})
  install(PROGRAMS ${verified} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs OPTIONAL)
endif()
