#!/usr/bin/env bash
# Certifies the checkpoints of a folder by N jobs of GNU parallel. To spread them over machines that
# share OUT, set PARALLEL, such as PARALLEL='--sshlogin a,b --wd .'.
#
# usage: parallel.sh N MODELS OUT [options of certify]
set -euo pipefail
jobs=$1 models=$2 out=$3
shift 3
seq "$jobs" | parallel -N0 --env PARALLEL_SEQ -j "$jobs" sinkproof certify "$models" \
  --journal "$out/journal" --shard "env/$jobs" --jobs 1 "$@"
sinkproof merge "$out/journal" -o "$out/certificates"
