"""Small models, each for one thing that a matcher has to cope with."""

import copy
from typing import Dict

import torch
from torch import nn
from torch.ao import quantization as tq
from torch.ao.quantization import quantize_fx
from torch.nn import functional as F

try:
  from torch.ao.nn.intrinsic import qat as nniqat
except ImportError:  # before torch 2
  from torch.nn.intrinsic import qat as nniqat

import common


class ConvBnRelu(nn.Module):
  """The block that quantization fuses into one op."""

  def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
    super().__init__()
    self.conv = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
    self.bn = nn.BatchNorm2d(outputs)
    self.relu = nn.ReLU(inplace=True)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.relu(self.bn(self.conv(x)))

  def fuse(self) -> None:
    tq.fuse_modules(self, ['conv', 'bn', 'relu'], inplace=True)


class Functional(nn.Module):
  """Weights as parameters, layers as calls of functions."""

  def __init__(self) -> None:
    super().__init__()
    self.w1 = nn.Parameter(0.3 * torch.randn(8, 4, 3))
    self.b1 = nn.Parameter(0.1 * torch.randn(8))
    self.w1b = nn.Parameter(0.2 * torch.randn(8, 8, 3))
    self.w2 = nn.Parameter(0.3 * torch.randn(8, 3, 3, 3))
    self.b2 = nn.Parameter(0.1 * torch.randn(8))
    self.w2b = nn.Parameter(0.1 * torch.randn(8, 8, 3, 3))
    self.w3 = nn.Parameter(0.2 * torch.randn(6, 2, 3, 3, 3))
    self.b3 = nn.Parameter(0.1 * torch.randn(6))
    self.w3b = nn.Parameter(0.1 * torch.randn(6, 6, 3, 3, 3))
    self.w4 = nn.Parameter(0.2 * torch.randn(16, 22))
    self.b4 = nn.Parameter(0.1 * torch.randn(16))
    self.w5 = nn.Parameter(0.2 * torch.randn(16, 16))
    self.b5 = nn.Parameter(0.1 * torch.randn(16))

  def forward(self, x: torch.Tensor, y: torch.Tensor,
              z: torch.Tensor) -> torch.Tensor:
    # All arguments are spelled out: quantized prepacking has no defaults.
    x = F.relu(F.conv1d(x, self.w1, self.b1, [1], [1], [1], 1))
    x = F.conv1d(x, self.w1b, None, [1], [1], [1], 1)
    y = F.conv2d(y, self.w2, self.b2, [2, 2], [1, 1], [1, 1], 1)
    y = F.relu(F.conv2d(y, self.w2b, None, [1, 1], [1, 1], [1, 1], 1))
    z = F.relu(
        F.conv3d(z, self.w3, self.b3, [1, 1, 1], [1, 1, 1], [1, 1, 1], 1))
    z = F.conv3d(z, self.w3b, None, [1, 1, 1], [1, 1, 1], [1, 1, 1], 1)
    x = F.relu(torch.flatten(F.adaptive_avg_pool1d(x, 1), 1))
    y = torch.flatten(F.adaptive_avg_pool2d(y, 1), 1)
    z = torch.flatten(F.adaptive_avg_pool3d(z, 1), 1)
    both = torch.cat([x, y, z], dim=1)
    u = F.linear(both, self.w4, self.b4)
    v = F.relu(F.linear(u, self.w5, self.b5))
    w = torch.mul(torch.add(u, v), v)
    w = F.relu(torch.add(w, u))
    return torch.matmul(w, v.transpose(0, 1)) + 0.5


def functional() -> common.ModelPair:
  def batch():
    return (torch.randn(4, 4, 20), common.images(4, size=20),
            torch.randn(4, 2, 6, 8, 8))
  return common.fx_pair(Functional(), [batch() for _ in range(4)],
                               [batch() for _ in range(2)])


class Reuse(nn.Module):
  """A block and a linear, each called twice, with something in between."""

  def __init__(self) -> None:
    super().__init__()
    self.quant = tq.QuantStub()
    self.stem = ConvBnRelu(3, 8)
    self.block = ConvBnRelu(8, 8)
    self.pool = nn.AdaptiveAvgPool2d(1)
    self.fc = nn.Linear(8, 8)
    # Not a ReLU: FX would fuse it into both calls of the linear.
    self.hardswish = nn.Hardswish()
    self.head = nn.Linear(8, 5)
    self.dequant = tq.DeQuantStub()

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.stem(self.quant(x))
    x = self.block(self.block(x))
    x = torch.flatten(self.pool(x), 1)
    x = self.hardswish(self.fc(x))
    x = self.fc(x)
    return self.dequant(self.head(x))

  def fuse(self) -> None:
    self.stem.fuse()
    self.block.fuse()


def reuse() -> common.ModelPair:
  model, calibration, batches = _image_model(Reuse())
  return common.fx_pair(model, calibration, batches)


def reuse_eager() -> common.ModelPair:
  model, calibration, batches = _image_model(Reuse())
  return common.static_eager_pair(model, Reuse.fuse, calibration, batches)


class ControlFlow(nn.Module):
  """Layers in both arms of an if on the data, and in a loop."""

  def __init__(self) -> None:
    super().__init__()
    self.quant = tq.QuantStub()
    self.stem = ConvBnRelu(3, 8)
    self.bright = ConvBnRelu(8, 8)
    self.dark = nn.Conv2d(8, 8, 1)
    self.step = ConvBnRelu(8, 8)
    self.pool = nn.AdaptiveAvgPool2d(1)
    self.head = nn.Linear(8, 5)
    self.dequant = tq.DeQuantStub()

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    is_bright = bool(x.mean() > 0)
    trips = int(x.abs().max())
    x = self.stem(self.quant(x))
    if is_bright:
      x = self.bright(x)
    else:
      x = self.dark(x)
    for _ in range(trips):
      x = self.step(x)
    x = torch.flatten(self.pool(x), 1)
    return self.dequant(self.head(x))

  def fuse(self) -> None:
    self.stem.fuse()
    self.bright.fuse()
    self.step.fuse()


