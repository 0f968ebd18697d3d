"""Holds `ns quantize` to what PyTorch's prepare_fx and convert_fx make.

  quantize_reference_test.py NS

Prints a table: the SQNR of the outputs on held-out inputs, of PyTorch's default
mapping, of `--compat=torch-1.13`, which has the same outputs to the bit, of ours
by default, and of ours with the layers in float that PyTorch leaves there.
"""

import copy
import json
import os
import subprocess
import sys
import tempfile
from typing import Any, Callable, Dict, List, Optional, Set, Tuple
import unittest
import warnings

warnings.filterwarnings('ignore')

# PyTorch 1.13 corrupts memory with AMX, and takes quantized layers of equal
# scales for one another. Of several threads, which set_num_threads takes back
# too late, float convolutions sum in another order than of one.
os.environ.update(
    LRU_CACHE_CAPACITY='1',
    OMP_NUM_THREADS='1',
    ONEDNN_MAX_CPU_ISA='AVX512_CORE_VNNI')

import torch
from torch import nn
from torch.ao import quantization as tq
from torch.ao.quantization import quantize_fx
import torch.nn.functional as F
import torchvision

import common
import reference_quantized

SEED = 7
ENGINES = {'fbgemm': 'onednn', 'onednn': 'onednn', 'qnnpack': 'qnnpack'}

# What PyTorch gets wrong on qnnpack: clamps of channels-last tensors are of
# other elements, and average pools count padding.
WRONG_ON_QNNPACK = {'functions', 'mobilenet_block', 'mobilenet_v2',
                    'other_modules'}
# qnnpack cannot save convolutions of three dimensions.
FLOAT_ON_QNNPACK = {'many_convs'}
# Layers that prepare_fx does not observe by mistake (fx_unobserved.h) run in
# float there, on qnnpack with kernels that sum in another order.
FLOAT_BY_MISTAKE = {'attention', 'shapes'}
# Tracing makes tensors of the numbers in a model.
TRACED = {'traced_numbers'}
# Networks whose outputs are noise once they are quantized: their weights are
# random.
NOISE = {'mobilenet_v2', 'mobilenet_v3_small', 'resnet18'}

with open('/proc/cpuinfo', encoding='utf-8') as cpuinfo:
  HAS_VNNI = 'vnni' in cpuinfo.read()


def target_flags(backend: str) -> List[str]:
  """What makes a model of ours compute well on this processor."""
  without_vnni = backend == 'onednn' and not HAS_VNNI
  return ['--target=onednn-avx2'] if without_vnni else []


def depends_on_processor(backend: str, name: str) -> bool:
  """Whether sums of oneDNN saturate without VNNI, where activations and weights
  have 8 bits, and whether its float kernels, of which noise is made, then sum in
  another order."""
  return not HAS_VNNI and (backend == 'onednn' or name in NOISE)


class Attention(nn.Module):
  """A transformer block."""

  def __init__(self) -> None:
    super().__init__()
    self.q = nn.Linear(32, 32)
    self.k = nn.Linear(32, 32)
    self.v = nn.Linear(32, 32)
    self.out = nn.Linear(32, 32)
    self.norm1 = nn.LayerNorm(32)
    self.norm2 = nn.LayerNorm(32)
    self.up = nn.Linear(32, 128)
    self.relu = nn.ReLU()
    self.down = nn.Linear(128, 32)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    batch, steps = x.size(0), x.size(1)
    q = self.q(x).reshape(batch, steps, 4, 8).transpose(1, 2)
    k = self.k(x).reshape(batch, steps, 4, 8).transpose(1, 2)
    v = self.v(x).reshape(batch, steps, 4, 8).transpose(1, 2)
    weights = torch.softmax(torch.matmul(q, k.transpose(-2, -1)), -1)
    y = torch.matmul(weights, v).transpose(1, 2).reshape(batch, steps, 32)
    x = self.norm1(x + self.out(y))
    return self.norm2(x + self.down(self.relu(self.up(x))))


