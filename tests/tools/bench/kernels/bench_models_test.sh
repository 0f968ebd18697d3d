#!/usr/bin/env bash
# A model and what `ns lower` makes of it: answers that agree, and a line for
# each number of threads.
#
#   bench_models_test.sh NS BENCH_MODELS QUANTIZED IMAGES FLOAT
set -euo pipefail

ns="$1"
bench="$2"
quantized="$3"
images="$4"
float="$5"
lowered="${TEST_TMPDIR}/lowered.pt"
"${ns}" lower --in="${quantized}" --out="${lowered}" --quiet

run() {
  "${bench}" --quantized="${quantized}" --lowered="${lowered}" \
    --seconds=0.01 --rounds=2 "$@"
}

text="$(run --inputs="${images}" --threads=1,2)"
for expected in '^output 0: .*(equal values|SQNR [3-9][0-9])' \
  '^1 thread +quantized [0-9.]+ ms  lowered [0-9.]+ ms  ratio [0-9.]+$' \
  '^2 threads +quantized [0-9.]+ ms  lowered [0-9.]+ ms  ratio [0-9.]+$'; do
  grep -qE "${expected}" <<<"${text}" || {
    echo "not in the output: ${expected}"
    echo "${text}"
    exit 1
  }
done
run --input=1,1,28,28 --engine=onednn | grep -q '^1 thread '
run --inputs="${images}" --float="${float}" |
  grep -qE 'ratio [0-9.]+  float [0-9.]+ ms  ratio [0-9.]+$'

for flags in --input=1,x --input=0 --engine=none --inputs=missing.pt; do
  if run "${flags}" >/dev/null 2>&1; then
    echo "${flags} is taken"
    exit 1
  fi
done
for flags in --threads=0 --rounds=0 --float=missing.pt; do
  if run --inputs="${images}" "${flags}" >/dev/null 2>&1; then
    echo "${flags} is taken"
    exit 1
  fi
done
