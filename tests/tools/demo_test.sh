#!/usr/bin/env bash
# The table of README.md, and the example program of ns/README.md.
#
#   demo_test.sh NS EXAMPLE FLOAT QUANTIZED IMAGES
set -euo pipefail

table="$("$1" compare --float="$3" --quantized="$4" --inputs="$5")"
for expected in 'layer2.downsample.0 *conv2d+batch_norm' 'add_relu@1' \
  '12 layers matched (aligned), 8 batches' 'lowest activation SQNR'; do
  grep -q "${expected}" <<<"${table}" || {
    echo "not in the table: ${expected}"
    echo "${table}"
    exit 1
  }
done
lines="$("$2" "$3" "$4" "$5")"
[[ "$(wc -l <<<"${lines}")" == 12 ]]
grep -qE '^fc +[0-9.]+ dB' <<<"${lines}"
