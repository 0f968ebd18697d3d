#!/usr/bin/python3
"""Prints how fast the observer `mse` is beside PyTorch's HistogramObserver, in
one thread and one process.

  bazel build -c opt //:libns_ops.so
  tools/bench/observers.py [--bin=DIR]

A row a size of tensor: 16 batches that differ, as in a calibration, of normally
distributed values without those below zero. PyTorch's observer then merges
histograms of other ranges, which it does not when it sees one tensor again and
again (bench_observers times the ops inside it alone). Columns: 10^9 elements a
second of both, and how many times as fast `mse` is; last the geometric mean.
"""

import argparse
import math
import os
import sys
import time
from typing import Any, Callable, List
import warnings

warnings.filterwarnings('ignore')

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True

import torch
from torch.ao.quantization.observer import HistogramObserver

BATCHES, ROUNDS, SEED = 16, 5, 20261127
SIZES = [1 << shift for shift in (14, 16, 18, 20, 22)]


def rate(make: Callable[[], Any], batches: List[torch.Tensor]) -> float:
  """The best of several rounds, each with an observer that has seen nothing."""
  best = math.inf
  for _ in range(ROUNDS):
    observer = make()
    start = time.perf_counter()
    for batch in batches:
      observer.forward(batch)
    best = min(best, time.perf_counter() - start)
  return sum(batch.numel() for batch in batches) / best * 1e-9


def main() -> None:
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
  parser.add_argument('--bin', default='bazel-bin', metavar='DIR')
  args = parser.parse_args()
  torch.ops.load_library(os.path.abspath(f'{args.bin}/libns_ops.so'))
  torch.set_num_threads(1)
  torch.manual_seed(SEED)

  print(f'{"elements":>10}  {"PyTorch":>8}  {"mse":>8}  {"times":>6}')
  ratios = []
  for size in SIZES:
    batches = [torch.randn(64, size // 64).relu() for _ in range(BATCHES)]
    theirs = rate(lambda: HistogramObserver(reduce_range=True), batches)
    ours = rate(lambda: torch.classes.ns.Observer({'kind': 'mse'}), batches)
    ratios.append(ours / theirs)
    print(f'{size:10}  {theirs:8.3f}  {ours:8.3f}  {ratios[-1]:6.1f}',
          flush=True)
  mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
  print(f'{"mean":>10}  {"":8}  {"":8}  {mean:6.1f}')


if __name__ == '__main__':
  main()
