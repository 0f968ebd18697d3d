#!/usr/bin/python3
"""Prints what quantization costs the networks of tools/networks in dB.

  bazel build -c opt //tools:ns
  tools/bench/trained_accuracy.py [--backends=fbgemm,qnnpack] [--bin=DIR]

A row a backend and network: the SQNR in dB of the output on test images of
Fashion-MNIST, which calibration has not seen, of what prepare_fx and convert_fx
make with PyTorch's default mapping for the backend, and of what `ns quantize`
makes with its defaults. Models for fbgemm are run by oneDNN, as FBGEMM is not in
every PyTorch; sums of neither saturate, since activations have 7 bits. Bars:
never 0.3 dB below PyTorch, and better on average. Exits with 1 when one fails.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from typing import List

# Sets up the environment of PyTorch and the paths of what follows.
import top1

import torch

from make_networks import DATA, calibration_batches, read_split
from networks import NETWORKS

ENGINES = {'fbgemm': 'onednn', 'qnnpack': 'qnnpack'}
MOST_BELOW = 0.3


def outputs(path: str, images: torch.Tensor) -> torch.Tensor:
  model = torch.jit.load(path)
  with torch.no_grad():
    return torch.cat([model(batch) for batch in images.split(top1.BATCH)])


def sqnr(x: torch.Tensor, y: torch.Tensor) -> float:
  x, y = x.double(), y.double()
  return float(20 * torch.log10(x.norm() / (x - y).norm()))


def gains(backend: str, ns: str, folder: str, calibration: List[torch.Tensor],
          images: torch.Tensor) -> List[float]:
  """By how many dB `ns quantize` loses less than PyTorch, by network."""
  torch.backends.quantized.engine = ENGINES[backend]
  paths = {key: os.path.join(folder, key + '.pt')
           for key in ('theirs', 'ours', 'inputs')}
  torch.save(calibration, paths['inputs'])
  result = []
  for name, make in NETWORKS.items():
    float_path = os.path.join(top1.ROOT, 'networks', name + '.pt')
    network = make().eval()
    network.load_state_dict(torch.jit.load(float_path).state_dict())
    if not top1.by_pytorch(network, backend, calibration, paths['theirs']):
      continue
    subprocess.run([ns, 'quantize', f'--float={float_path}',
                    f'--backend={backend}', f'--inputs={paths["inputs"]}',
                    f'--out={paths["ours"]}', '--quiet'], check=True)
    exact = outputs(float_path, images)
    theirs = sqnr(exact, outputs(paths['theirs'], images))
    ours = sqnr(exact, outputs(paths['ours'], images))
    result.append(ours - theirs)
    print(f'{backend:8} {name:10} {theirs:7.2f} {ours:7.2f} '
          f'{ours - theirs:+7.2f}', flush=True)
  return result


def main() -> int:
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
  parser.add_argument('--backends', default=','.join(ENGINES), metavar='NAMES')
  parser.add_argument('--images', type=int, default=1000, metavar='N',
                      help='how many of the 10,000 test images')
  parser.add_argument('--bin', default='bazel-bin', metavar='DIR')
  args = parser.parse_args()

  calibration = calibration_batches(read_split(DATA, 'train')[0])
  images = read_split(DATA, 't10k')[0][:args.images]
  print(f'{"backend":8} {"network":10} PyTorch      ns    gain')
  holds = True
  with tempfile.TemporaryDirectory() as folder:
    for backend in args.backends.split(','):
      found = gains(backend, f'{args.bin}/tools/ns', folder, calibration, images)
      mean = sum(found) / len(found)
      holds &= min(found) >= -MOST_BELOW and mean > 0
      print(f'{backend:8} {"mean":10} {"":15} {mean:+7.2f}')
  print(f'never {MOST_BELOW} dB below PyTorch, better on average: '
        f'{"holds" if holds else "FAILS"}')
  return 0 if holds else 1


if __name__ == '__main__':
  sys.exit(main())
