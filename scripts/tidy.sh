#!/usr/bin/env bash
# clang-tidy over src/ (or what the files given are compiled with), warnings as errors. Files of a folder are read
# together: most of the time goes into the headers.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset tidy >&2
mapfile -t units < <(find build-tidy/src -name 'unity_*_cxx.cxx' | sort)
alone() { grep -oE '"file": "[^"]*/src/[^"]*\.cpp"' build-tidy/compile_commands.json | cut -d'"' -f4; }
if [ $# -gt 0 ]; then
  wanted=$(realpath "$@")
  mapfile -t units < <(grep -lFf - "${units[@]}" <<<"$wanted" || true; alone | grep -xFf <(echo "$wanted") || true)
  [ ${#units[@]} -gt 0 ] || { echo "nothing in src/ is compiled from $*" >&2; exit 2; }
else
  mapfile -t -O "${#units[@]}" units < <(alone)
fi
printf '%s\n' "${units[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy -p build-tidy --quiet --warnings-as-errors='*' \
  --checks=-bugprone-suspicious-include --extra-arg=-Wno-shadow \
  --extra-arg=-Wno-unused-command-line-argument --extra-arg=-Wno-unknown-warning-option
