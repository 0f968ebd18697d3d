#!/usr/bin/python3
"""Holds the layer that a verdict names to what float there really gains.

  bazel build -c opt //tools:ns
  tools/bench/culprits.py --float=F.pt --inputs=CALIBRATION.pt --held-out=H.pt
      [--backend=onednn] [--bin=DIR]

Quantizes the model, compares it on the held-out batches, and then keeps each
layer of it in float alone (`ns quantize --keep=NAME`), which takes as many runs
of `ns quantize`. A row a layer, best first: its share of the output's error, the
SQNR of the first output with the layer in float, and what that gains. Bar: the
layer that the verdict names is among the best two, or none is named. Exits with
1 when it fails.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

SHOWN = 8
BEST = 2


class Bench:

  def __init__(self, args, folder):
    self.args, self.folder = args, folder

  def path(self, name):
    return os.path.join(self.folder, name)

  def run(self, *arguments):
    return subprocess.run([os.path.join(self.args.bin, 'tools/ns'), *arguments],
                          capture_output=True, text=True, check=False)

  def quantize(self, out, *flags):
    """Whether there is a model."""
    process = self.run(
        'quantize', f'--float={self.args.float}',
        f'--inputs={self.args.inputs}', f'--out={self.path(out)}',
        f'--backend={self.args.backend}', '--quiet', *flags)
    return process.returncode == 0

  def compare(self, quantized, what):
    process = self.run(
        'compare', f'--float={self.args.float}',
        f'--quantized={self.path(quantized)}',
        f'--inputs={self.args.held_out}', f'--what={what}', '--json=-')
    process.check_returncode()
    return json.loads(process.stdout)

  def sqnr(self, quantized):
    return float(self.compare(quantized, 'activations')
                 ['outputs_of_model'][0]['sqnr_db'])

  def gains(self, report, base):
    """(gain, name, share) of each layer that can be kept."""
    rows = []
    for layer in report['layers']:
      name = layer['name']
      if layer['float']['op'] and not name.endswith('.quantize') and \
          self.quantize('kept.pt', f'--keep={name}'):
        rows.append((self.sqnr('kept.pt') - base, name,
                     layer.get('output_share', 0)))
    return sorted(rows, reverse=True)


def main():
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
  parser.add_argument('--float', required=True, metavar='PATH')
  parser.add_argument('--inputs', required=True, metavar='PATH')
  parser.add_argument('--held-out', required=True, metavar='PATH')
  parser.add_argument('--backend', default='onednn')
  parser.add_argument('--bin', default='bazel-bin', metavar='DIR')
  args = parser.parse_args()
  with tempfile.TemporaryDirectory() as folder:
    bench = Bench(args, folder)
    if not bench.quantize('quantized.pt'):
      sys.exit(f'{args.float} cannot be quantized')
    report = bench.compare('quantized.pt', 'activations,shadows')
    base = bench.sqnr('quantized.pt')
    rows = bench.gains(report, base)
  print(f'{"layer":40} {"share":>7} {"in float":>9} {"gain":>6}')
  for gain, name, share in rows[:SHOWN]:
    print(f'{name:40} {100 * share:5.1f} % {base + gain:6.1f} dB {gain:+6.2f}')
  verdict = report['verdict']
  named = verdict.get('layer')
  ranks = [name for _, name, _ in rows]
  is_right = named is None or named in ranks[:BEST]
  print(f'all in int8: {base:.1f} dB; the verdict names '
        f'{named or "no layer"} ({verdict["kind"]}'
        + (f', number {ranks.index(named) + 1} by gain' if named in ranks
           else '') + f'): {"ok" if is_right else "WRONG"}')
  return 0 if is_right else 1


if __name__ == '__main__':
  sys.exit(main())
