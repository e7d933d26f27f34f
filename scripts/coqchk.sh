#!/usr/bin/env bash
# Compiles proofs/ in a folder of its own and has coqchk, Coq's independent checker, go over what was compiled: the theory,
# then each claim (arguments: the claims; all if none). Fails unless every axiom is one of the four that FORMAT.md, 3.6, allows.
set -euo pipefail
cd "$(dirname "$0")/../proofs"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r theory "$scratch/theory"
claims=("$@")
if [ ${#claims[@]} -eq 0 ]; then
  for file in */statement.v */*_statement.v; do claims+=("${file%%/*}"); done
  mapfile -t claims < <(printf '%s\n' "${claims[@]}" | sort -u)
fi
cd "$scratch"
export OCAMLRUNPARAM=s=1M,o=1000  # as prove has it (src/search/prove/coq_program.cpp)
theory=(-R theory Sinkproof)
for file in $(coqdep -sort "${theory[@]}" theory/definitions/*.v theory/*.v); do coqc -q "${theory[@]}" "$file" > /dev/null; done
for claim in "${claims[@]}"; do
  cp -r "$OLDPWD/$claim" .
  flags=("${theory[@]}" -Q "$claim" Claim)
  for file in $(coqdep -sort "${flags[@]}" "$claim"/*.v); do coqc -q "${flags[@]}" "$file" > "$claim.log" 2>&1 || { cat "$claim.log"; exit 1; }; done
  coqchk -silent -o "${flags[@]}" $(cd "$claim" && printf 'Claim.%s ' $(basename -s .v ./*.v)) > "$claim.out" 2>&1 || { cat "$claim.out"; exit 1; }
  python3 - "$claim" "$claim.out" <<'PYTHON'
import re, sys
claim, path = sys.argv[1:]
text = open(path).read()
sections = dict(re.findall(r"^\* ([^:\n]*):(.*?)(?=^\* |\Z)", text, re.M | re.S))
allowed = {"Coq.Reals.ClassicalDedekindReals.sig_forall_dec", "Coq.Reals.ClassicalDedekindReals.sig_not_dec",
           "Coq.Logic.Classical_Prop.classic", "Coq.Logic.FunctionalExtensionality.functional_extensionality_dep"}
axioms = set(sections["Axioms"].split()) - {"<none>"}
print(f"{claim}: coqchk accepts it; axioms: {', '.join(sorted(name.split('.')[-1] for name in axioms)) or 'none'}")
other = [name for name, body in sections.items() if name != "Axioms" and "relying on" in name and body.strip() != "<none>"]
if axioms - allowed or other:
    sys.exit(f"{claim}: not allowed: {sorted(axioms - allowed)} {other}\n{text}")
PYTHON
done
