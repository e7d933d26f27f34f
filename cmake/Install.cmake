# What is installed where. Components: `programs` (what a user runs and reads) and `development` (the
# trusted checker as a library, find_package(sinkproof)).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(share ${CMAKE_INSTALL_DATADIR}/sinkproof)
set(doc ${CMAKE_INSTALL_DATADIR}/doc/sinkproof)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/sinkproof)
set(zsh_folder site-functions)
if(EXISTS /etc/debian_version)
  set(zsh_folder vendor-completions)
endif()
set(SINKPROOF_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder} CACHE STRING "Folder of zsh completions")

install(TARGETS sinkproof sinkproof-check RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
# Coq's plugin, where the program looks for it: beside bin/, whatever the system's library folder is.
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/sinkproof/coq DESTINATION lib/sinkproof COMPONENT programs OPTIONAL)

# The second checker looks for proofs/ beside the folder it is in, so it lives with the data.
install(DIRECTORY tools/recheck DESTINATION ${share}/tools COMPONENT programs
  PATTERN __pycache__ EXCLUDE PATTERN __main__.py EXCLUDE)
install(PROGRAMS tools/recheck/__main__.py DESTINATION ${share}/tools/recheck COMPONENT programs)
file(RELATIVE_PATH recheck /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${share}/tools/recheck/__main__.py)
file(CREATE_LINK ${recheck} ${CMAKE_BINARY_DIR}/sinkproof-recheck SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/sinkproof-recheck DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)

# The theory as data, its certificates, and a trained layer of each kind of attention. Every file of
# proofs/ counts for some claim's hash, save what coqc leaves behind.
install(DIRECTORY proofs certificates DESTINATION ${share} COMPONENT programs
  REGEX "\\.(vo|vok|vos|glob|aux)$|\\.[ln]ia\\.cache$" EXCLUDE)
install(DIRECTORY examples/variants examples/gate examples/own-claim examples/cluster DESTINATION ${share}/examples COMPONENT programs
  REGEX "\\.(vo|vok|vos|glob|aux)$|\\.[ln]ia\\.cache$|/out$|/\\.gitignore$" EXCLUDE)

file(GLOB pages CONFIGURE_DEPENDS docs/*.md src/checker/certificate/*.md)
list(REMOVE_ITEM pages ${SINKPROOF_ROOT}/docs/README.md)  # README.md is the name of another
install(FILES README.md TRUST.md CHANGELOG.md CITATION.cff ${pages} DESTINATION ${doc} COMPONENT programs)
install(FILES LICENSE DESTINATION ${doc} COMPONENT programs)

install(DIRECTORY ${CMAKE_BINARY_DIR}/manual/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT programs)
set(completions ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
foreach(name sinkproof sinkproof-check sinkproof-check-verified sinkproof-recheck)  # bash loads the file named like the program
  install(FILES ${CMAKE_BINARY_DIR}/manual/sinkproof.bash DESTINATION ${completions} RENAME ${name}
    COMPONENT programs)
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/manual/_sinkproof DESTINATION ${SINKPROOF_ZSH_DIR} COMPONENT programs)
install(FILES ${CMAKE_BINARY_DIR}/manual/sinkproof.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT programs)

install(TARGETS sinkproof_archive EXPORT sinkproof
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES src/apps/embed/include/sinkproof/check.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sinkproof COMPONENT development)
install(EXPORT sinkproof NAMESPACE sinkproof:: FILE sinkproofTargets.cmake
  DESTINATION ${package} COMPONENT development)
configure_package_config_file(cmake/sinkproofConfig.cmake.in ${CMAKE_BINARY_DIR}/sinkproofConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS share)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sinkproofConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sinkproofConfig.cmake ${CMAKE_BINARY_DIR}/sinkproofConfigVersion.cmake
  DESTINATION ${package} COMPONENT development)
