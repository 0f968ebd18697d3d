"""Holds `ns sensitivity` to PyTorch's observers, fake quantization and kernels.

  sensitivity_reference_test.py NS FLOAT INPUTS REFERENCE
"""

import json
import subprocess
import sys
import unittest

TOLERANCE_DB = 0.1
# Kernels requantize with a bias that is an integer, too.
KERNEL_TOLERANCE_DB = 0.3


class SensitivityReferenceTest(unittest.TestCase):

  @classmethod
  def setUpClass(cls):
    ns, float_path, inputs, reference = ARGUMENTS
    output = subprocess.run(
        [ns, 'sensitivity', f'--float={float_path}', f'--inputs={inputs}',
         '--json=-'], check=True, stdout=subprocess.PIPE).stdout
    cls.layers = {
        layer['name']: {c['name']: c['sqnr_db'] for c in layer['candidates']}
        for layer in json.loads(output)['layers']
    }
    with open(reference) as file:
      cls.reference = json.load(file)

  def test_layers_and_candidates_are_the_same(self):
    self.assertEqual(
        {name: set(sqnr) for name, sqnr in self.layers.items()},
        {name: set(sqnr) for name, sqnr in self.reference['layers'].items()})

  def test_figures_agree(self):
    for name, candidates in self.reference['layers'].items():
      for candidate, expected in candidates.items():
        with self.subTest(layer=name, candidate=candidate):
          self.assertAlmostEqual(self.layers[name][candidate], expected,
                                 delta=TOLERANCE_DB)

  def test_real_int8_kernels_lose_what_is_predicted(self):
    self.assertGreater(len(self.reference['kernels']), 0)
    for name, expected in self.reference['kernels'].items():
      with self.subTest(layer=name):
        self.assertAlmostEqual(self.layers[name]['int8 per tensor'], expected,
                               delta=KERNEL_TOLERANCE_DB)


if __name__ == '__main__':
  ARGUMENTS = sys.argv[1:5]
  unittest.main(argv=sys.argv[:1])
