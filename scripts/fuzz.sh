#!/usr/bin/env bash
# Fuzzes the readers of files that strangers wrote (tests/fuzz): scripts/fuzz.sh SECONDS [TARGET...]. Seconds are of
# each target, 0 for none (then each input is read once); without targets, all. What crashes, hangs or takes too much
# memory is left in build-fuzz/found/TARGET, and new inputs in build-fuzz/corpus/TARGET.
# SEED=N chooses the mutants, 0 others each time; the default is 1.
# `keep` in place of SECONDS makes tests/fuzz/corpus anew: inputs that reach what the seeds do not, the
# smallest first up to 28 kB for each target, and those with a name.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: scripts/fuzz.sh SECONDS|keep [TARGET...]}
shift
targets=("$@")
[ $# -gt 0 ] || targets=($(cd tests/fuzz/corpus && echo *))
cmake --preset fuzz >&2
cmake --build build-fuzz --target "${targets[@]/#/fuzz_}" >&2
build=$PWD/build-fuzz
mkdir -p "$build/seeds"
/usr/bin/python3 tests/fuzz/seeds.py "$build/seeds"
export TMPDIR=$build/scratch  # a target that crashes leaves its folder here
rm -rf "$TMPDIR"
mkdir "$TMPDIR"
export UBSAN_OPTIONS=print_stacktrace=1 SECONDS_EACH=$seconds BUILD=$build

if [ "$seconds" = keep ]; then
  budget=28000  # bytes of each target
  for target in "${targets[@]}"; do
    kept=tests/fuzz/corpus/$target
    new=$build/kept/$target
    rm -rf "$new"
    mkdir -p "$new" "$build/corpus/$target"
    cp "$build/seeds/$target"/* "$new"
    "$build/bin/fuzz_$target" -merge=1 -max_len=8192 -timeout=30 "$new" "$kept" "$build/corpus/$target" > "$new.log" 2>&1
    find "$kept" -type f -regextype egrep -regex '.*/[0-9a-f]{40}' -delete
    find "$new" -type f -regextype egrep -regex '.*/[0-9a-f]{40}' -printf '%s %p\n' | sort -n |
      awk -v left="$budget" '{left -= $1} left >= 0 {print $2}' | xargs -r cp -t "$kept"
  done
  du -sb tests/fuzz/corpus/*
  exit
fi

one() {
  target=$1
  mkdir -p "$BUILD/corpus/$target" "$BUILD/found/$target"
  log=$BUILD/found/$target.log
  runs=()
  [ "$SECONDS_EACH" != 0 ] || runs=(-runs=0)
  if "$BUILD/bin/fuzz_$target" -max_total_time="$SECONDS_EACH" "${runs[@]}" -seed="${SEED:-1}" -timeout=30 \
    -rss_limit_mb=2500 -max_len=8192 -artifact_prefix="$BUILD/found/$target/" -print_final_stats=1 \
    "$BUILD/corpus/$target" "tests/fuzz/corpus/$target" "$BUILD/seeds/$target" > "$log" 2>&1; then
    awk -v target="$target" '/ cov: /{last = $0} /stat::number_of_executed_units/{runs = $2}
      END {sub(/.* cov:/, "cov:", last); print target ": " runs " inputs, " last}' "$log"
  else
    tail -60 "$log"
    echo "fuzz_$target found something; its input is in $BUILD/found/$target. Once it is mended, keep the input under" \
      "a name of its own in tests/fuzz/corpus/$target"
    return 1
  fi
}
export -f one
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'one {}'
