#!/usr/bin/env bash
# Runs the benchmark on a few small rows: it compares answers as it goes, and
# its tables have their rows.
#
#   bench_kernels_test.sh BENCH_KERNELS
set -euo pipefail

table="$("$1" --quick)"
[[ "${table}" != *MISMATCH* ]]
for expected in 'machine, 1 thread' 'read 1 MB, prefetch +[0-9.]+ GB/s' \
  '^1,768,768 +[0-9.]+ +[0-9.]+ ' '^linear, cold, 1 thread' \
  '^7x7 s2 3-64 @224 ' '^602 1-1 @16000 ' '^depthwise 3x3 144 @56 ' '^3x3 g32 128-128 @56 ' '^quantize 64 Ki ' \
  '^add_relu 64 Ki ' '^mul 32 @56 ' '^layer_norm 128 of 96 ' \
  '^max_pool 3x3 s2 8 @112 ' '^geometric mean +[0-9.]+' '^lowest +[0-9.]+' \
  '^mobilenet_v2 batch 1, 1 thread' '^(holds|FAILS) +1 thread +linear vs oneDNN'; do
  grep -qE "${expected}" <<<"${table}" || {
    echo "not in the table: ${expected}"
    echo "${table}"
    exit 1
  }
done

for isa in scalar avx2; do
  lines="$("$1" --quick --isa="${isa}" --only=linear --shapes=1,768,768)"
  [[ "${lines}" == "ours: ${isa};"* ]]
done
for flag in --only=nothing --isa=unknown --seconds=0 --threads=0; do
  if "$1" "${flag}" 2>/dev/null; then
    echo "${flag} is taken"
    exit 1
  fi
done
