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
  pybind11-dev python3-dev python3-numpy python3-pip python3-venv python3-mypy
  coq libcoq-coquelicot libcoq-core-ocaml-dev ocaml-nox bubblewrap
  clang clang-tidy clang-format libclang-rt-dev
  ocaml-findlib libzarith-ocaml-dev libsha-ocaml-dev
  chromium chromium-driver
  openmpi-bin
)

# PDF of `report --figures`; everything else works without them.
optional=(librsvg2-bin)

missing_of() {
  local package status
  for package in "$@"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || echo "$package"
  done
}
mapfile -t missing < <(missing_of "${packages[@]}")
mapfile -t wanted < <(missing_of "${optional[@]}")
[ $((${#missing[@]} + ${#wanted[@]})) -gt 0 ] || exit 0

sudo=()
[ "$(id -u)" = 0 ] || sudo=(sudo)
install=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends)
echo "setup: installing ${missing[*]} ${wanted[*]}" >&2
"${sudo[@]}" apt-get update -q >&2
[ ${#missing[@]} = 0 ] || "${install[@]}" "${missing[@]}" >&2
for package in "${wanted[@]}"; do
  "${install[@]}" "$package" >&2 || echo "setup: $package is not installed; report --figures will write no PDF" >&2
done
