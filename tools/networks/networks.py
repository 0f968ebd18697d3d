"""Four small classifiers of Fashion-MNIST, each of the kind of a known network.

All take float32 images [N, 1, 28, 28] and return scores [N, 10]. The first
layer of each has stride 2 or more, so that training takes minutes on one core.
"""

from typing import Callable, Dict, Iterator, List, Tuple

import torch
from torch import nn
from torch.nn import functional as F

CLASSES = 10


def conv_norm(inputs: int, outputs: int, kernel: int, stride: int = 1,
              groups: int = 1) -> List[nn.Module]:
  return [
      nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2,
                groups=groups, bias=False),
      nn.BatchNorm2d(outputs)
  ]


def pooled_classifier(channels: int) -> List[nn.Module]:
  return [
      nn.AdaptiveAvgPool2d(1),
      nn.Flatten(),
      nn.Linear(channels, CLASSES)
  ]


class ResidualBlock(nn.Module):
  """Two convolutions, and a downsample branch where the shape changes."""

  def __init__(self, inputs: int, outputs: int, stride: int) -> None:
    super().__init__()
    self.body = nn.Sequential(*conv_norm(inputs, outputs, 3, stride), nn.ReLU(),
                              *conv_norm(outputs, outputs, 3))
    is_same = stride == 1 and inputs == outputs
    self.downsample = nn.Identity() if is_same else nn.Sequential(
        *conv_norm(inputs, outputs, 1, stride))
    self.relu = nn.ReLU()

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.relu(self.body(x) + self.downsample(x))


class Residual(nn.Module):
  """As ResNet: each block adds to its input."""

  def __init__(self) -> None:
    super().__init__()
    self.layers = nn.Sequential(
        *conv_norm(1, 16, 3, 2), nn.ReLU(), ResidualBlock(16, 16, 1),
        ResidualBlock(16, 32, 2), ResidualBlock(32, 32, 1),
        *pooled_classifier(32))

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.layers(x)


