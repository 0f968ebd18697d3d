#!/usr/bin/python3
"""Prints how the time of the commands of ns grows with the depth of a model.

  bazel build -c opt //tools:ns
  tools/bench/bench_scale.py [--layers=250,500,1000,2000] [--ops=5000,...]
      [--commands=quantize,match,...] [--max-ratio=1.3]

The models are linear-relu-add layers, and chains of elementwise operators. For
each command, a row shows the milliseconds per layer (microseconds per operator)
for each size, and the ratio of the last to the first. The bar is --max-ratio;
the exit status is 1 if a command misses it.

Times are processor time, user and system, with one thread: other processes
affect them less than elapsed time. Each is the minimum of --repetitions runs,
less the time of the same command for a model of a few layers, so that what
every run pays to start does not hide the growth.
"""

import argparse
import io
import os
import resource
import subprocess
import sys
import tempfile
import zipfile

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True

import torch
from torch import nn

WIDTH = 16
FEW_LAYERS = 4
FEW_OPS = 20
OPS = ('torch.relu(x)', 'torch.sigmoid(x)', 'torch.tanh(x)', 'torch.add(x, x)',
       'torch.mul(x, x)')
RELU = '__torch__.torch.nn.modules.activation.ReLU'

# {out} is a folder that is empty before the run.
PAIR = ['--float={float}', '--quantized={quantized}']
RUN = PAIR + ['--inputs={inputs}', '--threads=1', '--quiet', '--json={out}/j']
LAYER_COMMANDS = {
    'quantize': ['quantize', '--float={float}', '--inputs={inputs}',
                 '--out={out}/q.pt', '--threads=1', '--quiet'],
    'quantize dynamic': ['quantize', '--float={float}', '--mode=dynamic',
                         '--out={out}/q.pt', '--quiet'],
    'match': ['match', '--quiet', '--json={out}/j'] + PAIR,
    'compare weights': ['compare', '--what=weights'] + PAIR +
                       ['--quiet', '--json={out}/j'],
    'compare activations': ['compare', '--what=activations'] + RUN,
    'compare shadows': ['compare', '--what=shadows'] + RUN,
    'compare': ['compare'] + RUN,
    'lower': ['lower', '--in={quantized}', '--out={out}/l.pt', '--quiet'],
    'instrument': ['instrument', '--out-float={out}/f.pt',
                   '--out-quantized={out}/q.pt'] + PAIR,
    'sensitivity': ['sensitivity', '--float={float}', '--inputs={inputs}',
                    '--threads=1', '--quiet', '--json={out}/j'],
}
# A chain is compared with itself: it has nothing to quantize.
OP_COMMANDS = {
    name: LAYER_COMMANDS[name] for name in ('match', 'compare activations')
}


class Layer(nn.Module):

  def __init__(self):
    super().__init__()
    self.linear = nn.Linear(WIDTH, WIDTH)
    # Values stay in range however deep the model is.
    with torch.no_grad():
      self.linear.weight.mul_(0.1)

  def forward(self, x):
    return torch.relu(self.linear(x)) + x


def write_layers(count: int, path: str) -> None:
  torch.manual_seed(0)
  torch.jit.script(nn.Sequential(*[Layer() for _ in range(count)])).save(path)


def write_chain(count: int, path: str) -> None:
  """Writes a module whose method applies `count` operators.

  Scripting takes time in the square of their number, so the code is put into
  the file of a shorter chain.
  """
  short = io.BytesIO()
  torch.jit.save(torch.jit.script(nn.ReLU()), short)
  lines = [f'    x = {OPS[i % len(OPS)]}' for i in range(count)]
  with zipfile.ZipFile(short) as source, zipfile.ZipFile(path, 'w') as target:
    for name in source.namelist():
      data = source.read(name)
      if name.endswith('.debug_pkl'):
        continue
      if name.endswith('activation.py'):
        head, _, _ = data.decode().partition('  def forward(')
        data = '\n'.join(
            [head + f'  def forward(self: {RELU},', '    x: Tensor) -> Tensor:'] +
            lines + ['    return x', '']).encode()
      target.writestr(name, data)


