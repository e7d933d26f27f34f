#!/usr/bin/env bash
# All tests: packages, build, ctest. LABEL (default: default) picks the label; LABEL=full adds the long
# proofs, sanitizers and soak runs. Prints the time of each label.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
scripts/build.sh
ctest --test-dir build --output-on-failure --no-tests=error -L "^(${LABEL:-default})\$" -j "$(nproc)"
