# zsh completion of sinkproof, written by `sinkproof manual`; do not edit.
_sinkproof_claims() {
  local folder
  for folder in proofs /usr/share/sinkproof/proofs /usr/local/share/sinkproof/proofs; do
    [[ -d $folder ]] || continue
    compadd -- $folder/*/claim.toml(N:h:t)
    break
  done
}

