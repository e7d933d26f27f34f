#!/usr/bin/env bash
# Certifies the checkpoints of a folder on N processes of mpirun, on this machine or on several that
# share OUT. When a process was killed, the same command does what it left undone.
#
# usage: mpirun.sh N MODELS OUT [options of certify]
set -euo pipefail
processes=$1 models=$2 out=$3
shift 3
mpirun -n "$processes" sinkproof certify "$models" --journal "$out/journal" --jobs 1 "$@"
sinkproof merge "$out/journal" -o "$out/certificates"
