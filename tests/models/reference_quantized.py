#!/usr/bin/python3
"""Writes reference quantized models: float ops between dequantize and quantize.

  /usr/bin/python3 tests/models/reference_quantized.py --out=DIR [CASE...]

Each case has a folder with scripted.pt and traced.pt, what
torch.ao.quantization's convert_to_reference_fx gives; native.pt, what
convert_fx makes of the same observed model, traced; and inputs.pt, a list of one batch.

PyTorch 1.13 cannot script its reference modules (their annotations name
torch.qscheme). What is scripted is the model traced through by FX, whose layers
are function calls.
"""

import copy
import dataclasses
import os
import sys
import warnings

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True
warnings.filterwarnings('ignore')

from typing import Any, Callable, Dict, Optional, Tuple

import torch
from torch import nn
from torch.ao import quantization as tq
from torch.ao.quantization import quantize_fx
import torch.nn.functional as F

import case_main
import common

SEED = 20221215


class Mlp(nn.Module):
  """Linears with and without ReLU, an add and a norm."""

  def __init__(self) -> None:
    super().__init__()
    self.first = nn.Linear(24, 32)
    self.relu = nn.ReLU()
    self.second = nn.Linear(32, 32, bias=False)
    self.norm = nn.LayerNorm(32)
    self.head = nn.Linear(32, 10)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.relu(self.first(x))
    x = self.norm(x + self.second(x))
    return self.head(x)


class ResnetBlock(nn.Module):
  """A stem, a residual block with a downsampling conv, pools, a linear."""

  def __init__(self) -> None:
    super().__init__()
    self.stem = nn.Conv2d(3, 8, 7, stride=2, padding=3, bias=False)
    self.stem_bn = nn.BatchNorm2d(8)
    self.pool = nn.MaxPool2d(3, stride=2, padding=1)
    self.conv1 = nn.Conv2d(8, 16, 3, stride=2, padding=1, bias=False)
    self.bn1 = nn.BatchNorm2d(16)
    self.conv2 = nn.Conv2d(16, 16, 3, padding=1, bias=False)
    self.bn2 = nn.BatchNorm2d(16)
    self.down = nn.Conv2d(8, 16, 1, stride=2, bias=False)
    self.down_bn = nn.BatchNorm2d(16)
    self.relu = nn.ReLU(inplace=True)
    self.average = nn.AdaptiveAvgPool2d(1)
    self.fc = nn.Linear(16, 10)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.pool(self.relu(self.stem_bn(self.stem(x))))
    identity = self.down_bn(self.down(x))
    x = self.relu(self.bn1(self.conv1(x)))
    x = self.bn2(self.conv2(x))
    x += identity
    x = self.relu(x)
    return self.fc(torch.flatten(self.average(x), 1))


class MobilenetBlock(nn.Module):
  """Pointwise and depthwise convs, ReLU6, hardswish, squeeze and excite."""

  def __init__(self) -> None:
    super().__init__()
    self.expand = nn.Conv2d(6, 24, 1, bias=False)
    self.expand_bn = nn.BatchNorm2d(24)
    self.relu6 = nn.ReLU6()
    self.depthwise = nn.Conv2d(24, 24, 3, padding=1, groups=24, bias=False)
    self.depthwise_bn = nn.BatchNorm2d(24)
    self.hardswish = nn.Hardswish()
    self.squeeze = nn.AdaptiveAvgPool2d(1)
    self.reduce = nn.Conv2d(24, 8, 1)
    self.relu = nn.ReLU()
    self.excite = nn.Conv2d(8, 24, 1)
    self.gate = nn.Hardsigmoid()
    self.project = nn.Conv2d(24, 6, 1, bias=False)
    self.project_bn = nn.BatchNorm2d(6)
    self.head = nn.Conv2d(6, 4, 1)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    y = self.relu6(self.expand_bn(self.expand(x)))
    y = self.hardswish(self.depthwise_bn(self.depthwise(y)))
    gate = self.excite(self.relu(self.reduce(self.squeeze(y))))
    y = y * self.gate(gate)
    return self.head(x + self.project_bn(self.project(y)))


