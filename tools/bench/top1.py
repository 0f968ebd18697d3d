#!/usr/bin/python3
"""Prints what quantization costs the networks of tools/networks in top-1.

  bazel build -c opt //tools:ns //:libns_ops.so
  tools/bench/top1.py [--networks=residual,vit] [--draws=N] [--ns=PATH]

For each network, the share of test images of Fashion-MNIST that is classified
right: in float; by what prepare_fx and convert_fx make with PyTorch's default
mappings for fbgemm and x86, run by oneDNN; and by what `ns quantize` makes for
each target, lowered with `ns lower --numerics` to compute as fbgemm does on a
server without VNNI (fbgemm-avx2), or with it (fbgemm-vnni). `drop` is in
points. `lost` and `won` are images that only the float model, or only the
other, has right; p is how likely a fair coin falls as unevenly for them: a drop
with a p above 0.05 may be chance.

Bars: the drop with the default target, which is fbgemm-avx2, on either server,
and none above that of PyTorch's defaults; there p is of the two quantized
models. With --draws, all is done with so many sets of calibration images, none
of which is in two sets, and bars are on mean drops: which few images one set
costs is chance. Exits with 1 when a bar fails.
"""

import argparse
import math
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
from typing import Dict, List, NamedTuple, Optional, Tuple
import warnings

warnings.filterwarnings('ignore')

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
sys.path.insert(1, os.path.join(ROOT, 'networks'))

# PyTorch 1.13's oneDNN writes beyond its buffers with AMX.
os.environ.setdefault('ONEDNN_MAX_CPU_ISA', 'AVX512_CORE_VNNI')

import torch
from torch import nn
from torch.ao.quantization import get_default_qconfig_mapping
from torch.ao.quantization import quantize_fx

from make_networks import DATA, calibration_batches, read_split
from networks import NETWORKS

MOST_POINTS = {'residual': 0.1, 'mobile_v2': 0.5, 'mobile_v3': 0.9, 'vit': 0.5}
PYTORCH = ('fbgemm', 'x86')
AVX2, VNNI = 'fbgemm-avx2', 'fbgemm-vnni'
BATCH = 100


class Row(NamedTuple):
  """A way to quantize a network and to run what that gives."""
  by: str
  run: str


OURS = tuple(Row(f'ns, {target}', run)
             for target in (AVX2, VNNI) for run in (AVX2, VNNI))
DEFAULT = OURS[:2]


def classes(path: str, ops: str, images: torch.Tensor) -> List[int]:
  """The class that a saved model gives each image."""
  torch.backends.quantized.engine = 'onednn'
  torch.set_num_threads(1)
  if ops:
    torch.ops.load_library(ops)
  model = torch.jit.load(path)
  with torch.no_grad():
    return torch.cat([model(x).argmax(1) for x in images.split(BATCH)]).tolist()


def in_new_process(*arguments) -> List[int]:
  """oneDNN keeps what it made for a layer, and gives it to another one whose
  scales have the same ratio: two models would disturb each other."""
  with multiprocessing.get_context('spawn').Pool(1) as pool:
    return pool.apply(classes, arguments)


def by_pytorch(network: nn.Module, backend: str, batches: List[torch.Tensor],
               path: str) -> bool:
  """Saves what PyTorch makes; False where torch.fx cannot trace the code."""
  try:
    prepared = quantize_fx.prepare_fx(
        network, get_default_qconfig_mapping(backend), (batches[0],))
  except torch.fx.proxy.TraceError:
    return False
  with torch.no_grad():
    for batch in batches:
      prepared(batch)
  torch.jit.script(quantize_fx.convert_fx(prepared)).save(path)
  return True


class Measurement:
  """The classes that one network gives, by row."""

  def __init__(self, args: argparse.Namespace, folder: str, name: str,
               images: torch.Tensor, labels: torch.Tensor) -> None:
    self.args, self.folder, self.images = args, folder, images
    self.labels = labels.tolist()
    self.float_path = os.path.join(args.models, name + '.pt')
    self.network = NETWORKS[name]().eval()
    self.network.load_state_dict(torch.jit.load(self.float_path).state_dict())
    self.right: Dict[Row, Optional[List[bool]]] = {}

  def path(self, name: str) -> str:
    return os.path.join(self.folder, name + '.pt')

  def record(self, row: Row, path: str, ops: str = '') -> None:
    guesses = in_new_process(path, ops, self.images)
    self.right[row] = [a == b for a, b in zip(guesses, self.labels)]

  def run(self, calibration: List[torch.Tensor]) -> None:
    self.record(Row('float', ''), self.float_path)
    for backend in PYTORCH:
      row = Row(f'PyTorch, {backend}', 'onednn')
      if by_pytorch(self.network, backend, calibration, self.path('theirs')):
        self.record(row, self.path('theirs'))
      else:
        self.right[row] = None
    torch.save(calibration, self.path('calibration'))
    for target in (AVX2, VNNI):
      self.ns('quantize', f'--float={self.float_path}', f'--target={target}',
              f'--inputs={self.path("calibration")}',
              f'--out={self.path("quantized")}')
      for run in (AVX2, VNNI):
        self.ns('lower', f'--in={self.path("quantized")}', f'--numerics={run}',
                f'--out={self.path("lowered")}')
        self.record(Row(f'ns, {target}', run), self.path('lowered'),
                    os.path.abspath(self.args.ops))

  def ns(self, *flags: str) -> None:
    subprocess.run([self.args.ns, *flags, '--quiet'], check=True)

  def drop(self, row: Row) -> float:
    """In points; nan for a model that PyTorch cannot make."""
    right = self.right[row]
    if right is None:
      return math.nan
    float_right = sum(self.right[Row('float', '')])
    return 100 * (float_right - sum(right)) / len(right)


