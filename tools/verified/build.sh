#!/bin/sh
# Compiles proofs/checker, extracts the check and builds FOLDER/sinkproof-check-verified. Usage: build.sh FOLDER
set -eu
[ $# -eq 1 ] || { echo "Usage: build.sh FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
rm -rf theory checker
cp -r "$here/../../proofs/theory" "$here/../../proofs/checker" .
cp "$here"/*.ml .
flags="-R theory Sinkproof -R checker Verified"
needed=$(coqdep -sort $flags theory/definitions/*.v theory/trigger_task.v checker/specification/*.v checker/*.v)
for file in $needed; do coqc -q $flags "$file"; done
ocamlfind ocamlopt -package zarith -w +a-4-9-40..42-44-45-70 -c whole.ml
ocamlfind ocamlopt -package zarith -w -a -c checker.mli checker.ml
ocamlfind ocamlopt -package zarith,unix,sha -w +a-4-9-40..42-44-45-70 -linkpkg whole.cmx checker.cmx \
  json.ml files.ml tensors.ml model.ml inputs.ml trees.ml statements.ml ranges.ml certificate.ml main.ml -o sinkproof-check-verified
