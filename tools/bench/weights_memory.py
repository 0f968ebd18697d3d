#!/usr/bin/python3
"""Prints how much memory the commands of ns take for a model of large weights.

  bazel build -c opt //tools:ns
  tools/bench/weights_memory.py [--megabytes=400] [--width=4096]

The model is a chain of linear layers with float weights of so many megabytes in
all. For each command, a row shows the largest resident size of its process, less
that of the same command for a model with small weights, as a multiple of the
float weights, and the seconds of processor time.
"""

import argparse
import os
import subprocess
import sys
import tempfile

COMMANDS = {
    'quantize': ['quantize', 'float.pt', 'inputs.pt', '-o', 'quantized.pt'],
    'quantize --compat=torch-1.13': [
        'quantize', 'float.pt', 'inputs.pt', '-o', 'compat.pt',
        '--compat=torch-1.13'],
    'quantize --mode=dynamic': ['quantize', 'float.pt', '-o', 'dynamic.pt',
                                '--mode=dynamic'],
    'compare': ['compare', 'float.pt', 'quantized.pt', 'inputs.pt'],
    'lower': ['lower', 'quantized.pt', 'lowered.pt'],
    'inspect': ['inspect', 'float.pt'],
}


MODEL = """
import torch
from torch import nn
modules = []
for _ in range({layers}):
  modules += [nn.Linear({width}, {width}), nn.ReLU()]
torch.jit.script(nn.Sequential(*modules).eval()).save('float.pt')
torch.save([torch.randn(8, {width}) for _ in range(4)], 'inputs.pt')
"""


def write_model(folder, layers, width):
  # In another process: the memory of this one would count for its children.
  subprocess.run(
      [sys.executable, '-c', MODEL.format(layers=layers, width=width)],
      cwd=folder, check=True)


def run(ns, command, folder):
  """The largest resident size in bytes, and the processor time in seconds."""
  process = subprocess.Popen([ns, *command, '--quiet'], cwd=folder)
  _, status, usage = os.wait4(process.pid, 0)
  if status != 0:
    sys.exit(f'ns {" ".join(command)} failed')
  return usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime


def main():
  parser = argparse.ArgumentParser(
      description=__doc__.splitlines()[0],
      formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument('--megabytes', type=int, default=400)
  parser.add_argument('--width', type=int, default=4096)
  parser.add_argument('--ns', default=os.path.join(
      os.path.dirname(os.path.abspath(__file__)), '../../bazel-bin/tools/ns'))
  options = parser.parse_args()
  ns = os.path.abspath(options.ns)
  layer_bytes = 4 * options.width ** 2
  layers = max(1, round(options.megabytes * 1e6 / layer_bytes))
  weights = layers * layer_bytes
  print(f'{layers} layers, {weights / 1e6:.0f} MB of weights')
  with tempfile.TemporaryDirectory() as small, \
      tempfile.TemporaryDirectory() as large:
    write_model(small, layers, 16)
    write_model(large, layers, options.width)
    for name, command in COMMANDS.items():
      base, _ = run(ns, command, small)
      size, seconds = run(ns, command, large)
      print(f'{name:30} {(size - base) / weights:5.2f} times, {seconds:6.1f} s',
            flush=True)


if __name__ == '__main__':
  main()
