#!/usr/bin/env bash
# The cost figures: instances of section 5 (d = 64) with every nuisance rank from 3 to 12 at margin 8, and
# margins 2 to 32 at rank 6; `sinkproof cost` certifies sink and diagonal for each, both checkers judge the
# certificates, `sinkproof report` draws them. Writes examples/costs/ and out/costs.html; --draw draws what
# is there.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=examples/costs
bin=build/bin

certify() {  # RANK MARGIN
  local name
  name=$(printf 'rank-%02d' "$1")
  "$bin/sinkproof" cost "$folder/$name.safetensors" --pattern sink-A --pattern diagonal --margin "$2" \
    --allow-dependent --gap 0.001 -o "$folder/$name-margin-$2.json"
}

if [ "${1:-}" != --draw ]; then
  mkdir -p "$folder"
  python3 scripts/cost_family.py "$folder"
  for rank in $(seq 3 12); do certify "$rank" 8; done
  for margin in 2 4 16 32; do certify 6 "$margin"; done
  "$bin/sinkproof-check" --claims proofs --quiet "$folder"/*.json
  python3 tools/recheck --claims proofs "$folder"/*.json
fi
mkdir -p out
"$bin/sinkproof" report "$folder"/*.json --claims proofs -o out/costs.html
