#!/usr/bin/env bash
# Trains one checkpoint for each variant of docs/THEORY.md, tc-8, at d_model 8 with length 8 (NAME.safetensors:
# those of examples/variants) and at d_model 16 with length 16 (NAME-d16-l16.safetensors), then prints
# what they do on random sequences.
#
#     scripts/train_variants.sh FOLDER
#
# Runs go on to their last step, most with a small learning rate and weight decay: both shrink the entries of
# W_Q^T W_K that couple noise, on which certified bounds depend. SINKPROOF names the program (build/bin/sinkproof).
set -euo pipefail
here="$(cd "$(dirname "$0")/.." && pwd)"
[ $# = 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
program="${SINKPROOF:-$here/build/bin/sinkproof}"
mkdir -p "$1"

# train NAME OPTIONS...: both sizes.
train() {
  local name="$1"
  shift
  "$program" train "$@" --d-model 8 --length 8 --steps 30000 --stop-linf 0 -o "$folder/$name.safetensors"
  "$program" train "$@" --d-model 16 --length 16 --steps 30000 --stop-linf 0 -o "$folder/$name-d16-l16.safetensors"
  names+=("$folder/$name.safetensors" "$folder/$name-d16-l16.safetensors")
}

folder="$1"
names=()
for kind in softmax relu sigmoid-normalised elu1-normalised softmax-gated sigmoid elu1 linear; do
  train "$kind" --attention "$kind" --lr 2e-4 --weight-decay 0.3
done
# Logits grow to hold the null slot back: strong decay would cap them.
train softmax-null --attention softmax-null --lr 2e-4 --weight-decay 0.03
train softmax-sink --attention softmax-sink --lr 2e-4 --weight-decay 0.03
# With biases and a large learning rate the null slot takes the sink's place; with small ones they share.
train softmax-null-bias --attention softmax-null --bias --lr 5e-3 --weight-decay 0.1 --seed 1
train softmax-bias --attention softmax --bias --lr 2e-4 --weight-decay 0.3
# Two heads let couplings of opposite signs cancel: seed 5 has the smallest of seeds 0, 3, 4 and 5.
train softmax-heads2 --attention softmax --heads 2 --lr 2e-4 --weight-decay 0.1 --seed 5
python3 "$here/scripts/variant_figures.py" "${names[@]}"
