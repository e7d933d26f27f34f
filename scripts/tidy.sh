#!/usr/bin/env bash
# clang-tidy over src/ (or the files given), warnings as errors.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset tidy >&2
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files 'src/*.cpp')
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy -p build-tidy --quiet --extra-arg=-Wno-unknown-warning-option --warnings-as-errors='*'
