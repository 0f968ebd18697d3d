#!/usr/bin/python3
"""Compares the times of ns compare --time with those of PyTorch's profiler.

  bazel build -c opt //tools:ns
  ONEDNN_MAX_CPU_ISA=AVX512_CORE_VNNI tools/bench/layer_times.py [--threads=1]

A mobilenet_v2 with random weights is quantized and timed, then both files run
under torch.autograd.profiler. For each model, a row shows the sum of all
operators in microseconds by both, its ratio, and the rank correlation between
the times of convolutions and linear layers. Each time is the least of several
runs. The profiler itself adds a microsecond or more to each operator and to each
that it calls, of which a float convolution has four.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True

import numpy as np
import torch
import torchvision

RUNS = 50
LAYERS = ('conv2d', 'conv2d_relu', 'linear')


def profiled(path, batch):
  """The names of the outermost operators of one run, and their least times."""
  model = torch.jit.freeze(torch.jit.load(path).eval())
  runs = []
  with torch.no_grad():
    for i in range(RUNS):
      with torch.autograd.profiler.profile() as profile:
        model(batch)
      if i < 5:
        continue  # The executor still optimizes the graph.
      events = [event for event in profile.function_events
                if event.name != 'forward' and
                (event.cpu_parent is None or
                 event.cpu_parent.name == 'forward')]
      events.sort(key=lambda event: event.time_range.start)
      runs.append([(event.name, event.time_range.elapsed_us())
                   for event in events])
  names = [name for name, _ in runs[-1]]
  runs = [run for run in runs if [name for name, _ in run] == names]
  return names, np.array([[time for _, time in run] for run in runs]).min(0)


def is_layer(op):
  return op.split('::')[-1] in LAYERS


def ranks(values):
  return np.argsort(np.argsort(values))


def main():
  parser = argparse.ArgumentParser(
      description=__doc__.splitlines()[0],
      formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument('--threads', type=int, default=1)
  parser.add_argument('--ns', default=os.path.join(
      os.path.dirname(os.path.abspath(__file__)), '../../bazel-bin/tools/ns'))
  options = parser.parse_args()
  torch.set_num_threads(options.threads)
  torch.manual_seed(1)
  ns = os.path.abspath(options.ns)
  with tempfile.TemporaryDirectory() as folder:
    paths = {name: os.path.join(folder, name + '.pt')
             for name in ('float', 'quantized', 'inputs')}
    torch.jit.script(torchvision.models.mobilenet_v2().eval()).save(
        paths['float'])
    batches = [torch.randn(1, 3, 224, 224) for _ in range(4)]
    torch.save(batches, paths['inputs'])
    subprocess.run([ns, 'quantize', paths['float'], paths['inputs'], '-o',
                    paths['quantized'], '--quiet'], check=True)
    result = json.loads(subprocess.run(
        [ns, 'compare', paths['float'], paths['quantized'], paths['inputs'],
         '--time', '--what=weights', f'--threads={options.threads}',
         '--json=-'], check=True, stdout=subprocess.PIPE).stdout)
    print('            ns us  profiler us  ratio  layers  rank correlation')
    for side in ('float', 'quantized'):
      names, times = profiled(paths[side], batches[0])
      ours = [layer['time_us'][side] for layer in result['layers']
              if any(is_layer(op) for op in layer[side]['subgraph'])]
      theirs = [time for name, time in zip(names, times) if is_layer(name)]
      if len(ours) != len(theirs):
        sys.exit(f'{len(ours)} layers, and {len(theirs)} in the profile')
      total = result['times'][side + '_us']
      correlation = np.corrcoef(ranks(ours), ranks(theirs))[0, 1]
      print(f'{side:9} {total:8.0f} {times.sum():12.0f} '
            f'{total / times.sum():6.2f} {len(ours):7} {correlation:17.3f}')


if __name__ == '__main__':
  main()
