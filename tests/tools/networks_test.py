"""What `ns quantize` costs the networks of tools/networks in top-1."""

import os
import sys
import unittest

import torch

import cli
from quantizing import QuantizeTest, load, run, sqnr

sys.path.insert(0, cli.CASES)
from networks import NETWORKS, depthwise_spreads

# The images to calibrate with are the first of those that are classified.
CALIBRATION_BATCHES = 8
IMAGES = 256
# Measured: 2 to 4 other classes, and 3 fewer right at most.
MOST_CHANGED, MOST_LOST = 6, 4


def network(name):
  return torch.jit.load(os.path.join(cli.CASES, name + '.pt'))


def classes(outputs):
  return torch.cat([y.argmax(1) for y in outputs])


class NetworksTest(QuantizeTest):

  def setUp(self):
    super().setUp()
    self.images = load('images.pt')
    self.labels = torch.cat(load('labels.pt'))

  def right(self, outputs):
    self.assertEqual(len(self.labels), IMAGES)
    return int((classes(outputs) == self.labels).sum())

  def quantized(self, name, *flags, engine='onednn'):
    """The outputs of what `ns quantize` makes of a network."""
    self.quantize(*flags, command=(
        'quantize', f'--float={name}.pt', '--inputs=images.pt', '--threads=1',
        f'--max-batches={CALIBRATION_BATCHES}'))
    return self.outputs(self.images, engine=engine)

  def assert_kept(self, name, least_right):
    expected = run(network(name), self.images)
    self.assertGreaterEqual(self.right(expected), least_right)
    outputs = self.quantized(name)
    changed = int((classes(outputs) != classes(expected)).sum())
    self.assertLessEqual(changed, MOST_CHANGED)
    lost = self.right(expected) - self.right(outputs)
    self.assertLessEqual(lost, MOST_LOST)

  def test_a_residual_network_keeps_its_classes(self):
    self.assert_kept('residual', least_right=230)

  def test_inverted_residuals_with_spread_channels_keep_their_classes(self):
    self.assert_kept('mobile_v2', least_right=230)

  def test_hardswish_and_squeeze_excite_keep_their_classes(self):
    self.assert_kept('mobile_v3', least_right=230)

  def test_a_transformer_keeps_its_classes(self):
    self.assert_kept('vit', least_right=220)

  def test_one_scale_for_spread_channels_costs_much(self):
    expected = run(network('mobile_v2'), self.images)
    per_channel = sqnr(self.quantized('mobile_v2'), expected)
    per_tensor = sqnr(self.quantized('mobile_v2', '--backend=qnnpack',
                                     engine='qnnpack'), expected)
    self.assertLess(per_tensor, per_channel - 6)

  def test_the_channels_of_depthwise_layers_spread(self):
    spreads = depthwise_spreads(network('mobile_v2').state_dict())
    self.assertEqual(len(spreads), 4)
    for name, spread in spreads.items():
      self.assertGreaterEqual(spread, 30, name)

  def test_a_spread_is_of_folded_weights(self):
    weight = torch.tensor([[[[1., -3.]]], [[[2., 1.]]]])
    state = {'x.depthwise.0.weight': weight,
             'x.depthwise.1.weight': torch.tensor([-2., 0.5]),
             'x.depthwise.1.running_var': torch.tensor([4., 25.]),
             'x.project.0.weight': torch.ones(2, 2, 1, 1)}
    spreads = depthwise_spreads(state)
    self.assertEqual(list(spreads), ['x.depthwise.0'])
    # 3 x 2 / 2 and 2 x 0.5 / 5.
    self.assertAlmostEqual(spreads['x.depthwise.0'], 15, 3)

  def test_the_files_are_of_the_code(self):
    for name, make in NETWORKS.items():
      model = make().eval()
      model.load_state_dict(network(name).state_dict())
      for x, y in zip(run(model, self.images[:1]),
                      run(network(name), self.images[:1])):
        torch.testing.assert_close(x, y)


if __name__ == '__main__':
  unittest.main()
