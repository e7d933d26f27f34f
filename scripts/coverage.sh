#!/usr/bin/env bash
# Lines of the checker's folders that its tests run, in build-coverage/: each folder, the total, and the ten files with
# the most lines that no test runs. scripts/coverage.sh FILE.cpp: the lines of that file that no test runs.
# The tests are those of the checker by itself (src/checker/CMakeLists.txt), the slow ones left
# out, and the false certificates of tests/reject.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build-coverage
if [ $# -eq 0 ]; then
  # The checker's child process ends by _exit, which keeps no counts.
  mkdir -p "$build"
  g++ -x c++ -c -o "$build/counted_exit.o" - << 'END'
extern "C" void __gcov_dump();
extern "C" void __real__exit(int);
extern "C" void __wrap__exit(int status) {
  __gcov_dump();
  __real__exit(status);
}
END
  cmake -S src/checker -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG='-O0 --coverage' \
    -DCMAKE_EXE_LINKER_FLAGS="--coverage -Wl,--wrap=_exit $PWD/$build/counted_exit.o" >&2
  cmake --build "$build" >&2
  find "$build" -name '*.gcda' -delete
  ctest --test-dir "$build" -L '^quick$' -j "$(nproc)" --output-on-failure --no-tests=error >&2
  ctest --test-dir "$build" -R '^reject' --output-on-failure --no-tests=error >&2
fi
exec python3 scripts/coverage.py "$build" "$@"
