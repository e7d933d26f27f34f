# What all but the checker needs besides (CheckerDependencies.cmake): Debian 12 packages; Z3 ships no CMake config.
find_package(tomlplusplus REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(hwy REQUIRED)
pkg_check_modules(Z3 REQUIRED IMPORTED_TARGET z3)
# By its own name: what libblas.so stands for is the machine's choice, and may be the slow reference.
pkg_check_modules(OpenBLAS REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
