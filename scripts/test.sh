#!/usr/bin/env bash
# All tests: packages, build, ctest. LABEL (default: default) picks the label, see docs/TESTING.md: quick for
# every commit, full for the long proofs, sanitizers and soak runs. Prints the minutes of each label.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
scripts/build.sh
status=0
ctest --test-dir build --output-on-failure --no-tests=error -L "^(${LABEL:-default})\$" -j "$(nproc)" \
  --output-log build/tests.log || status=$?
awk '/ sec\*proc /{printf "%-12s %6.1f minutes %s %s\n", $1, $3 / 60, $5, $6}' build/tests.log
exit "$status"
