"""Models of torchvision, against themselves, quantized, lowered and compared.

Bazel runs it in several parts (shard_count)."""

import os
import unittest

import torch

from quantizing import QuantizeTest
from quantizing import sqnr
import torchvision_models

# Of outputs, in dB. The more random layers stand one after the other, the more
# noise they make of any.
LEAST_DB = 14
LEAST_DB_OF = {'mnasnet': 9, 'inception_v3': 9}


def tensors(outputs):
  """What a model returns, as one list."""
  if isinstance(outputs, torch.Tensor):
    return [outputs]
  if isinstance(outputs, dict):
    outputs = outputs.values()
  return [y for y in outputs if isinstance(y, torch.Tensor)]


def has_weight(layer):
  return 'conv' in layer['op'] or layer['op'] == 'aten::linear'


class TorchvisionTest(QuantizeTest):

  def compare(self, quantized):
    return self.json(
        'compare', f'--float={self.path("f.pt")}',
        f'--quantized={self.path(quantized)}',
        f'--inputs={self.path("i.pt")}', '--threads=1', '--max-batches=1')

  def assert_is_itself(self):
    result = self.compare('f.pt')
    figures = [layer[kind]['sqnr_db'] for layer in result['layers']
               for kind in ('activation', 'shadow')
               if layer.get(kind, {}).get('elements')]
    self.assertGreater(len(figures), 0)
    self.assertEqual(set(figures), {'inf'})
    self.assertEqual(result['unmatched'], [])

  def check(self, name):
    model, inputs = torchvision_models.make(name)
    model.save(self.path('f.pt'))
    torch.save(inputs, self.path('i.pt'))
    self.assert_is_itself()
    report = self.report(command=(
        'quantize', f'--float={self.path("f.pt")}',
        f'--inputs={self.path("i.pt")}', '--threads=1'))
    layers = [l['name'] for l in report['layers'] if has_weight(l)]
    others = [l for l in report['stayed_float'] if has_weight(l)]
    self.assertGreaterEqual(len(layers), 9 * len(others), others)
    with torch.no_grad():
      expected = [tensors(model(x)) for x in inputs]
    outputs = [tensors(y) for y in self.outputs(inputs)]
    for place in range(len(expected[0])):
      self.assertGreater(
          sqnr([y[place] for y in outputs], [y[place] for y in expected]),
          LEAST_DB_OF.get(name, LEAST_DB))
    self.succeed('lower', f'--in={self.path("q.pt")}',
                 f'--out={self.path("l.pt")}')
    self.assertGreaterEqual(len(self.compare('q.pt')['layers']), len(layers))


def shard(names):
  """Those of this part."""
  total = int(os.environ.get('TEST_TOTAL_SHARDS', 1))
  index = int(os.environ.get('TEST_SHARD_INDEX', 0))
  if 'TEST_SHARD_STATUS_FILE' in os.environ:
    with open(os.environ['TEST_SHARD_STATUS_FILE'], 'w', encoding='utf-8'):
      pass
  return [name for i, name in enumerate(names) if i % total == index]


for _name in shard(torchvision_models.MODELS):
  setattr(TorchvisionTest, f'test_{_name}',
          lambda self, name=_name: self.check(name))


if __name__ == '__main__':
  unittest.main()
