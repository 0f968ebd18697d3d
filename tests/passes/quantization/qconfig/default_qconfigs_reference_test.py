"""Holds default observers, qconfigs and mappings to those of PyTorch.

  default_qconfigs_reference_test.py PRINT_DEFAULT_QCONFIGS

PyTorch's are read from the arguments that they are bound to and the defaults of
the constructors: each option of each observer is equal, and so are the integers
that a constructed observer quantizes to. All that PyTorch has are among ours.
"""

import collections
import inspect
import subprocess
import sys
import unittest
import warnings

import torch
from torch.ao.quantization import fake_quantize, observer, qconfig
from torch.ao.quantization import qconfig_mapping as mappings

warnings.filterwarnings('ignore')

KINDS = {
    observer.MinMaxObserver: 'minmax',
    observer.MovingAverageMinMaxObserver: 'moving-average',
    observer.PerChannelMinMaxObserver: 'minmax-per-channel',
    observer.MovingAveragePerChannelMinMaxObserver: 'moving-average-per-channel',
    observer.HistogramObserver: 'histogram',
    observer.FixedQParamsObserver: 'fixed',
    observer.PlaceholderObserver: 'placeholder',
    observer.NoopObserver: 'noop',
    observer.RecordingObserver: 'recording',
    observer.ReuseInputObserver: 'reuse-input',
}
NUMBERS = ['eps', 'averaging_constant', 'scale', 'percentile']
BACKENDS = ['fbgemm', 'x86', 'onednn', 'qnnpack']
nn, F = torch.nn, torch.nn.functional
# Families, by what PyTorch's mappings have for them.
FAMILIES = {
    'reshape': ['reshape'],
    'conv1d': [nn.Conv1d, F.conv1d],
    'conv2d': [nn.Conv2d, F.conv2d],
    'conv3d': [nn.Conv3d, F.conv3d],
    'conv_transpose1d': [nn.ConvTranspose1d, F.conv_transpose1d],
    'conv_transpose2d': [nn.ConvTranspose2d, F.conv_transpose2d],
    'conv_transpose3d': [nn.ConvTranspose3d, F.conv_transpose3d],
    'linear': [nn.Linear, F.linear],
    'relu': [nn.ReLU, F.relu, torch.relu],
    'batch_norm': [nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d],
    'layer_norm': [F.layer_norm, nn.LayerNorm],
    'hardsigmoid': [nn.Hardsigmoid, F.hardsigmoid, 'hardsigmoid', 'hardsigmoid_'],
    'sigmoid': [nn.Sigmoid, torch.sigmoid, 'sigmoid', 'sigmoid_'],
    'torch.nn.modules.activation.Softmax': [nn.Softmax],
    'tanh': [nn.Tanh, torch.tanh, 'tanh', 'tanh_'],
}


def text(value):
  if isinstance(value, bool):
    return str(value).lower()
  return str(value).replace('torch.', '')


def bound(factory):
  """The class that `factory` makes, and the arguments that it is bound to."""
  arguments = {}
  while not inspect.isclass(factory):
    partial = factory.p
    arguments = {**partial.keywords, **arguments}
    factory = partial.func
  return factory, arguments


def defaults_of(cls):
  return {name: parameter.default
          for name, parameter in inspect.signature(cls.__init__).parameters.items()
          if parameter.default is not inspect.Parameter.empty}


def described(factory):
  """(use, options) of what `factory` makes."""
  cls, arguments = bound(factory)
  if cls is nn.Identity:
    cls = observer.PlaceholderObserver
  use = 'observe'
  if issubclass(cls, fake_quantize.FakeQuantizeBase):
    use = ('fused' if cls is fake_quantize.FusedMovingAvgObsFakeQuantize
           else 'fake')
    arguments = {**defaults_of(cls), **arguments}
    cls, inner = bound(arguments.pop('observer'))
    arguments = {**inner, **{name: value for name, value in arguments.items()
                             if value is not None}}
  options = {**defaults_of(cls), **arguments}
  if cls in (observer.RecordingObserver, observer.ReuseInputObserver):
    options['dtype'] = cls().dtype
  options.pop('factory_kwargs', None)
  return use, {'kind': KINDS[cls],
               **{name: text(value) for name, value in options.items()
                  if value is not None}}


