#!/bin/bash
#
# From a fresh clone to a first comparison. See --help.
set -euo pipefail

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

usage() {
  cat <<'USAGE'
usage: tools/quickstart.sh [FLAG...]

Installs what is missing, builds the command line tool, and compares the float
and the quantized demo model of tools/demo on test images of MNIST. More flags
go to `ns compare`, for example --sort=error or --json=demo.json; relative
paths among them start at the root of the repository.
USAGE
}

case "${1:-}" in
  -h | --help)
    usage
    exit 0
    ;;
esac

cd "${NS_ROOT}"
say "checking packages"
install_packages libraries torch bazel
say "building //tools:ns; the first time takes some minutes"
say "comparing tools/demo/float.pt with tools/demo/quantized.pt"
run_bazel run -c opt //tools:ns -- compare \
  --float=tools/demo/float.pt \
  --quantized=tools/demo/quantized.pt \
  --inputs=tools/demo/images.pt \
  "$@"
