#!/usr/bin/python3
"""Times `ns` against PyTorch's numeric suite on the same models and inputs.

  bazel build -c opt //tools:bench_compare
  tools/bench/bench_reference.py

Makes resnet18 and mobilenet_v2 of torchvision (random weights, FX static
quantization), runs PyTorch's suite on them (loggers, extraction, SQNR, L2 and
cosine of every layer) and, in turn with it, bench_compare on the scripted
models. Prints medians in ms a batch, and the ratio. Needs Debian's
python3-torch and python3-torchvision.
"""

import argparse
import os
import re
import statistics
import subprocess
import tempfile
import time
import warnings

import torch
import torch.ao.ns._numeric_suite_fx as suite
import torchvision
from torch.ao.ns.fx import utils
from torch.ao.quantization import get_default_qconfig_mapping
from torch.ao.quantization import quantize_fx
from torch.ao.quantization.fx.tracer import QuantizationTracer

METRICS = (('sqnr', utils.compute_sqnr),
           ('l2', utils.compute_normalized_l2_error),
           ('cosine', utils.compute_cosine_similarity))


def make_models(name, shape):
  """A float module and an int8 one made from it, neither scripted."""
  torch.manual_seed(0)
  model = getattr(torchvision.models, name)(weights=None)
  with torch.no_grad():
    for _ in range(2):  # statistics for the batch norms
      model(torch.randn(4, *shape[1:]))
  model.eval()
  example = torch.randn(*shape)
  prepared = quantize_fx.prepare_fx(
      model, get_default_qconfig_mapping('fbgemm'), (example,))
  with torch.no_grad():
    prepared(torch.randn(2, *shape[1:]))
  return model, quantize_fx.convert_fx(prepared)


class Reference:
  """PyTorch's suite, one batch at a time."""

  def __init__(self, model, quantized):
    tracer = QuantizationTracer([], [])
    flat = torch.fx.GraphModule(model, tracer.trace(model))
    self.a, self.b = suite.add_loggers(
        'float', flat, 'quantized', quantized, suite.OutputLogger)

  def run(self, batch):
    for model in (self.a, self.b):
      for module in model.modules():
        if isinstance(module, suite.OutputLogger):
          module.stats.clear()
    with torch.no_grad():
      self.a(batch)
      self.b(batch)
    results = suite.extract_logger_info(
        self.a, self.b, suite.OutputLogger, 'quantized')
    for name, metric in METRICS:
      suite.extend_logger_results_with_comparison(
          results, 'float', 'quantized', metric, name)
    return results


def time_reference(reference, batch, rounds):
  times = []
  for _ in range(rounds):
    start = time.perf_counter()
    reference.run(batch)
    times.append(1e3 * (time.perf_counter() - start))
  return statistics.median(times)


def time_ns(binary, files, rounds):
  output = subprocess.run(
      [binary, *(f'--{key}={path}' for key, path in files.items()),
       f'--rounds={rounds}', '--only'], check=True, capture_output=True, text=True).stdout
  return float(re.search(r'^activations +([\d.]+) ms', output, re.M)[1])


def main():
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument('--rounds', type=int, default=10)
  parser.add_argument('--turns', type=int, default=5)
  parser.add_argument('--batch', type=int, default=1)
  parser.add_argument('--out', help='folder to keep the scripted models in')
  parser.add_argument('--bench_compare',
                      default='bazel-bin/tools/bench/bench_compare')
  options = parser.parse_args()
  if not os.access(options.bench_compare, os.X_OK):
    parser.error(f'{options.bench_compare} is not there: build it with bazel '
                 'build -c opt //tools:bench_compare, or name it with '
                 '--bench_compare')
  if options.out:
    os.makedirs(options.out, exist_ok=True)
  warnings.simplefilter('ignore')
  torch.backends.quantized.engine = 'onednn'
  print('model          reference, ms   ns, ms   reference / ns')
  for name in ('resnet18', 'mobilenet_v2'):
    shape = (options.batch, 3, 224, 224)
    torch.set_num_threads(os.cpu_count())
    model, quantized = make_models(name, shape)
    torch.set_num_threads(1)
    batch = torch.randn(*shape)
    with tempfile.TemporaryDirectory() as folder:
      files = {key: f'{options.out or folder}/{name}_{key}.pt'
               for key in ('float', 'quantized', 'inputs')}
      torch.jit.script(model).save(files['float'])
      torch.jit.script(quantized).save(files['quantized'])
      torch.save([batch], files['inputs'])
      reference = Reference(model, quantized)
      reference.run(batch)
      of_reference, of_ns = [], []
      for _ in range(options.turns):
        of_reference.append(time_reference(reference, batch, options.rounds))
        of_ns.append(time_ns(options.bench_compare, files, options.rounds))
    ours, theirs = statistics.median(of_ns), statistics.median(of_reference)
    print(f'{name:14} {theirs:13.1f} {ours:8.1f} {theirs / ours:16.2f}',
          flush=True)


if __name__ == '__main__':
  main()
