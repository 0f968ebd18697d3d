#!/usr/bin/env bash
# What training wins back for the demo of tools/demo/README.md.
#
#   qat_demo_test.sh NS FLOAT MAKE_QAT_DEMO MAKE_DEMO
set -euo pipefail

work="$(mktemp -d "${TEST_TMPDIR:-/tmp}/demo.XXXXXX")"
trap 'rm -rf "${work}"' EXIT
# The scripts import each other.
cp "$3" "$4" "${work}"
make() { /usr/bin/python3 -B "${work}/make_qat_demo.py" --out="${work}" "$@"; }
# The share of the test images, in hundredths of a per cent.
measure() { make --measure="$1" | sed -E 's/.*: ([0-9]+)\.([0-9]+)%.*/\1\2/'; }

make
flags=(--float="$2" --inputs="${work}/images.pt" --backend=qnnpack --quiet)
"$1" quantize "${flags[@]}" --out="${work}/calibrated.pt"
"$1" quantize "${flags[@]}" --mode=qat --labels="${work}/labels.pt" \
  --lr=1e-3 --out="${work}/trained.pt"
float="$(measure "$2")"
calibrated="$(measure "${work}/calibrated.pt")"
trained="$(measure "${work}/trained.pt")"
echo "float ${float}, calibrated ${calibrated}, trained ${trained} of 10000"
((calibrated < float - 200)) || { echo "calibration lost too little"; exit 1; }
((trained > float - 50)) || { echo "training won too little"; exit 1; }
