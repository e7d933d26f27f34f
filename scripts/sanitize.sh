#!/usr/bin/env bash
# AddressSanitizer and UndefinedBehaviorSanitizer in build-sanitize/. `short`: what reads files that
# strangers wrote (the checker and the formats); otherwise the whole tree, but for tests of the packages, which are of
# the release build, and of the second checker alone, which is Python (those beside the first one begin with "both").
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset sanitize >&2
if [ "${1:-}" = short ]; then
  targets=()
  for folder in json file npy safetensors certificate language check tokenizer; do
    [ ! -f "tests/$folder/CMakeLists.txt" ] || targets+=("test_$folder")
  done
  cmake --build build-sanitize --target "${targets[@]}" sinkproof-check >&2
  printf 'build-sanitize/bin/%s\n' "${targets[@]}" | xargs -P "$(nproc)" -n 1 sh -c '"$0" "~[slow]~[figures]"'
  python3 tests/reject/lies_test.py build-sanitize/bin
else
  cmake --build build-sanitize >&2
  SINKPROOF_SANITIZED=1 ctest --test-dir build-sanitize -j "$(nproc)" --output-on-failure --no-tests=error -L '^default$' -E '^(lint|package|sanitize|recheck: [^b])'
fi
