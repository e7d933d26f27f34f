#!/usr/bin/env bash
# clang-tidy over src/ (or the files given), warnings as errors.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset tidy >&2
mapfile -t files < <(grep -oE '"file": "[^"]*/src/[^"]*\.cpp"' build-tidy/compile_commands.json | cut -d'"' -f4)
if [ $# -gt 0 ]; then
  mapfile -t files < <(printf '%s\n' "${files[@]}" | grep -xFf <(realpath "$@") || true)
  [ ${#files[@]} -gt 0 ] || { echo "nothing in src/ is compiled from $*" >&2; exit 2; }
fi
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy -p build-tidy --quiet --warnings-as-errors='*' \
  --checks=-bugprone-suspicious-include --extra-arg=-Wno-shadow \
  --extra-arg=-Wno-unused-command-line-argument --extra-arg=-Wno-unknown-warning-option
