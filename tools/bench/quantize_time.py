#!/usr/bin/python3
"""Prints how long `ns quantize` takes with its methods, against calibration.

  bazel build -c opt //tools:ns
  tools/bench/quantize_time.py [--networks=resnet18,mobilenet_v2] [--batches=N]

A row a network of torchvision: the seconds of a command that only calibrates,
converts and measures the outputs (with a --qconfig, and no bias correction,
nothing is chosen), of one as it is by default, and of one with --observer=auto,
--equalize and --smooth, too; and how many times longer they take. Seconds are
those of the processor, with one thread: what else the machine does counts
little. Each is the least of three runs, which take turns. Bar: at most twice as
long.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True

import accuracy
import torch

REPETITIONS = 3
METHODS = {
    'calibration': ['--bias-correction=none', '--qconfig={qconfig}'],
    'default': [],
    'all methods': ['--observer=auto', '--equalize', '--smooth'],
}


def processor_seconds() -> float:
  usage = resource.getrusage(resource.RUSAGE_CHILDREN)
  return usage.ru_utime + usage.ru_stime


def seconds(command) -> float:
  start = processor_seconds()
  subprocess.run(command, check=True)
  return processor_seconds() - start


def main() -> None:
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
  parser.add_argument('--networks', default='resnet18,mobilenet_v2',
                      metavar='NAMES')
  parser.add_argument('--batches', type=int, default=64, metavar='N',
                      help='of 8 images of 96 x 96')
  parser.add_argument('--bin', default='bazel-bin', metavar='DIR')
  args = parser.parse_args()

  print(f'{"seconds":20}' + ''.join(f'  {name:>18}' for name in METHODS))
  with tempfile.TemporaryDirectory() as folder:
    paths = {key: os.path.join(folder, key + '.pt')
             for key in ('float', 'inputs', 'out', 'qconfig')}
    for name in args.networks.split(','):
      torch.manual_seed(accuracy.SEED)
      torch.jit.script(accuracy.network(name)).save(paths['float'])
      torch.save(accuracy.images(args.batches), paths['inputs'])
      quantize = [
          f'{args.bin}/tools/ns', 'quantize', f'--float={paths["float"]}',
          f'--inputs={paths["inputs"]}', f'--out={paths["out"]}', '--quiet',
          '--threads=1']
      seconds(quantize + ['--max-batches=1',
                          f'--emit-qconfig={paths["qconfig"]}'])
      least = dict.fromkeys(METHODS, float('inf'))
      for _ in range(REPETITIONS):
        for method, flags in METHODS.items():
          least[method] = min(least[method], seconds(
              quantize + [flag.format(**paths) for flag in flags]))
      row = f'{name:20}  {least["calibration"]:18.1f}'
      for method in list(METHODS)[1:]:
        ratio = f'({least[method] / least["calibration"]:.2f} x)'
        row += f'  {least[method]:9.1f} {ratio:8}'
      print(row, flush=True)


if __name__ == '__main__':
  main()