def fallen_and_risen(a: List[bool], b: List[bool]) -> Tuple[int, int]:
  """How many images only `a` has right, and how many only `b` has."""
  return (sum(x and not y for x, y in zip(a, b)),
          sum(y and not x for x, y in zip(a, b)))


def coin_p(lost: int, won: int) -> float:
  """The exact two-sided binomial test of McNemar."""
  count = lost + won
  tail = sum(math.comb(count, k) for k in range(min(lost, won) + 1))
  return min(1.0, 2 * tail / 2**count)


def print_rows(name: str, measured: Measurement) -> None:
  float_right = measured.right[Row('float', '')]
  for row, right in measured.right.items():
    line = f'{name:10} {row.by:16} {row.run:12}'
    if right is None:
      print(line + ' cannot', flush=True)
      continue
    line += f'{100 * sum(right) / len(right):6.2f}'
    if row.by != 'float':
      lost, won = fallen_and_risen(float_right, right)
      line += (f' {measured.drop(row):6.2f} {lost:5} {won:5} '
               f'{coin_p(lost, won):8.2g}')
    print(line, flush=True)


def compared(draws: List[Measurement], a: Row, b: Row) -> str:
  """How sure it is that two quantized models differ."""
  if len(draws) == 1:
    right = draws[0].right
    return f' (p {coin_p(*fallen_and_risen(right[a], right[b])):.2g})'
  differences = [draw.drop(b) - draw.drop(a) for draw in draws]
  error = statistics.stdev(differences) / math.sqrt(len(draws))
  return (f' (differs by {statistics.mean(differences):+.3f}, standard error '
          f'{error:.3f})')


def print_bars(name: str, draws: List[Measurement]) -> bool:
  """Whether all bars of a network hold."""
  all_hold = True
  def drop(row: Row) -> float:
    return statistics.mean(draw.drop(row) for draw in draws)

  def print_bar(row: Row, most: float, of: str, note: str = '') -> None:
    nonlocal all_hold
    # Drops are whole images, but for rounding.
    holds = drop(row) < most + 1e-6
    all_hold &= holds
    print(f'{name:10} default target as {row.run}: {drop(row):.3f} '
          f'points, at most {most:.3f}{of}: {"holds" if holds else "FAILS"}'
          f'{note}')

  theirs = [row for row, right in draws[0].right.items()
            if row.by.startswith('PyTorch') and right]
  for row in DEFAULT:
    print_bar(row, MOST_POINTS[name], '')
    for their_row in theirs:
      print_bar(row, drop(their_row), f' of {their_row.by}',
                compared(draws, their_row, row))
  more = drop(Row(f'ns, {VNNI}', AVX2)) - drop(Row(f'ns, {VNNI}', VNNI))
  print(f'{name:10} --target={VNNI} as {AVX2}: loses {more:.2f} points more '
        f'than as {VNNI}')
  return all_hold


def main() -> int:
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
  parser.add_argument('--networks', default=','.join(NETWORKS), metavar='NAMES')
  parser.add_argument('--images', type=int, default=10000, metavar='N',
                      help='how many of the 10,000 test images')
  parser.add_argument('--draws', type=int, default=1, metavar='N',
                      help='how many sets of calibration images; default: 1')
  parser.add_argument('--models', default=os.path.join(ROOT, 'networks'),
                      metavar='DIR')
  parser.add_argument('--data', default=DATA, metavar='DIR')
  parser.add_argument('--ns', default='bazel-bin/tools/ns', metavar='PATH')
  parser.add_argument('--ops', default='bazel-bin/libns_ops.so', metavar='PATH')
  args = parser.parse_args()
  # FBGEMM is not in every PyTorch; oneDNN runs its models, too.
  torch.backends.quantized.engine = 'onednn'

  training_images = read_split(args.data, 'train')[0]
  images, labels = (x[:args.images] for x in read_split(args.data, 't10k'))
  print(f'{"network":10} {"quantized by":16} {"run as":12} top-1   drop  lost'
        '   won        p')
  results: Dict[str, List[Measurement]] = {}
  with tempfile.TemporaryDirectory() as folder:
    for name in args.networks.split(','):
      results[name] = []
      for draw in range(args.draws):
        measured = Measurement(args, folder, name, images, labels)
        measured.run(calibration_batches(training_images, draw))
        print_rows(name, measured)
        results[name].append(measured)
  holds = [print_bars(name, draws) for name, draws in results.items()]
  return 0 if all(holds) else 1


if __name__ == '__main__':
  sys.exit(main())
