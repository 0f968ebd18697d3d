#!/usr/bin/python3
"""Prints what `ns quantize` takes beside processes that compute.

  bazel build -c opt //tools:ns
  tools/bench/busy.py [--network=regnet_y_400mf] [--batches=N]

Seconds of the clock with --threads=1 and with the default number of threads, on
the machine as it is and beside as many busy processes as it has processors; the
median of three runs, which take turns. The last line of the table has the
default as a multiple of one thread. Bar: at most 1.5 beside busy processes.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True

import torch
import torchvision

REPETITIONS = 3
THREADS = {'one thread': ['--threads=1'], 'default': []}


def seconds(command) -> float:
  start = time.monotonic()
  subprocess.run(command, check=True)
  return time.monotonic() - start


def measure(command, busy: int) -> dict:
  """The median time of `command` with each of THREADS."""
  others = [subprocess.Popen([sys.executable, '-c', 'while True: pass'])
            for _ in range(busy)]
  try:
    times = {name: [] for name in THREADS}
    for _ in range(REPETITIONS):
      for name, flags in THREADS.items():
        times[name].append(seconds(command + flags))
  finally:
    for other in others:
      other.kill()
      other.wait()
  return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
  parser.add_argument('--network', default='regnet_y_400mf', metavar='NAME',
                      help='of torchvision')
  parser.add_argument('--batches', type=int, default=4, metavar='N',
                      help='of 2 images of 96 x 96')
  parser.add_argument('--bin', default='bazel-bin', metavar='DIR')
  args = parser.parse_args()

  with tempfile.TemporaryDirectory() as folder:
    paths = [os.path.join(folder, name) for name in ('f.pt', 'i.pt', 'q.pt')]
    torch.manual_seed(0)
    model = getattr(torchvision.models, args.network)(weights=None).eval()
    torch.jit.script(model).save(paths[0])
    torch.save([torch.randn(2, 3, 96, 96) for _ in range(args.batches)],
               paths[1])
    command = [f'{args.bin}/tools/ns', 'quantize', f'--float={paths[0]}',
               f'--inputs={paths[1]}', f'--out={paths[2]}', '--quiet']
    processors = len(os.sched_getaffinity(0))
    quiet, busy = measure(command, 0), measure(command, processors)
  beside = f'beside {processors} busy'
  print(f'{"seconds":20}  {"quiet":>13}  {beside:>13}')
  for name in THREADS:
    print(f'{name:20}  {quiet[name]:13.1f}  {busy[name]:13.1f}')
  ratios = [times['default'] / times['one thread'] for times in (quiet, busy)]
  print(f'{"default / one thread":20}' +
        ''.join(f'  {ratio:13.2f}' for ratio in ratios))


if __name__ == '__main__':
  main()