class GroupNorm(nn.Module):

  def __init__(self) -> None:
    super().__init__()
    self.conv = nn.Conv2d(3, 8, 3, padding=1)
    self.norm = nn.GroupNorm(2, 8)
    self.last = nn.Conv2d(8, 8, 3)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.last(F.relu(self.norm(self.conv(x))))


class ConvTranspose(nn.Module):

  def __init__(self) -> None:
    super().__init__()
    self.conv = nn.Conv2d(3, 8, 3, stride=2, padding=1)
    self.norm = nn.BatchNorm2d(8)
    self.up = nn.ConvTranspose2d(8, 6, 2, stride=2)
    self.up_norm = nn.BatchNorm2d(6)
    self.last = nn.Conv2d(6, 3, 3, padding=1)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = F.relu(self.norm(self.conv(x)))
    return self.last(F.relu(self.up_norm(self.up(x))))


class LinearBn(nn.Module):

  def __init__(self) -> None:
    super().__init__()
    self.first = nn.Linear(16, 32)
    self.norm = nn.BatchNorm1d(32)
    self.last = nn.Linear(32, 8)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.last(self.norm(self.first(x)))


class Numbers(nn.Module):
  """Sums and products with numbers, which choose their qparams."""

  def __init__(self) -> None:
    super().__init__()
    self.first = nn.Linear(16, 32)
    self.second = nn.Linear(32, 32)
    self.last = nn.Linear(32, 8)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    y = torch.relu(self.first(x * 0.5) * 3 + 1.5)
    y = 0.7 * self.second(torch.relu(y * 0.3)) + 100
    return self.last(torch.matmul(y, y.transpose(-2, -1)) * 0.125) * -2


class NumbersInCat(nn.Module):
  """What chose its qparams comes first in a concatenation, by itself or pooled
  or reshaped."""

  def __init__(self) -> None:
    super().__init__()
    self.stem = nn.Conv2d(3, 8, 3, padding=1)
    self.box = nn.Conv2d(8, 4, 1)
    self.score = nn.Conv2d(8, 4, 1)
    self.first = nn.Conv2d(8, 4, 1)
    self.second = nn.Conv2d(8, 4, 1)
    self.last = nn.Conv2d(8, 4, 1)

  def forward(
      self, x: torch.Tensor
  ) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    x = F.relu(self.stem(x))
    boxes = torch.sigmoid(self.box(x)) * 640.0
    scores = torch.sigmoid(self.score(x))
    y = torch.cat([F.max_pool2d(self.first(x) * 3 + 1, 3, 1, 1),
                   self.second(x)], 1)
    return (torch.cat([boxes, scores], 1), self.last(y),
            torch.cat([boxes.reshape(4, 4, -1), scores.reshape(4, 4, -1)], 1))


class OtherModules(nn.Module):
  """Modules that prepare_fx does not list, though it lists functions that do
  the same."""

  def __init__(self) -> None:
    super().__init__()
    self.conv = nn.Conv2d(3, 8, 1)
    self.pool = nn.AvgPool2d(3, 2, 1, count_include_pad=False)
    self.upsample = nn.Upsample(scale_factor=2)
    self.norm = nn.GroupNorm(2, 8)
    self.gelu = nn.GELU()
    self.last = nn.Conv2d(8, 8, 1)
    self.mean = nn.AdaptiveAvgPool2d(2)
    self.flatten = nn.Flatten()
    self.batch_norm = nn.BatchNorm1d(32)
    self.fc = nn.Linear(32, 8)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.upsample(self.pool(F.relu(self.conv(x))))
    x = self.mean(self.last(self.gelu(self.norm(x))))
    return self.fc(self.batch_norm(self.flatten(x)))


