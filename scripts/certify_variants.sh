#!/usr/bin/env bash
# Certifies the trained layer of each kind of attention in examples/variants again and writes the
# certificates beside the models, where `sinkproof explain tc-8` and `sinkproof report` find them.
set -euo pipefail
cd "$(dirname "$0")/.."

for model in examples/variants/*.safetensors; do
  build/bin/sinkproof certify "$model" --quiet --claims proofs -o "${model%.safetensors}.json"
done
build/bin/sinkproof-check --claims proofs --models examples/variants examples/variants/*.json
