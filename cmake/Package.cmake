# The Debian packages sinkproof, sinkproof-dev and, where it is built, python3-sinkproof, by `cpack -G DEB` (scripts/package.sh).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sinkproof)
set(CPACK_PACKAGE_CONTACT "The sinkproof authors <sinkproof@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL programs development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME sinkproof)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "bubblewrap, coq, cvc5, libcoq-coquelicot, python3:any")
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "decides claims about attention sinks in transformers
A head that must sometimes output zero, but whose softmax weights must sum to
one, parks its attention on a fixed token: an attention sink. sinkproof proves
theorems about sinks, certifies trained one-layer checkpoints for all inputs of
a task, certifies what a sink costs, and leaves certificates for all of it that
a small trusted checker, and a second one in plain Python, re-verify.
.
The theory's claims and certificates are part of the package. Deciding them
again needs cvc5 and Coq; checking certificates does not.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME sinkproof-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "sinkproof (= ${SINKPROOF_VERSION}), libfmt-dev, libgmp-dev, libssl-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "trusted checker of sinkproof as a library
Checks certificates about attention sinks from within another program: one
C++ header in standard types, a static library without solver, trainer or
parser of options, and the CMake package sinkproof with the target
sinkproof::check.")

if(SINKPROOF_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-sinkproof)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
  "sinkproof (= ${SINKPROOF_VERSION}), python3 (>= ${SINKPROOF_PYTHON_VERSION}~), python3 (<< ${SINKPROOF_PYTHON_NEXT}~), python3-numpy")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "certified bounds about attention sinks, from Python
What the program sinkproof does, for scripts and training loops: certify a
PyTorch state_dict or NumPy arrays for all inputs of a task, measure, weigh,
check and report, with plain dictionaries as results.")

# Debian's own rules for /usr/share/doc: a copyright file and a changelog in every package.
if(EXISTS /etc/debian_version)
  find_program(GZIP gzip REQUIRED)
  set(changelog ${CMAKE_BINARY_DIR}/changelog.gz)
  add_custom_command(OUTPUT ${changelog}
    COMMAND sh -c "'${GZIP}' -9n <'${SINKPROOF_ROOT}/packaging/changelog' >'${changelog}'"
    DEPENDS ${SINKPROOF_ROOT}/packaging/changelog VERBATIM)
  add_custom_target(changelog ALL DEPENDS ${changelog})
  foreach(component ${CPACK_COMPONENTS_ALL})
    string(TOUPPER ${component} upper)
    set(folder ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
    install(FILES packaging/copyright ${changelog} DESTINATION ${folder} COMPONENT ${component})
  endforeach()
endif()

# Everything that is installed: what packages and wheels build, so that neither keeps a list of its own.
add_custom_target(distribution)
foreach(part sinkproof sinkproof-check sinkproof-check-verified sinkproof_archive sinkproof_python manual changelog)
  if(TARGET ${part})
    add_dependencies(distribution ${part})
  endif()
endforeach()
include(CPack)
