#!/usr/bin/python3
"""Holds verdicts on healthy models to causes that no one need mend.

  bazel build -c opt //tools:ns $(bazel query 'kind(genrule, //tests/models:all)')
  tools/bench/healthy.py [--bin=DIR] [PART...]

Compares each pair of a float and a quantized model of tests/models and the
demo, and what `ns quantize` makes of each float model there, of
tests/models/transformers and of tools/networks, once for each backend. Prints
a line for each comparison: the lowest SQNR of an output, the cause, and the
culprit. Where a cause other than rounding and reduced-range is named, the
printed cure is typed, and the line ends with what it gains. Such a cause is a
false alarm, unless FAULTS says what is wrong with the model, and the cure, where
it is a command that makes a model, gains 3 dB or more. Exits with 1 on a false
alarm.

With PARTs, takes only the models whose names contain one of them.
"""

import argparse
import fnmatch
import json
import os
import shlex
import subprocess
import sys
import tempfile

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tests/models'))
sys.dont_write_bytecode = True
import transformers

BACKENDS = ('fbgemm', 'onednn')
HEALTHY = ('none', 'rounding', 'reduced-range')
# In dB, what the cure of a real fault gains at least.
LEAST_GAIN = 3
CLIPS = 'calibrated on few values, the largest of which the observer left out'
OF_INPUT = 'a mean takes over the range of its input, and is far smaller'
OF_4_BITS = 'its weight has 4 bits'
# What is wrong with models: a glob of their names, the cause, and the reason.
FAULTS = (
    ('conv_transpose/quantized*', 'clipping', CLIPS),
    ('conv_zoo/*', 'range', OF_INPUT),
    ('dynamic_cases/*_4bit/quantized', 'weight', OF_4_BITS),
    ('embedding/quantized*', 'weight', OF_4_BITS),
    ('frozen/quantized*', 'range', OF_INPUT),
    ('functional/quantized*', 'clipping', CLIPS),
    ('fx_cases/*/quantized', 'clipping', CLIPS),
    ('fx_cases/sigmoid_method/quantized', 'input-mismatch',
     'calibrated on other random inputs'),
    ('module_cases/*_quantized', 'clipping', CLIPS),
    ('module_cases/qnnpack_attention_quantized', 'unexplained', CLIPS),
    ('multi_io/quantized*', 'clipping', CLIPS),
    ('norm_cases/*/quantized', 'clipping', CLIPS),
    ('partial/quantized*', 'range', OF_INPUT),
    ('qat/quantized*', 'clipping', CLIPS),
    ('reuse/quantized*', 'clipping', CLIPS),
)
# Files of tests/models that are not the two sides of a pair.
NO_PAIRS = ('/qat_cases/',)  # Their float models were not trained yet.


def twin(path):
  """The float model that a quantized one is of; None for other files."""
  folder, name = os.path.split(path)
  if 'quantized' not in name or not name.endswith('.pt') or 'state' in name:
    return None
  float_path = os.path.join(folder, name.replace('quantized', 'float'))
  return float_path if os.path.exists(float_path) else None


def inputs_of(float_path):
  folder, name = os.path.split(float_path)
  stem = name[:name.rindex('float')]
  return os.path.join(folder, stem + 'inputs.pt')


def test_pairs(models):
  """(name, float, quantized, inputs) of the pairs below a folder."""
  for folder, folders, files in os.walk(models):
    folders.sort()
    for name in sorted(files):
      path = os.path.join(folder, name)
      float_path = twin(path)
      if float_path and not any(part in path for part in NO_PAIRS):
        short = os.path.relpath(path, models)[:-len('.pt')]
        yield short, float_path, path, inputs_of(float_path)


def write_transformer(network, folder):
  """The paths of a network of tests/models/transformers and its inputs."""
  paths = [os.path.join(folder, f'{network}_{kind}.pt')
           for kind in ('float', 'inputs')]
  model, batches = transformers.make(network)
  model.save(paths[0])
  torch.save(batches, paths[1])
  return paths


def lowest_output(report):
  """The lowest SQNR of an output, in dB; nan where none was compared."""
  return min((float(output['sqnr_db'])
              for output in report.get('outputs_of_model', [])),
             default=float('nan'))


def fault_of(name, cause):
  """What FAULTS says of a model; None where that is not its cause."""
  return next((reason for glob, kind, reason in FAULTS
               if kind == cause and fnmatch.fnmatch(name, glob)), None)


