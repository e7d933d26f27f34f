#!/usr/bin/env bash
# Release build into build/, programs in build/bin/. Arguments: targets to build (default: everything).
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release >&2
if [ $# -gt 0 ]; then
  cmake --build --preset release --target "$@" >&2
else
  cmake --build --preset release >&2
fi
