"""Runs saved prepared models in plain Python, with our op library alone.

  saved_prepared_test.py SAVE_PREPARED LIBNS_OPS FLOAT QUANTIZED INPUTS ANSWERS

Outputs must be bit-identical to the quantized model's, and the stubs of residual
blocks have the figures of PyTorch's suite.
"""

import math
import os
import subprocess
import sys
import tempfile
import unittest

import torch

SAVE, OPS, FLOAT, QUANTIZED, INPUTS, ANSWERS = map(os.path.abspath,
                                                   sys.argv[1:7])


def sqnr_db(pairs):
  signal = sum(float((x.double() ** 2).sum()) for x, _ in pairs)
  noise = sum(float(((x.double() - y.double()) ** 2).sum()) for x, y in pairs)
  return 10 * math.log10(signal / noise)


class SavedPreparedTest(unittest.TestCase):

  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    torch.backends.quantized.engine = 'onednn'
    torch.set_grad_enabled(False)
    torch.ops.load_library(OPS)
    cls.batches = torch.load(INPUTS)
    cls.expected = [torch.jit.load(QUANTIZED)(*batch) for batch in cls.batches]
    with tempfile.TemporaryDirectory() as folder:
      paths = [os.path.join(folder, name) for name in ('stubs', 'outputs')]
      subprocess.run(
          [SAVE, FLOAT, QUANTIZED, 'QuantizableBasicBlock', *paths], check=True)
      cls.stubs, cls.outputs = (torch.jit.load(path) for path in paths)

  def run_all(self, model):
    """Runs all batches; the stats of each layer."""
    for batch, expected in zip(self.batches, self.expected):
      self.assertTrue(torch.equal(model(*batch), expected))
    stats = {}
    index = 0
    while hasattr(model, f'ns_logger_{index}'):
      info = getattr(model, f'ns_logger_{index}_info')
      stats[info['layer'] + '.stats'] = getattr(
          model, f'ns_logger_{index}').get_stats()
      index += 1
    return stats

  def test_stubs_have_the_figures_of_the_reference(self):
    with open(ANSWERS, encoding='utf-8') as file:
      lines = [line.split() for line in file]
    expected = {key: float(db) for kind, key, db in lines if kind == 'stubs'}
    stats = self.run_all(self.stubs)
    self.assertEqual(set(stats), set(expected))
    self.assertEqual(len(stats), 8)
    for key, values in stats.items():
      self.assertEqual(len(values['float']), len(self.batches))
      pairs = zip(values['float'], (y.dequantize() for y in values['quantized']))
      self.assertAlmostEqual(sqnr_db(list(pairs)), expected[key], delta=0.1)

  def test_output_loggers_see_every_batch(self):
    stats = self.run_all(self.outputs)
    self.assertIn('quant.stats', stats)
    self.assertIn('layer1.0.conv1.stats', stats)
    for key, values in stats.items():
      self.assertEqual(len(values), len(self.batches), key)


if __name__ == '__main__':
  unittest.main(argv=sys.argv[:1])
