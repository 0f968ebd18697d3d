#!/usr/bin/python3
"""Prints what quantization costs networks of torchvision, by `ns quantize` and
by PyTorch.

  bazel build -c opt //tools:ns //:libns_ops.so
  tools/bench/accuracy.py [--networks=resnet18,mobilenet_v2] [--bin=DIR]

A row a network: the SQNR in dB of its output on images that calibration has not
seen, of what prepare_fx and convert_fx make with PyTorch's default mapping for
fbgemm, and of what `ns quantize` makes for each target; and by how much the
latter is better. Weights are random, with batch norms that have settled on the
images; so are the images. Bars: with the default target, never 0.3 dB below
PyTorch and better on average; for fbgemm-vnni, better by 2 dB on average.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile
from typing import List, Optional
import warnings

warnings.filterwarnings('ignore')

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True

# PyTorch 1.13's oneDNN writes beyond its buffers with AMX.
os.environ.setdefault('ONEDNN_MAX_CPU_ISA', 'AVX512_CORE_VNNI')
# It takes layers for each other whose scales have the same ratio.
os.environ.setdefault('LRU_CACHE_CAPACITY', '1')

import torch
from torch import nn
from torch.ao.quantization import get_default_qconfig_mapping
from torch.ao.quantization import quantize_fx
import torchvision

NETWORKS = ('resnet18', 'mobilenet_v2', 'mobilenet_v3_small',
            'shufflenet_v2_x1_0', 'efficientnet_b0')
TARGETS = ('fbgemm-avx2', 'fbgemm-vnni')
SEED = 20261125
SIZE, BATCH, CALIBRATION, HELD_OUT = 96, 8, 16, 4


def images(count: int) -> List[torch.Tensor]:
  return [torch.randn(BATCH, 3, SIZE, SIZE) for _ in range(count)]


def network(name: str) -> nn.Module:
  model = getattr(torchvision.models, name)(weights=None).train()
  for module in model.modules():
    if isinstance(module, (nn.Dropout, torchvision.ops.StochasticDepth)):
      module.p = 0.0
  with torch.no_grad():
    for batch in images(8):
      model(batch)
  return model.eval()


def by_pytorch(model: nn.Module,
               batches: List[torch.Tensor]) -> Optional[nn.Module]:
  """None where PyTorch cannot: torch.fx does not trace all code."""
  try:
    prepared = quantize_fx.prepare_fx(
        model, get_default_qconfig_mapping('fbgemm'), (batches[0],))
  except torch.fx.proxy.TraceError:
    return None
  with torch.no_grad():
    for batch in batches:
      prepared(batch)
  return quantize_fx.convert_fx(prepared)


def sqnr(model: nn.Module, quantized: nn.Module,
         batches: List[torch.Tensor]) -> float:
  signal = noise = 0.0
  with torch.no_grad():
    for batch in batches:
      x, y = model(batch).double(), quantized(batch).double()
      signal += float(x.square().sum())
      noise += float((x - y).square().sum())
  return 10 * float(torch.log10(torch.tensor(signal / noise)))


def measure(name: str, ns: str, folder: str) -> List[float]:
  """Of PyTorch's model (nan for none), then of one for each target."""
  torch.manual_seed(SEED)
  model = network(name)
  calibration, held_out = images(CALIBRATION), images(HELD_OUT)
  theirs = by_pytorch(model, calibration)
  figures = [sqnr(model, theirs, held_out) if theirs else math.nan]
  paths = {key: os.path.join(folder, key + '.pt')
           for key in ('float', 'inputs', 'out', 'lowered')}
  torch.jit.script(model).save(paths['float'])
  torch.save(calibration, paths['inputs'])
  for target in TARGETS:
    for command in (
        ('quantize', f'--float={paths["float"]}', f'--inputs={paths["inputs"]}',
         f'--out={paths["out"]}', f'--target={target}'),
        ('lower', f'--in={paths["out"]}', f'--out={paths["lowered"]}',
         f'--numerics={target}')):
      subprocess.run([ns, *command, '--quiet'], check=True)
    figures.append(sqnr(model, torch.jit.load(paths['lowered']), held_out))
  return figures


def main() -> None:
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
  parser.add_argument('--networks', default=','.join(NETWORKS), metavar='NAMES')
  parser.add_argument('--bin', default='bazel-bin', metavar='DIR')
  args = parser.parse_args()
  # FBGEMM is not in every PyTorch; oneDNN runs its models, too.
  torch.backends.quantized.engine = 'onednn'
  torch.ops.load_library(os.path.abspath(f'{args.bin}/libns_ops.so'))

  print(f'{"output SQNR, dB":20}  PyTorch' +
        ''.join(f'  {target:>20}' for target in TARGETS))
  gains = [[] for _ in TARGETS]
  with tempfile.TemporaryDirectory() as folder:
    for name in args.networks.split(','):
      theirs, *ours = measure(name, f'{args.bin}/tools/ns', folder)
      is_compared = not math.isnan(theirs)
      row = f'{name:20}  {theirs:7.1f}' if is_compared else f'{name:20}  cannot '
      for of_target, figure in zip(gains, ours):
        gain = ''
        if is_compared:
          of_target.append(figure - theirs)
          gain = f'({figure - theirs:+6.1f})'
        row += f'  {figure:10.1f} {gain:9}'
      print(row, flush=True)
  if gains[0]:
    means = ''.join(f'  {"":10} ({sum(g) / len(g):+6.1f})' for g in gains)
    print(f'{"mean":20}  {"":7}{means}')


if __name__ == '__main__':
  main()