def processor_seconds() -> float:
  usage = resource.getrusage(resource.RUSAGE_CHILDREN)
  return usage.ru_utime + usage.ru_stime


def run(command) -> None:
  """Runs a command, and shows what it prints only if it fails."""
  done = subprocess.run(command, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, check=False)
  if done.returncode != 0:
    sys.exit(f'{" ".join(command)}\n{done.stdout.decode()}')


def seconds(command) -> float:
  start = processor_seconds()
  run(command)
  return processor_seconds() - start


class Table:
  """Measures commands for models of rising size, and prints a row for each."""

  def __init__(self, args, folder: str):
    self.args = args
    self.folder = folder
    self.missed = []

  def path(self, name: str) -> str:
    return os.path.join(self.folder, name)

  def least(self, command, float_path: str, quantized_path: str) -> float:
    """Returns the least seconds that the command took."""
    out = self.path('out')
    os.makedirs(out, exist_ok=True)
    paths = {'float': float_path, 'quantized': quantized_path,
             'inputs': self.path('inputs.pt'), 'out': out}
    filled = [self.args.bin + '/tools/ns'] + [
        flag.format(**paths) for flag in command]
    least = float('inf')
    for _ in range(self.args.repetitions):
      least = min(least, seconds(filled))
      for name in os.listdir(out):
        os.remove(os.path.join(out, name))
    return least

  def measure(self, commands, sizes, few: int, write, quantize: bool,
              unit: float) -> None:
    for size in [few] + sizes:
      write(size, self.path(f'{size}.pt'))
      if quantize:
        run([self.args.bin + '/tools/ns', 'quantize', '--quiet',
             '--bias-correction=none', f'--float={self.path(f"{size}.pt")}',
             '--inputs=' + self.path('inputs.pt'),
             '--out=' + self.path(f'{size}q.pt')])
    second = 'q.pt' if quantize else '.pt'
    for name, command in commands.items():
      if self.args.commands and name not in self.args.commands.split(','):
        continue
      start = self.least(command, self.path(f'{few}.pt'),
                         self.path(f'{few}{second}'))
      per_layer = []
      print(f'{name:20}', end='', flush=True)
      for size in sizes:
        total = self.least(command, self.path(f'{size}.pt'),
                           self.path(f'{size}{second}'))
        per_layer.append((total - start) / (size - few))
        print(f'  {per_layer[-1] * unit:8.2f}', end='', flush=True)
      ratio = per_layer[-1] / per_layer[0]
      misses = ratio > self.args.max_ratio
      print(f'  {ratio:6.2f}' + ('  misses the bar' if misses else ''),
            flush=True)
      if misses:
        self.missed.append(name)


def header(title: str, sizes) -> None:
  print(f'{title:20}' + ''.join(f'  {size:8}' for size in sizes) + '   ratio')


def main() -> None:
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
  parser.add_argument('--layers', default='250,500,1000,2000', metavar='LIST')
  parser.add_argument('--ops', default='5000,10000,30000,100000',
                      metavar='LIST')
  parser.add_argument('--commands', default='', metavar='LIST',
                      help='only these, such as match,compare shadows')
  parser.add_argument('--repetitions', type=int, default=2, metavar='N')
  parser.add_argument('--max-ratio', type=float, default=1.3, metavar='X')
  parser.add_argument('--bin', default='bazel-bin', metavar='DIR')
  args = parser.parse_args()

  with tempfile.TemporaryDirectory() as folder:
    table = Table(args, folder)
    torch.manual_seed(1)
    torch.save([torch.randn(4, WIDTH) for _ in range(4)],
               table.path('inputs.pt'))
    layers = [int(size) for size in args.layers.split(',') if size]
    if layers:
      header('ms per layer', layers)
      table.measure(LAYER_COMMANDS, layers, FEW_LAYERS, write_layers,
                    quantize=True, unit=1e3)
    ops = [int(size) for size in args.ops.split(',') if size]
    if ops:
      header('us per operator', ops)
      table.measure(OP_COMMANDS, ops, FEW_OPS, write_chain, quantize=False,
                    unit=1e6)
  sys.exit(1 if table.missed else 0)


if __name__ == '__main__':
  main()
