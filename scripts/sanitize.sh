#!/usr/bin/env bash
# AddressSanitizer and UndefinedBehaviorSanitizer in build-sanitize/. `short`: what reads files that
# strangers wrote (the checker and the formats); otherwise the whole tree, but for tests of the packages, which are of
# the release build, and of the second checker alone, which is Python (those beside the first one begin with "both").
# `thread`: ThreadSanitizer in build-thread/, over the tests of label default whose program starts threads in build/.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = thread ]; then
  cmake --preset release >&2
  cmake --build --preset release >&2
  cmake --preset thread >&2
  names=$(for program in build/bin/*; do
    # What std::thread, std::jthread and std::async call; whoever links them all starts no thread without it.
    [[ $(nm -D --undefined-only "$program" 2> /dev/null) == *_ZNSt6thread15_M_start_thread* ]] || continue
    # Benchmarks are not built there.
    ninja -C build-thread -t query "$(basename "$program")" &> /dev/null || continue
    basename "$program"
  done)
  echo "starts threads:" $names >&2
  [[ $names == *test_forward* && $names == *sinkproof* ]] || { echo "found too few programs" >&2; exit 2; }
  cmake --build build-thread --target $names sinkproof-check lies >&2
  rooms=$(sed -n 's/^test_//p' <<< "$names")
  SINKPROOF_SANITIZED=1 TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}" \
    ctest --test-dir build-thread -j "$(nproc)" --output-on-failure --no-tests=error -L '^default$' \
    -R "^($(tr '\n' '|' <<< "$rooms")cli): "
  exit
fi
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
