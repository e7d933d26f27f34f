#!/usr/bin/env bash
# The main job, from nothing: packages, build, prove tc-1/5/6, train a softmax and a ReLU head, certify
# both for all inputs, check every certificate with both checkers, write report.html. Results in out/.
# Last it prints what the page says first, which is read from the certificates.
set -euo pipefail
cd "$(dirname "$0")/.."

steps=$(grep -c '^step ' "$0")
number=0
step() {
  number=$((number + 1))
  printf '== %d of %d, %d:%02d min: %s\n' "$number" "$steps" $((SECONDS / 60)) $((SECONDS % 60)) "$1"
}

step "packages, where they are missing"
scripts/setup.sh
step "build: most of the minutes"
scripts/build.sh sinkproof sinkproof-check sinkproof-check-verified

bin=build/bin
out=out
rm -rf "$out"
mkdir -p "$out/certificates"

step "prove: exact multipliers, Z3 with cvc5, Coq"
"$bin/sinkproof" prove tc-1 tc-5 tc-6 --certificates "$out/certificates"
for id in tc-1 tc-5 tc-6; do
  cmp "certificates/$id.json" "$out/certificates/$id.json" ||
    { echo "a regenerated certificate differs from the committed one" >&2; exit 5; }
done

step "train: softmax and ReLU, seed 0"
for attention in softmax relu; do
  "$bin/sinkproof" train --attention "$attention" --d-model 16 --length 16 --seed 0 \
    -o "$out/$attention.safetensors"
done

step "certify: all inputs, all rows, all trigger positions"
for attention in softmax relu; do
  "$bin/sinkproof" certify "$out/$attention.safetensors" -o "$out/certificates/$attention.json"
done

step "cost and measure: what a sink costs for given embeddings, and a head on given inputs"
cp examples/costs/rank-06.safetensors "$out/embeddings.safetensors"
"$bin/sinkproof" cost "$out/embeddings.safetensors" --allow-dependent --save-w "$out/map-" -o "$out/certificates/cost.json"
"$bin/sinkproof" measure "$out/softmax.safetensors" --random 2 --seed 0 --layer 0 --head 0 \
  --save-inputs "$out/rows.safetensors" -o "$out/certificates/head.json"

step "check: the trusted checker, the independent one, and the proved one, which names what it does not cover"
"$bin/sinkproof-check" --models "$out" --claims proofs --accept smt,coq "$out"/certificates/*.json
python3 tools/recheck --models "$out" --claims proofs --accept smt,coq "$out"/certificates/*.json
for attention in softmax relu; do  # exit 3: nothing is false, and some statements are not covered
  "$bin/sinkproof-check-verified" --models "$out" --claims proofs "$out/certificates/$attention.json" || [ $? = 3 ]
done

step "gate: what a small repository wants to hold"
"$bin/sinkproof" gate examples/gate/sinkproof.toml --output "$out/gate"

step "report: these, all committed claims, and a trained layer of each kind of attention"
"$bin/sinkproof" report "$out"/certificates/*.json certificates/tc-[234789].json certificates/[a-s]*.json \
  examples/variants/*.json examples/costs/*.json \
  --models "$out" --claims proofs --accept smt,coq -o "$out/report.html"
echo "open $out/report.html"