class EfficientnetBlock(nn.Module):
  """SiLU, squeeze and excite by a mean, a norm in front, float activations."""

  def __init__(self) -> None:
    super().__init__()
    self.norm = nn.BatchNorm2d(6)
    self.expand = nn.Conv2d(6, 24, 1)
    self.depthwise = nn.Conv2d(24, 24, 3, padding=1, groups=24)
    self.silu = nn.SiLU(inplace=True)
    self.reduce = nn.Conv2d(24, 8, 1)
    self.mish = nn.Mish()
    self.excite = nn.Conv2d(8, 24, 1)
    self.project = nn.Conv2d(24, 6, 1)
    self.gelu = nn.GELU()
    self.head = nn.Conv2d(6, 4, 1)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    y = self.silu(self.expand(F.relu(self.norm(x))))
    y = self.silu(self.depthwise(y))
    gate = y.mean([2, 3], keepdim=True)
    gate = self.excite(self.mish(self.reduce(gate)))
    y = self.project(y * torch.sigmoid(gate))
    return self.head(self.gelu(x + y))


class Functions(nn.Module):
  """Layers and activations that are function calls."""

  def __init__(self) -> None:
    super().__init__()
    self.weight = nn.Parameter(0.2 * torch.randn(8, 4, 3, 3))
    self.bias = nn.Parameter(0.1 * torch.randn(8))
    self.linear_weight = nn.Parameter(0.2 * torch.randn(6, 16))

  def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    # convert_fx cannot pack a convolution that is called with keywords.
    x = F.relu(F.conv2d(x, self.weight, self.bias, (1, 1), (1, 1), (1, 1), 1))
    y = torch.cat([y, torch.sigmoid(y)], 1)
    x = F.relu(torch.add(x, y))
    x = torch.cat([x, x * y], 1)
    x = F.max_pool2d(x, 2)
    x = F.leaky_relu(x, 0.1)
    x = F.hardtanh(x, -0.5, 2.5)
    x = x.mean([2, 3])
    return F.elu(F.linear(x, self.linear_weight))


class Resize(nn.Module):
  """F.interpolate, which scripting makes nested Ifs of."""

  def __init__(self) -> None:
    super().__init__()
    self.conv = nn.Conv2d(3, 4, 3)
    self.last = nn.Conv2d(4, 2, 3)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = F.interpolate(self.conv(x), scale_factor=2.0, mode='nearest')
    x = F.interpolate(x, size=(20, 24), mode='bilinear', align_corners=False)
    return self.last(x)


class Shapes(nn.Module):
  """What only moves elements, and sizes that depend on the input.

  convert_fx leaves the linear in float, as no dequantize stands right before it.
  """

  def __init__(self) -> None:
    super().__init__()
    self.conv = nn.Conv2d(4, 8, 3)
    self.fc = nn.Linear(16, 5)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.conv(x)
    halves = x.chunk(2, 1)
    x = torch.stack([halves[1], halves[0]], 1).transpose(1, 2)
    x = x.reshape(x.size(0), 16, -1).permute(0, 2, 1)
    return self.fc(x.contiguous())


class ManyConvs(nn.Module):
  """Convolutions of one and three dimensions, transposed ones, norms."""

  def __init__(self) -> None:
    super().__init__()
    self.conv1d = nn.Conv1d(4, 8, 3, padding=1)
    self.norm = nn.GroupNorm(2, 8)
    self.transposed1d = nn.ConvTranspose1d(8, 4, 2, stride=2)
    self.transposed2d = nn.ConvTranspose2d(1, 4, 3, padding=1)
    self.instance_norm = nn.InstanceNorm2d(4, affine=True)
    self.batch_norm = nn.BatchNorm2d(4)
    self.conv3d = nn.Conv3d(1, 2, 3, padding=1)
    self.relu = nn.ReLU()

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.transposed1d(self.norm(self.relu(self.conv1d(x))))
    x = self.instance_norm(self.transposed2d(x.unsqueeze(1)))
    x = self.batch_norm(F.max_pool2d(x, 2))
    return self.relu(self.conv3d(x.unsqueeze(1)))


class Lookup(nn.Module):
  """An embedding and a bag, then a dynamic linear with and without ReLU."""

  def __init__(self) -> None:
    super().__init__()
    self.embedding = nn.Embedding(20, 12)
    self.bag = nn.EmbeddingBag(20, 12, mode='sum', include_last_offset=True)
    self.first = nn.Linear(12, 16)
    self.relu = nn.ReLU()
    self.second = nn.Linear(16, 4)

  def forward(self, indices: torch.Tensor,
              offsets: torch.Tensor) -> torch.Tensor:
    x = self.embedding(indices).mean(0, keepdim=True)
    x = x + self.bag(indices, offsets)
    return self.second(self.relu(self.first(x)))