def grid_of(factory):
  made = factory()
  made = getattr(made, 'activation_post_process', made)
  if not hasattr(made, 'quant_min'):
    return None
  return f'{made.quant_min}..{made.quant_max}'


class DefaultQConfigsTest(unittest.TestCase):

  @classmethod
  def setUpClass(cls):
    printed = subprocess.run([PRINT], check=True, stdout=subprocess.PIPE,
                             universal_newlines=True).stdout
    # What -> name -> place -> (use, options).
    cls.ours = collections.defaultdict(lambda: collections.defaultdict(dict))
    for line in printed.splitlines():
      what, name, place, use, *options = line.split('\t')
      cls.ours[what][name][place] = use, dict(o.split('=', 1) for o in options)

  def check(self, found, factory, label):
    use, options = found
    options = dict(options)
    expected_use, expected = described(factory)
    self.assertEqual(use, expected_use, label)
    self.assertEqual(options.pop('grid', None), grid_of(factory), label)
    kind = dict(self.ours['kind'][expected['kind']][''][1])
    kind.pop('grid', None)
    self.assertEqual(set(expected) - set(kind) - {'quant_min', 'quant_max',
                                                  'compute_dtype'}, set(), label)
    expected = {**kind, **expected}
    for number in NUMBERS:
      self.assertEqual(float(options.pop(number)), float(expected.pop(number)),
                       f'{label}: {number}')
    self.assertEqual(options, expected, label)

  def check_qconfig(self, found, expected, label):
    self.check(found['activation'], expected.activation, f'{label}: activation')
    self.check(found['weight'], expected.weight, f'{label}: weight')

  def test_observers(self):
    expected = {
        name: value for module in (observer, fake_quantize)
        for name, value in vars(module).items()
        if name.startswith(('default_', 'weight_', 'per_channel_', 'fused_'))
        and (isinstance(value, observer._PartialWrapper) or inspect.isclass(value))
        and 'symmetric_fixed' not in name and 'affine_fixed' not in name}
    self.assertEqual(set(self.ours['observer']), set(expected))
    for name, factory in expected.items():
      self.check(self.ours['observer'][name][''], factory, name)

  def test_qconfigs(self):
    expected = {name: value for name, value in vars(qconfig).items()
                if isinstance(value, qconfig.QConfig)}
    self.assertEqual(set(self.ours['qconfig']), set(expected))
    for name, value in expected.items():
      self.check_qconfig(self.ours['qconfig'][name], value, name)

  def test_backends(self):
    for backend in BACKENDS:
      self.check_qconfig(self.ours['backend'][backend],
                         qconfig.get_default_qconfig(backend), backend)
      for version in (0, 1):
        self.check_qconfig(self.ours[f'qat{version}'][backend],
                           qconfig.get_default_qat_qconfig(backend, version),
                           f'{backend} {version}')

  def check_mapping(self, what, expected):
    found = self.ours[what]
    self.check_qconfig(found[''], expected.global_qconfig, what)
    types = dict(expected.object_type_qconfigs)
    names = []
    for name, family in FAMILIES.items():
      self.assertIn(name, found, what)
      names.append(name)
      for key in family:
        self.check_qconfig(found[name], types.pop(key), f'{what}, {key}')
    self.assertEqual(types, {}, what)
    self.assertEqual([''] + names, list(found), what)
    for others in (expected.module_name_regex_qconfigs,
                   expected.module_name_qconfigs,
                   expected.module_name_object_type_order_qconfigs):
      self.assertEqual(len(others), 0)

  def test_mappings(self):
    for backend in BACKENDS:
      self.check_mapping(f'mapping {backend}',
                         mappings.get_default_qconfig_mapping(backend))
      for version in (0, 1):
        self.check_mapping(
            f'qat{version} mapping {backend}',
            mappings.get_default_qat_qconfig_mapping(backend, version))


if __name__ == '__main__':
  PRINT = sys.argv.pop(1)
  unittest.main()