class Spellings(nn.Module):
  """Calls that prepare_fx knows under another spelling."""

  def __init__(self) -> None:
    super().__init__()
    for name in ('a', 'b', 'c', 'd', 'e'):
      setattr(self, name, nn.Linear(16, 16))
    self.weight = nn.Parameter(torch.randn(16, 16) / 4)
    self.bias = nn.Parameter(torch.randn(16))

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    y = self.a(x)
    z = self.b(torch.relu(y))
    z += y
    z = F.relu_(z)
    y = self.c(z)
    y = y.add(z)
    y = y.flatten(1)
    y = torch.addmm(self.bias, y, self.weight)
    y = self.d(y) @ self.e(x).t()
    return torch.bmm(y[None], y[None])


class InterpolatedCat(nn.Module):
  """Values of one scale on several ways."""

  def __init__(self) -> None:
    super().__init__()
    self.first = nn.Conv2d(3, 4, 1)
    self.last = nn.Conv2d(8, 4, 1)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    y = F.relu(self.first(x))
    z = F.interpolate(F.avg_pool2d(y, 2), scale_factor=2.0, mode='nearest')
    return self.last(torch.cat([z, y], 1))


def images(channels: int = 3, size: int = 32) -> Callable[[], Tuple[Any, ...]]:
  return lambda: (common.images(4, channels=channels, size=size),)


def of_reference(name: str) -> Tuple[Any, Any]:
  case = reference_quantized.CASES[name]
  return case.model, case.inputs


CASES: Dict[str, Tuple[Callable[[], nn.Module], Callable[[], Tuple[Any, ...]]]]
CASES = {
    name: of_reference(name) for name in (
        'efficientnet_block', 'functions', 'many_convs', 'mlp',
        'mobilenet_block', 'resize', 'resnet_block', 'shapes')
}
CASES.update({
    'attention': (Attention, lambda: (torch.randn(4, 10, 32),)),
    'conv_transpose': (ConvTranspose, images()),
    'group_norm': (GroupNorm, images()),
    'interpolated_cat': (InterpolatedCat, images()),
    'linear_bn': (LinearBn, lambda: (torch.randn(32, 16),)),
    'numbers': (Numbers, lambda: (torch.randn(32, 16),)),
    'numbers_in_cat': (NumbersInCat, images()),
    'other_modules': (OtherModules, images()),
    'spellings': (Spellings, lambda: (torch.randn(32, 16),)),
    'traced_numbers': (Numbers, lambda: (torch.randn(32, 16),)),
})
for network in ('mobilenet_v2', 'mobilenet_v3_small', 'resnet18'):
  CASES[network] = (
      lambda network=network: getattr(torchvision.models, network)(
          num_classes=10), images(3, 64))


def sqnr(x: torch.Tensor, y: torch.Tensor) -> float:
  x, y = x.double(), y.double()
  return float(20 * torch.log10(x.norm() / (x - y).norm()))


def outputs(model: Any, batches: List[Any]) -> torch.Tensor:
  with torch.no_grad():
    results = [model(*batch) for batch in batches]
  return torch.cat([
      part.flatten() for result in results
      for part in (result if isinstance(result, tuple) else (result,))])


def by_torch(model: nn.Module, batches: List[Any],
             backend: str) -> Optional[nn.Module]:
  """None where PyTorch cannot do it."""
  try:
    observed = quantize_fx.prepare_fx(
        copy.deepcopy(model), tq.get_default_qconfig_mapping(backend),
        batches[0])
    outputs(observed, batches)
    return quantize_fx.convert_fx(observed)
  except Exception as error:  # pylint: disable=broad-except
    print('  torch:', str(error).split('\n', maxsplit=1)[0])
    return None


def not_observed(report: Dict[str, Any]) -> Set[str]:
  """The layers that --compat left in float as prepare_fx does."""
  return {layer['name'] for layer in report['stayed_float']
          if layer['reason'] == 'prepare_fx does not observe it'}


