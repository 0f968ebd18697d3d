#!/usr/bin/env bash
# The table of README.md, the example program of ns/README.md, and the score of
# tools/docs/task.md.
#
#   demo_test.sh NS EXAMPLE FLOAT QUANTIZED IMAGES LABELS SCORE
set -euo pipefail

table="$("$1" compare --float="$3" --quantized="$4" --inputs="$5")"
for expected in 'layer2.downsample.0 *conv2d+batch_norm' 'add_relu@1' \
  '12 layers matched (aligned), 8 batches' 'lowest activation SQNR' \
  'agreement of classes    top-1 99\.'; do
  grep -q "${expected}" <<<"${table}" || {
    echo "not in the table: ${expected}"
    echo "${table}"
    exit 1
  }
done
lines="$("$2" "$3" "$4" "$5")"
[[ "$(wc -l <<<"${lines}")" == 12 ]]
grep -qE '^fc +[0-9.]+ dB' <<<"${lines}"

scores="$("$1" compare --float="$3" --quantized="$4" --inputs="$5" \
  --labels="$6" --score="top1=$7" --max-score-drop=0.01 --samples=worst:64)"
grep -qE '^score top1  float 0\.9[0-9]+  quantized 0\.9' <<<"${scores}"
grep -qE '^samples compared  .* and 54 more of 256 \(worst:64\)' <<<"${scores}"
grep -q '^1 limit kept' <<<"${scores}"