class Partial(nn.Module):
  """Two layers stay float, and one op has no quantized form."""

  def __init__(self) -> None:
    super().__init__()
    self.first = nn.Linear(12, 16)
    self.float_linear = nn.Linear(16, 16)
    self.gelu = nn.GELU()
    self.last = nn.Linear(16, 4)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.last(self.gelu(self.float_linear(self.first(x))))


def transposed_mapping() -> tq.QConfigMapping:
  # Kernels of transposed convolutions take one scale for the whole weight.
  per_tensor = tq.QConfig(
      activation=tq.default_histogram_observer,
      weight=tq.default_weight_observer)
  mapping = common.default_mapping()
  for kind in (nn.ConvTranspose1d, nn.ConvTranspose2d):
    mapping.set_object_type(kind, per_tensor)
  return mapping


def dynamic_mapping() -> tq.QConfigMapping:
  mapping = tq.QConfigMapping()
  # Weights of 7 bits: LibTorch's ops answer alike on machines without VNNI,
  # where sums of two products saturate.
  dynamic = tq.QConfig(
      activation=tq.default_dynamic_quant_observer,
      weight=tq.default_weight_observer.with_args(quant_min=-64, quant_max=63))
  for kind in (nn.Linear, nn.ReLU):
    mapping.set_object_type(kind, dynamic)
  for kind in (nn.Embedding, nn.EmbeddingBag):
    mapping.set_object_type(kind, tq.float_qparams_weight_only_qconfig)
  return mapping


def partial_mapping() -> tq.QConfigMapping:
  return common.default_mapping().set_module_name('float_linear', None)


@dataclasses.dataclass
class Case:
  """A float model, the arguments of one call, and how it is quantized."""
  model: Callable[[], nn.Module]
  inputs: Callable[[], Tuple[Any, ...]]
  mapping: Callable[[], tq.QConfigMapping] = common.default_mapping


def images(*channels: int) -> Callable[[], Tuple[torch.Tensor, ...]]:
  return lambda: tuple(
      common.images(4, channels=count, size=32) for count in channels)


CASES: Dict[str, Case] = {
    'efficientnet_block': Case(EfficientnetBlock, images(6)),
    'functions': Case(Functions, images(4, 4)),
    'lookup': Case(
        Lookup, lambda: (torch.randint(20, (9,)), torch.tensor([0, 4, 9])),
        dynamic_mapping),
    'many_convs': Case(
        ManyConvs, lambda: (torch.randn(3, 4, 10),), transposed_mapping),
    'mlp': Case(Mlp, lambda: (torch.randn(64, 24),)),
    'mobilenet_block': Case(MobilenetBlock, images(6)),
    'partial': Case(Partial, lambda: (torch.randn(32, 12),), partial_mapping),
    'resize': Case(Resize, images(3)),
    'resnet_block': Case(ResnetBlock, images(3)),
    'shapes': Case(Shapes, images(4)),
}


class ThroughTracer(torch.fx.Tracer):
  """Enters reference modules, so that calls of functions are left of them."""

  def is_leaf_module(self, module: nn.Module, name: str) -> bool:
    is_reference = 'reference' in type(module).__module__
    return not is_reference and not isinstance(module, nn.Sequential)


def write(unused_name: str, case: Case, out: str) -> None:
  """Writes the four files of a case."""
  model = case.model().eval()
  if isinstance(case.inputs()[0], torch.Tensor) and case.inputs()[0].dim() > 2:
    common.settle_norms(model, [case.inputs() for _ in range(2)])
  inputs = case.inputs()
  observed = quantize_fx.prepare_fx(model, case.mapping(), inputs)
  with torch.no_grad():
    for _ in range(4):
      observed(*case.inputs())
  reference = quantize_fx.convert_to_reference_fx(copy.deepcopy(observed))
  native = quantize_fx.convert_fx(observed)
  through = torch.fx.GraphModule(
      reference, ThroughTracer().trace(reference))
  torch.jit.script(through).save(os.path.join(out, 'scripted.pt'))
  for stem, traced in (('traced', reference), ('native', native)):
    torch.jit.trace(traced, inputs, check_trace=False).save(
        os.path.join(out, stem + '.pt'))
  torch.save([inputs], os.path.join(out, 'inputs.pt'))


if __name__ == '__main__':
  case_main.case_main(__doc__, CASES, SEED, write)