class SqueezeExcite(nn.Module):
  """Scales each channel by a gate that the means of all channels open."""

  def __init__(self, channels: int) -> None:
    super().__init__()
    self.pool = nn.AdaptiveAvgPool2d(1)
    self.squeeze = nn.Conv2d(channels, channels // 4, 1)
    self.relu = nn.ReLU()
    self.excite = nn.Conv2d(channels // 4, channels, 1)
    self.gate = nn.Hardsigmoid()

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    scale = self.excite(self.relu(self.squeeze(self.pool(x))))
    return x * self.gate(scale)


class InvertedResidual(nn.Module):
  """Expands the channels, filters each by itself, and projects them back."""

  def __init__(self, inputs: int, expanded: int, outputs: int, stride: int,
               activation: Callable[[], nn.Module], has_gate: bool) -> None:
    super().__init__()
    self.expand = nn.Sequential(*conv_norm(inputs, expanded, 1), activation())
    self.depthwise = nn.Sequential(
        *conv_norm(expanded, expanded, 3, stride, groups=expanded),
        activation())
    self.gate = SqueezeExcite(expanded) if has_gate else nn.Identity()
    self.project = nn.Sequential(*conv_norm(expanded, outputs, 1))
    self.adds = stride == 1 and inputs == outputs

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    y = self.project(self.gate(self.depthwise(self.expand(x))))
    if self.adds:
      y = x + y
    return y


class MobileV2(nn.Module):
  """As MobileNetV2, with depthwise channels of very different ranges.

  The batch norms around depthwise layers start with scales that are apart by up
  to 32, which stands for what long training does to those of MobileNetV2.
  """

  def __init__(self) -> None:
    super().__init__()
    self.layers = nn.Sequential(
        *conv_norm(1, 16, 3, 2), nn.ReLU6(),
        InvertedResidual(16, 64, 24, 1, nn.ReLU6, False),
        InvertedResidual(24, 96, 24, 1, nn.ReLU6, False),
        InvertedResidual(24, 96, 40, 2, nn.ReLU6, False),
        InvertedResidual(40, 120, 40, 1, nn.ReLU6, False),
        *conv_norm(40, 128, 1), nn.ReLU6(), *pooled_classifier(128))
    for norm, lowest in self.spread_norms():
      nn.init.uniform_(norm.weight, lowest, 1.0)
      norm.weight.data.exp2_()

  def spread_norms(self) -> Iterator[Tuple[nn.BatchNorm2d, float]]:
    """The batch norms around depthwise layers; log2 of their least scale."""
    for block in self.layers:
      if isinstance(block, InvertedResidual):
        yield block.expand[1], -3.0
        yield block.depthwise[1], -4.0

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.layers(x)


class MobileV3(nn.Module):
  """As MobileNetV3: hardswish, and squeeze-and-excite in the later blocks."""

  def __init__(self) -> None:
    super().__init__()
    self.layers = nn.Sequential(
        *conv_norm(1, 16, 3, 2), nn.Hardswish(),
        InvertedResidual(16, 48, 24, 1, nn.ReLU, False),
        InvertedResidual(24, 72, 32, 2, nn.Hardswish, True),
        InvertedResidual(32, 96, 32, 1, nn.Hardswish, True),
        InvertedResidual(32, 96, 40, 1, nn.Hardswish, True),
        *conv_norm(40, 96, 1), nn.Hardswish(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(96, 96), nn.Hardswish(),
        nn.Linear(96, CLASSES))

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.layers(x)


class SelfAttention(nn.Module):

  def __init__(self, width: int, heads: int) -> None:
    super().__init__()
    self.heads = heads
    self.each = width // heads
    self.scale = self.each**-0.5
    self.query = nn.Linear(width, width)
    self.key = nn.Linear(width, width)
    self.value = nn.Linear(width, width)
    self.out = nn.Linear(width, width)

  def split(self, x: torch.Tensor) -> torch.Tensor:
    """[N, tokens, width] as [N, heads, tokens, each]."""
    return x.reshape(x.size(0), x.size(1), self.heads,
                     self.each).transpose(1, 2)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    query, key, value = (self.split(self.query(x)), self.split(self.key(x)),
                         self.split(self.value(x)))
    scores = torch.matmul(query * self.scale, key.transpose(-2, -1))
    mixed = torch.matmul(F.softmax(scores, dim=-1), value)
    return self.out(mixed.transpose(1, 2).reshape(x.size(0), x.size(1), -1))


class TransformerBlock(nn.Module):

  def __init__(self, width: int, heads: int, hidden: int) -> None:
    super().__init__()
    self.norm1 = nn.LayerNorm(width)
    self.attention = SelfAttention(width, heads)
    self.norm2 = nn.LayerNorm(width)
    self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.GELU(),
                             nn.Linear(hidden, width))

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = x + self.attention(self.norm1(x))
    return x + self.mlp(self.norm2(x))


class Vit(nn.Module):
  """As the vision transformer: 25 patches of 8 x 8, overlapping, are tokens."""

  def __init__(self, width: int = 48, heads: int = 3, hidden: int = 144,
               blocks: int = 3) -> None:
    super().__init__()
    self.patches = nn.Conv2d(1, width, 8, stride=5)
    self.positions = nn.Parameter(0.02 * torch.randn(1, 25, width))
    self.blocks = nn.Sequential(
        *[TransformerBlock(width, heads, hidden) for _ in range(blocks)])
    self.norm = nn.LayerNorm(width)
    self.head = nn.Linear(width, CLASSES)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    tokens = self.patches(x).flatten(2).transpose(1, 2) + self.positions
    return self.head(self.norm(self.blocks(tokens)).mean(1))


NETWORKS: Dict[str, Callable[[], nn.Module]] = {
    'residual': Residual,
    'mobile_v2': MobileV2,
    'mobile_v3': MobileV3,
    'vit': Vit,
}


def depthwise_spreads(state: Dict[str, torch.Tensor]) -> Dict[str, float]:
  """How far the ranges of a depthwise weight's channels are apart.

  `state` is the state_dict of a network of this file; the key is the name of a
  layer. A range is the largest magnitude of a channel's weight, with the batch
  norm folded in; the value is the largest range divided by the smallest.
  """
  epsilon = nn.BatchNorm2d(1).eps
  spreads = {}
  for name, weight in state.items():
    if name.endswith('.depthwise.0.weight'):
      norm = name[:-len('0.weight')] + '1.'
      scale = state[norm + 'weight'] / torch.sqrt(state[norm + 'running_var'] +
                                                  epsilon)
      ranges = weight.abs().amax((1, 2, 3)) * scale.abs()
      spreads[name[:-len('.weight')]] = float(ranges.max() / ranges.min())
  return spreads