def control_flow() -> common.ModelPair:
  """Batches take the arms and trip counts (bright 2, dark 3, bright 1)."""
  def batches():
    result = []
    for peak, shift in ((2.5, 0.3), (3.5, -0.3), (1.5, 0.3)):
      image = common.images(2, size=24)
      image = image - image.mean() + shift
      result.append(image * (peak / image.abs().max()))
    return result
  model = ControlFlow()
  common.settle_norms(model, batches())
  return common.static_eager_pair(
      model, ControlFlow.fuse, batches() + batches(), batches(), suite='none',
      traceable=False, looped=frozenset({'step.conv'}))


class MultiIo(nn.Module):
  """Two inputs and a dict of outputs."""

  def __init__(self) -> None:
    super().__init__()
    self.left = nn.Linear(12, 16)
    self.right = nn.Linear(6, 16)
    self.relu = nn.ReLU()
    self.join = nn.Linear(16, 8)
    self.gate = nn.Linear(16, 8)

  def forward(self, x: torch.Tensor,
              y: torch.Tensor) -> Dict[str, torch.Tensor]:
    left = self.relu(self.left(x))
    both = left + self.right(y)
    joined = self.join(both)
    return {'joined': joined, 'gated': joined * self.gate(left)}


def multi_io() -> common.ModelPair:
  """Batches of keyword and of positional arguments."""
  def batch():
    return {'x': torch.randn(8, 12), 'y': 2 * torch.randn(8, 6)}
  batches = [batch(), tuple(batch().values()), dict(reversed(batch().items()))]
  return common.fx_pair(MultiIo(), [batch() for _ in range(4)], batches)


class SmallCnn(nn.Module):
  """Three conv blocks with a residual, then two linears."""

  def __init__(self) -> None:
    super().__init__()
    self.stem = ConvBnRelu(3, 8, stride=2)
    self.body = ConvBnRelu(8, 8)
    self.tail = nn.Conv2d(8, 16, 3, padding=1)
    self.tail_bn = nn.BatchNorm2d(16)
    self.pool = nn.AdaptiveAvgPool2d(2)
    self.fc = nn.Linear(64, 32)
    self.relu = nn.ReLU()
    self.head = nn.Linear(32, 10)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.stem(x)
    x = x + self.body(x)
    x = self.tail_bn(self.tail(x))
    x = torch.flatten(self.pool(x), 1)
    return self.head(self.relu(self.fc(x)))


def frozen() -> common.ModelPair:
  model, calibration, batches = _image_model(SmallCnn())
  return common.fx_pair(model, calibration, batches, freeze=True)


def partial() -> common.ModelPair:
  """A conv block, a linear and the last conv stay float."""
  model, calibration, batches = _image_model(SmallCnn())
  mapping = common.default_mapping()
  for name in ('body', 'body.conv', 'body.bn', 'body.relu', 'head'):
    mapping.set_module_name(name, None)
  return common.fx_pair(model, calibration, batches, mapping)


def qat() -> common.ModelPair:
  """Trained with fake quantization; the float model has the trained weights."""
  model, calibration, batches = _image_model(SmallCnn())
  prepared = quantize_fx.prepare_qat_fx(
      copy.deepcopy(model).train(),
      tq.get_default_qat_qconfig_mapping(common.QCONFIG_BACKEND),
      (calibration[0],))
  _train(prepared, calibration)
  _copy_trained(prepared, model)
  quantized = quantize_fx.convert_fx(copy.deepcopy(prepared).eval())
  # The suites compare with the float model, not with the fake quantized one.
  reference = quantize_fx.prepare_fx(
      copy.deepcopy(model).eval(), common.default_mapping(), (calibration[0],))
  return common.ModelPair(model.eval(), quantized, batches, reference, 'fx')


def _train(model: nn.Module, batches: list, steps: int = 12) -> None:
  optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
  for step in range(steps):
    batch = batches[step % len(batches)]
    # A task that depends on the image: which channel is bright where.
    target = F.adaptive_avg_pool2d(batch, 2).flatten(1)[:, :10].argmax(1)
    optimizer.zero_grad()
    F.cross_entropy(model(batch), target).backward()
    optimizer.step()


def _copy_trained(prepared: nn.Module, model: nn.Module) -> None:
  """Copies parameters and statistics of a QAT model to the original one."""
  norms = {'stem.conv': 'stem.bn', 'body.conv': 'body.bn', 'tail': 'tail_bn'}
  originals = dict(model.named_modules())
  for name, module in prepared.named_modules():
    original = originals.get(name)
    if not isinstance(original, (nn.Conv2d, nn.Linear)):
      continue
    original.weight.data.copy_(module.weight)
    if original.bias is not None:
      original.bias.data.copy_(module.bias)
    if isinstance(module, nniqat.ConvBn2d):
      state = module.bn.state_dict()
      originals[norms[name]].load_state_dict(state)


def _image_model(model: nn.Module):
  calibration = [common.images(4, size=24) for _ in range(4)]
  common.settle_norms(model, calibration)
  return model, calibration, [common.images(3, size=24) for _ in range(2)]


MODELS = {
    'functional': functional,
    'reuse': reuse,
    'reuse_eager': reuse_eager,
    'control_flow': control_flow,
    'multi_io': multi_io,
    'qat': qat,
    'partial': partial,
    'frozen': frozen,
}
