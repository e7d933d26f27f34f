#!/usr/bin/env bash
# One task of a Slurm job array that certifies the checkpoints of a folder:
#
#   sbatch --array=1-8 slurm.sh MODELS OUT [options of certify]
#   sinkproof merge OUT/journal -o OUT/certificates        # when all have ended
#
# The work of a task that fails is done by the others. Within a task, put `srun` before sinkproof
# and its processes share the work, too.
#SBATCH --job-name=sinkproof
#SBATCH --cpus-per-task=4
set -euo pipefail
models=$1 out=$2
shift 2
sinkproof certify "$models" --journal "$out/journal" --jobs "${SLURM_CPUS_PER_TASK:-1}" "$@"
