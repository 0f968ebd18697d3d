"""Runs saved n-shadows models in a plain Python process.

  python_test.py NS SAVE_N_SHADOWS LIBNS_OPS FLOAT INPUTS

Only our op library is loaded. The outputs must be those of the float model, bit
for bit, and the figures of candidates those of `ns sensitivity`.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import torch

BATCHES = 2
# Python fuses and reorders float ops, once it has profiled them.
TOLERANCE_DB = 0.05


def run(module, batch):
  with torch.no_grad():
    if isinstance(batch, dict):
      return tensors(module(**batch))
    return tensors(module(*(batch if isinstance(batch, tuple) else (batch,))))


def tensors(value):
  """All tensors of an output, however it nests them."""
  if isinstance(value, torch.Tensor):
    return [value]
  if isinstance(value, dict):
    value = list(value.values())
  if isinstance(value, (list, tuple)):
    return [tensor for element in value for tensor in tensors(element)]
  return []


def attributes(module, prefix):
  found = []
  while hasattr(module, f'{prefix}{len(found)}'):
    found.append(getattr(module, f'{prefix}{len(found)}'))
  return found


def prepared(mode):
  with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'prepared.pt')
    subprocess.run([SAVE, FLOAT, path, mode], check=True)
    return torch.jit.load(path)


class PythonTest(unittest.TestCase):

  @classmethod
  def setUpClass(cls):
    torch.ops.load_library(os.path.abspath(LIBRARY))
    cls.batches = torch.load(INPUTS)[:BATCHES]
    cls.plain = torch.jit.load(FLOAT)

  def expect_outputs_unchanged(self, model):
    for batch in self.batches:
      expected, actual = run(self.plain, batch), run(model, batch)
      self.assertEqual(len(expected), len(actual))
      for x, y in zip(expected, actual):
        self.assertTrue(torch.equal(x, y))

  def measure(self, model):
    """(layer, candidate) -> SQNR of what has run."""
    self.expect_outputs_unchanged(model)
    for quantizer in attributes(model, 'ns_quantizer_'):
      quantizer.convert()
    loggers = attributes(model, 'ns_logger_')
    for logger in loggers:
      logger.set_enabled(True)
    self.expect_outputs_unchanged(model)
    measured = {}
    for i, logger in enumerate(loggers):
      info = getattr(model, f'ns_logger_{i}_info')
      candidate = model.ns_n_shadows.get(info['model_name'])
      if candidate is not None and logger.get_comparisons():
        measured[info['layer'], candidate] = logger.pooled_sqnr()
    self.assertGreater(len(measured), 0)
    return measured

  def test_candidates_are_those_of_ns_sensitivity(self):
    output = subprocess.run(
        [NS, 'sensitivity', f'--float={FLOAT}', f'--inputs={INPUTS}',
         f'--max-batches={BATCHES}', '--json=-', '--threads=1'],
        check=True, stdout=subprocess.PIPE).stdout
    result = json.loads(output)
    expected = {
        (layer['name'], candidate['name']): float(candidate['sqnr_db'])
        for layer in result['layers']
        for candidate in layer['candidates'] if candidate['call_sqnr_db']
    }
    # What ns quantize would leave in float is not tried.
    skipped = {(one['name'], one['candidate']) for one in result['skipped']}
    measured = self.measure(prepared('candidates'))
    self.assertEqual(set(measured) - skipped, set(expected))
    for key, sqnr in expected.items():
      with self.subTest(key=key):
        if math.isfinite(sqnr):
          self.assertAlmostEqual(measured[key], sqnr, delta=TOLERANCE_DB)
        else:
          self.assertEqual(str(measured[key]), str(sqnr))

  def test_errors_add_up_on_the_second_path(self):
    alone = self.measure(prepared('candidates'))
    together = self.measure(prepared('path'))
    both = [key for key in together
            if key in alone and math.isfinite(together[key])
            and math.isfinite(alone[key])]
    self.assertGreater(len(both), 0)
    mean = lambda sqnr: sum(sqnr[key] for key in both) / len(both)
    self.assertLessEqual(mean(together), mean(alone) + 0.1)
    self.assertGreater(mean(together), 3)


if __name__ == '__main__':
  NS, SAVE, LIBRARY, FLOAT, INPUTS = sys.argv[1:6]
  torch.set_num_threads(1)
  unittest.main(argv=sys.argv[:1])
