#!/usr/bin/env bash
# Builds the Debian packages sinkproof, sinkproof-dev and python3-sinkproof into out/packages/.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
scripts/build.sh distribution
mkdir -p out/packages
cpack --config build/CPackConfig.cmake -G DEB -B out/packages >&2
rm -rf out/packages/_CPack_Packages
ls out/packages/*.deb
