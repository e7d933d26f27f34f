#!/usr/bin/env bash
# The whole tree compiled by clang++ in build-clang/, warnings as errors, and the tests of base and checker in it.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset clang >&2
cmake --build build-clang >&2
ctest --test-dir build-clang -j "$(nproc)" --output-on-failure --no-tests=error -L '^quick$' \
  -R '^quick: (exact|rounded|file|json|text|npy|safetensors|certificate|forward|language|check|check_of_found)$'
