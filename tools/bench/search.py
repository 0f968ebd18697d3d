#!/usr/bin/python3
"""Prints what `ns search` predicts for its recipes, beside what it measures.

  bazel build -c opt //tools:ns
  tools/bench/search.py [--networks=residual,vit] [--budgets=30,34] [--bin=DIR]

A row a network for Fashion-MNIST and budget: the SQNR in dB of the output of the
recipe that is kept, as predicted and as measured; the largest difference of the
two among all recipes that were measured on the way, of which the first is
predicted without any measurement; the passes over the batches; and the time of
a batch, in float and of the recipe. Bar: kept recipes within 1 dB; at most 3
float and 3 quantized passes. It does not hold where a search fails.
"""

import argparse
import json
import os
import subprocess
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')


def main() -> None:
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
  parser.add_argument('--networks', default='residual,mobile_v2,mobile_v3,vit',
                      metavar='NAMES')
  parser.add_argument('--budgets', default='28,31,34', metavar='DB')
  parser.add_argument('--bin', default='bazel-bin', metavar='DIR')
  args = parser.parse_args()

  print(f'{"network":10} budget  predicted  measured  worst on the way  '
        'float and quantized passes  float us  recipe us')
  holds = True
  with tempfile.TemporaryDirectory() as folder:
    report = os.path.join(folder, 'search.json')
    for name in args.networks.split(','):
      for budget in args.budgets.split(','):
        done = subprocess.run(
            [f'{args.bin}/tools/ns', 'search',
             f'--float={ROOT}/networks/{name}.pt',
             f'--inputs={ROOT}/networks/images.pt', f'--budget={budget}dB',
             f'--emit-qconfig={folder}/qconfig.json', f'--json={report}',
             '--quiet'], stderr=subprocess.PIPE, text=True)
        if done.returncode:
          holds = False
          print(f'{name:10} {budget:>6}  {done.stderr.strip()}', flush=True)
          continue
        with open(report, encoding='utf-8') as file:
          result = json.load(file)
        predicted = result['predicted']['sqnr_db']
        measured = result['measured']['sqnr_db']
        passes = result['passes']
        worst = max(abs(one['predicted_db'] - one['measured_db'])
                    for one in result['verified'])
        holds &= (abs(predicted - measured) <= 1 and passes['float'] <= 3 and
                  passes['quantized'] <= 3)
        print(f'{name:10} {budget:>6}  {predicted:9.2f}  {measured:8.2f}  '
              f'{worst:16.2f}  {passes["float"]:12.1f} {passes["quantized"]:13.1f}'
              f'  {result["measured"]["float_time_us"]:8.0f}  '
              f'{result["measured"]["time_us"]:9.0f}', flush=True)
  print('all kept recipes are within 1 dB, in 3 passes of each: ' +
        ('holds' if holds else 'does not hold'))


if __name__ == '__main__':
  main()