class Check:

  def __init__(self, args, folder):
    self.args, self.folder = args, folder
    self.bin = os.path.abspath(args.bin)
    self.ns = os.path.join(self.bin, 'tools/ns')
    self.counts = {'healthy': 0, 'faulty': 0, 'false alarms': 0, 'not run': 0}

  def takes(self, name):
    return not self.args.parts or any(part in name for part in self.args.parts)

  def run(self, *arguments):
    return subprocess.run([self.ns, *arguments], capture_output=True, text=True,
                          cwd=self.folder, check=False)

  def count(self, kind, name, text):
    self.counts[kind] += 1
    print(f'{name:48} {text}', flush=True)

  def report(self, float_path, quantized, inputs):
    """The JSON of a comparison, or what stopped it."""
    process = self.run('compare', f'--float={float_path}',
                       f'--quantized={quantized}', f'--inputs={inputs}',
                       '--json=-', '--quiet')
    return (json.loads(process.stdout) if process.returncode == 0 else None,
            process.stderr.strip().split('\n')[-1])

  def gain(self, report, float_path, inputs):
    """What the cure gains in dB; None where it makes no model."""
    mended = os.path.join(self.folder, 'mended.pt')
    if os.path.exists(mended):
      os.remove(mended)
    command = report['verdict'].get('cure', {}).get('command')
    if command:
      self.run(*shlex.split(command)[1:])
    if not os.path.exists(mended):
      return None
    after = self.report(float_path, mended, inputs)[0]
    return after and lowest_output(after) - lowest_output(report)

  def compare(self, name, float_path, quantized, inputs):
    report, error = self.report(float_path, quantized, inputs)
    if report is None:
      self.count('not run', name, error)
      return
    verdict = report.get('verdict', {'kind': 'none'})
    line = (f'{lowest_output(report):6.1f} dB  {verdict["kind"]:15} '
            f'{verdict.get("layer") or "-"}')
    if verdict['kind'] in HEALTHY:
      self.count('healthy', name, line)
      return
    gain = self.gain(report, float_path, inputs)
    line += '' if gain is None else f', cure {gain:+.1f} dB'
    fault = fault_of(name, verdict['kind'])
    if fault and (gain is None or gain >= LEAST_GAIN):
      self.count('faulty', name, f'{line}: {fault}')
    else:
      self.count('false alarms', name,
                 f'{line}: FALSE ALARM: {verdict["sentences"][0]}')

  def quantize(self, name, float_path, inputs):
    for backend in BACKENDS:
      named = f'{name} {backend}'
      out = os.path.join(self.folder, 'quantized.pt')
      process = self.run('quantize', f'--float={float_path}',
                         f'--inputs={inputs}', f'--out={out}',
                         f'--backend={backend}', '--quiet')
      if process.returncode != 0:
        self.count('not run', named, process.stderr.strip().split('\n')[-1])
        continue
      self.compare(named, float_path, out, inputs)

  def demo(self, name):
    return os.path.join(ROOT, 'tools/demo', name)

  def check(self):
    pairs = list(test_pairs(os.path.join(self.bin, 'tests/models')))
    pairs.append(('demo/quantized', self.demo('float.pt'),
                  self.demo('quantized.pt'), self.demo('images.pt')))
    floats = {}
    for name, float_path, quantized, inputs in pairs:
      if self.takes(name):
        self.compare(name, float_path, quantized, inputs)
      # The same networks are there untraced, and for onednn.
      if not float_path.endswith('_traced.pt') and '/qnnpack_' not in name:
        floats[float_path] = name.replace('quantized', 'float'), inputs
    for network in ('mobile_v2', 'mobile_v3', 'residual', 'vit'):
      folder = os.path.join(ROOT, 'tools/networks')
      floats[os.path.join(folder, network + '.pt')] = (
          f'networks/{network}', os.path.join(folder, 'images.pt'))
    for network in transformers.NETWORKS:
      name = f'transformers/{network}'
      if self.takes(name):
        float_path, inputs = write_transformer(network, self.folder)
        floats[float_path] = (name, inputs)
    for float_path, (name, inputs) in floats.items():
      if self.takes(name):
        self.quantize(name, float_path, inputs)


def main():
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
  parser.add_argument('--bin', default='bazel-bin', metavar='DIR')
  parser.add_argument('parts', nargs='*', metavar='PART')
  args = parser.parse_args()
  with tempfile.TemporaryDirectory() as folder:
    check = Check(args, folder)
    check.check()
  print(', '.join(f'{count} {kind}' for kind, count in check.counts.items()))
  return 1 if check.counts['false alarms'] else 0


if __name__ == '__main__':
  sys.exit(main())
