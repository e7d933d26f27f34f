#!/usr/bin/env bash
# Each file of src/ read without what a precompiled header lends it: does it include what it needs?
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset includes >&2
# Nothing is written, so these are out of date again the next time.
ninja -C build-includes -t targets all | grep -oE '^src/.*\.cpp\.o' | xargs ninja -C build-includes -k 0
