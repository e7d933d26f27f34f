#!/usr/bin/env bash
# Release build into build/, programs in build/bin/. Extra arguments go to the CMake configure step.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release "$@" >&2
cmake --build --preset release >&2
