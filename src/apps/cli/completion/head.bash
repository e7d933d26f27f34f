# bash completion of sinkproof, written by `sinkproof manual`; do not edit.
_sinkproof_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
_sinkproof_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}
_sinkproof_claims() {
  local folder claim claims=""
  for folder in proofs /usr/share/sinkproof/proofs /usr/local/share/sinkproof/proofs; do
    [[ -d $folder ]] || continue
    for claim in "$folder"/*/claim.toml; do
      claim=${claim%/claim.toml}
      claims+=" ${claim##*/}"
    done
    break
  done
  _sinkproof_words "$claims"
}