class QuantizeReferenceTest(unittest.TestCase):

  def quantize(self, folder: str, backend: str,
               *flags: str) -> Tuple[Any, Dict[str, Any]]:
    """The quantized model, and the report."""
    out = os.path.join(folder, 'quantized.pt')
    result = subprocess.run(
        [NS, 'quantize', '--float=' + os.path.join(folder, 'float.pt'),
         '--inputs=' + os.path.join(folder, 'inputs.pt'), '--out=' + out,
         '--backend=' + backend, '--threads=1', '--quiet', '--json=-', *flags],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    self.assertEqual(result.returncode, 0, result.stderr)
    return torch.jit.load(out), json.loads(result.stdout)

  def gains(self, backend: str) -> Dict[str, Tuple[float, float]]:
    """Holds compat to PyTorch; what ours has more, in dB.

    The first is that of the default. The second is that of the default with those
    layers in float that prepare_fx does not observe, and so leaves there: to run
    more layers in int8 is less exact.
    """
    torch.backends.quantized.engine = ENGINES[backend]
    print(f'{backend:20} {"torch":>7} {"compat":>7} {"ours":>7} {"like":>7}')
    gains = {}
    for name, (make, inputs) in CASES.items():
      torch.manual_seed(SEED)
      model = make().eval()
      if inputs()[0].dim() > 2:
        common.settle_norms(model, [inputs() for _ in range(2)])
      model.eval()
      calibration = [inputs() for _ in range(4)]
      held_out = [inputs() for _ in range(3)]
      with tempfile.TemporaryDirectory() as folder:
        scripted = (torch.jit.trace(model, inputs()) if name in TRACED else
                    torch.jit.script(model))
        scripted.save(os.path.join(folder, 'float.pt'))
        torch.save(calibration, os.path.join(folder, 'inputs.pt'))
        compat, report = self.quantize(folder, backend, '--compat=torch-1.13')
        ours, defaults = self.quantize(folder, backend, *target_flags(backend))
        kept = not_observed(report) & {x['name'] for x in defaults['layers']}
        like = ours if not kept else self.quantize(
            folder, backend, '--keep=' + ','.join(sorted(kept)),
            *target_flags(backend))[0]
        exact = outputs(model, held_out)
        y, z = outputs(compat, held_out), outputs(ours, held_out)
      w = outputs(like, held_out)
      reference = None
      if not (backend == 'qnnpack' and name in FLOAT_ON_QNNPACK):
        reference = by_torch(model, calibration, backend)
      x = None if reference is None else outputs(reference, held_out)
      theirs = float('nan') if x is None else sqnr(exact, x)
      print(f'  {name:18} {theirs:7.2f} {sqnr(exact, y):7.2f} '
            f'{sqnr(exact, z):7.2f} {sqnr(exact, w):7.2f}', flush=True)
      self.assertTrue(torch.isfinite(z).all())
      if x is None:
        continue
      if backend == 'qnnpack' and name in WRONG_ON_QNNPACK:
        self.assertGreater(sqnr(exact, y), theirs)
        continue
      if depends_on_processor(backend, name):
        continue
      with self.subTest(backend=backend, case=name):
        if backend == 'qnnpack' and name in FLOAT_BY_MISTAKE:
          # Its float kernels sum in another order.
          self.assertLess(abs(sqnr(exact, y) - theirs), 0.1)
        else:
          self.assertTrue(torch.equal(x, y))
      gains[name] = (sqnr(exact, z) - theirs, sqnr(exact, w) - theirs)
    return gains

  def check(self, backend: str) -> None:
    # How a few small weights happen to be rounded is worth half a dB either way.
    gains = self.gains(backend)
    if not gains:
      self.skipTest('the processor has no VNNI')
    self.assertGreater(sum(gain for gain, _ in gains.values()), 0)
    worse = {name: like for name, (_, like) in gains.items()
             if like < -1 and name not in NOISE}
    self.assertEqual(worse, {})

  def test_fbgemm(self) -> None:
    self.check('fbgemm')

  def test_onednn(self) -> None:
    self.check('onednn')

  def test_qnnpack(self) -> None:
    self.check('qnnpack')


if __name__ == '__main__':
  NS = sys.argv[1]
  torch.set_num_threads(1)
  unittest.main(argv=sys.argv[:1])
