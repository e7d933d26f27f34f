#!/usr/bin/env bash
# Installs what sinkproof needs on Debian 12, and only what is missing. Run as root (or with sudo).
set -euo pipefail

packages=(
  g++ cmake ninja-build git ca-certificates pkg-config python3 python3-yaml gzip dpkg-dev file
  libboost-dev libgmp-dev libmpfr-dev libexpected-dev
  libz3-dev cvc5 libhwy-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libfmt-dev libssl-dev
  libeigen3-dev libopenblas-dev catch2 libbenchmark-dev
  libpcre2-dev libutf8proc-dev
  libonig5 python3-sentencepiece
  pybind11-dev python3-dev python3-numpy
  coq libcoq-coquelicot libcoq-core-ocaml-dev ocaml-nox bubblewrap
  clang clang-tidy clang-format libclang-rt-dev
  chromium chromium-driver
  openmpi-bin
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

sudo=()
[ "$(id -u)" = 0 ] || sudo=(sudo)
echo "setup: installing ${missing[*]}" >&2
"${sudo[@]}" apt-get update -q >&2
DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -q -y --no-install-recommends "${missing[@]}" >&2
