"""Models that hold one of (nearly) every layer that can be quantized."""

import torch
from torch import nn
from torch.ao import quantization as tq
from torch.nn import functional as F

import common


class Branch1d(nn.Module):
  def __init__(self) -> None:
    super().__init__()
    self.conv = nn.Conv1d(4, 8, 3, padding=1)
    self.conv_bn = nn.Conv1d(8, 8, 3, padding=1)
    self.bn = nn.BatchNorm1d(8)
    self.conv_bn_relu = nn.Conv1d(8, 8, 5, stride=2, bias=False)
    self.bn_relu = nn.BatchNorm1d(8)
    self.conv_relu = nn.Conv1d(8, 8, 1)
    self.relu = nn.ReLU()
    self.transposed = nn.ConvTranspose1d(8, 6, 3, stride=2)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.bn(self.conv_bn(self.conv(x)))
    x = self.relu(self.bn_relu(self.conv_bn_relu(x)))
    x = self.relu(self.conv_relu(x))
    return self.transposed(x)


class Branch2d(nn.Module):
  def __init__(self) -> None:
    super().__init__()
    self.conv = nn.Conv2d(3, 8, 3, padding=1)
    self.conv_bn = nn.Conv2d(8, 8, 3, padding=2, dilation=2, bias=False)
    self.bn = nn.BatchNorm2d(8)
    self.conv_bn_relu = nn.Conv2d(8, 8, 3, padding=1, groups=8)
    self.bn_relu = nn.BatchNorm2d(8)
    self.conv_relu = nn.Conv2d(8, 8, 3, stride=(1, 2), padding=(1, 1))
    self.relu = nn.ReLU(inplace=True)
    self.conv_hardtanh = nn.Conv2d(8, 8, 1)
    self.hardtanh = nn.Hardtanh(-1.5, 1.5)
    self.conv_relu6 = nn.Conv2d(8, 8, 1)
    self.relu6 = nn.ReLU6(inplace=True)
    self.conv_hardswish = nn.Conv2d(8, 8, 1)
    self.hardswish = nn.Hardswish()
    self.pool = nn.MaxPool2d(2)
    self.pool_bn = nn.BatchNorm2d(8)
    self.pool_relu = nn.ReLU()
    self.transposed_bn = nn.ConvTranspose2d(8, 8, 2, stride=2)
    self.bn_transposed = nn.BatchNorm2d(8)
    self.transposed = nn.ConvTranspose2d(8, 6, 3)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.bn(self.conv_bn(self.conv(x)))
    y = self.relu(self.bn_relu(self.conv_bn_relu(x)))
    x = F.relu(x + y)
    x = self.relu(self.conv_relu(x))
    x = self.pool_relu(self.pool_bn(self.pool(x)))
    y = self.hardtanh(self.conv_hardtanh(x))
    x = F.relu(x * y)
    y = self.relu6(self.conv_relu6(x))
    x = x * y
    x = self.hardswish(self.conv_hardswish(x))
    x = self.bn_transposed(self.transposed_bn(x))
    return self.transposed(x)


class Branch3d(nn.Module):
  def __init__(self) -> None:
    super().__init__()
    self.conv_bn_relu = nn.Conv3d(2, 6, 3, padding=1)
    self.bn_relu = nn.BatchNorm3d(6)
    self.relu = nn.ReLU()
    self.conv_bn = nn.Conv3d(6, 6, 1, bias=False)
    self.bn = nn.BatchNorm3d(6)
    self.conv_relu = nn.Conv3d(6, 6, (1, 3, 3), stride=(1, 2, 2))
    self.conv = nn.Conv3d(6, 6, 3, padding=1)
    self.pool = nn.AvgPool3d((1, 2, 2))
    self.pool_bn = nn.BatchNorm3d(6)
    self.pool_relu = nn.ReLU()
    self.transposed = nn.ConvTranspose3d(6, 6, 2, stride=2)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.relu(self.bn_relu(self.conv_bn_relu(x)))
    x = self.bn(self.conv_bn(x))
    x = self.conv(self.relu(self.conv_relu(x)))
    x = self.pool_relu(self.pool_bn(self.pool(x)))
    return self.transposed(x)


class ConvZoo(nn.Module):
  """Convolutions of all dimensions with what fuses with them."""

  def __init__(self) -> None:
    super().__init__()
    self.one = Branch1d()
    self.two = Branch2d()
    self.three = Branch3d()
    self.linear = nn.Linear(18, 12)
    self.linear_bn = nn.BatchNorm1d(12)

  def forward(self, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor):
    x = self.one(x)
    y = self.two(y)
    z = self.three(z)
    means = torch.cat([x.mean(2), y.mean([2, 3]), z.mean([2, 3, 4])], dim=1)
    return x, y, z, self.linear_bn(self.linear(means))


def conv_zoo() -> common.ModelPair:
  # Samples differ in contrast, or the last norm would amplify noise alone.
  def contrast(x):
    return x * torch.rand(x.size(0), *[1] * (x.dim() - 1)).add(0.3)
  def batch():
    return (contrast(torch.randn(4, 4, 24)),
            contrast(common.images(4, size=16)),
            contrast(torch.randn(4, 2, 4, 10, 10)))
  model = ConvZoo()
  calibration = [batch() for _ in range(4)]
  common.settle_norms(model, calibration)
  # FX leaves these as reference modules, which cannot be scripted. They stay
  # float here; conv_transpose has quantized ones.
  mapping = common.default_mapping()
  for kind in (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d):
    mapping.set_object_type(kind, None)
  return common.fx_pair(model, calibration, [batch() for _ in range(2)],
                        mapping)


class Transposed(nn.Module):
  """Transposed convolutions of all dimensions, two with batch norm."""

  def __init__(self) -> None:
    super().__init__()
    self.quant = tq.QuantStub()
    self.one = nn.ConvTranspose1d(4, 6, 3, stride=2)
    self.bn1 = nn.BatchNorm1d(6)
    self.two = nn.ConvTranspose2d(3, 6, 3, stride=2, padding=1)
    self.bn2 = nn.BatchNorm2d(6)
    self.two_groups = nn.ConvTranspose2d(6, 4, 2, groups=2, bias=False)
    self.three = nn.ConvTranspose3d(2, 4, 2, stride=2)
    self.dequant = tq.DeQuantStub()

  def forward(self, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor):
    x = self.bn1(self.one(self.quant(x)))
    y = self.two_groups(self.bn2(self.two(self.quant(y))))
    z = self.three(self.quant(z))
    return self.dequant(x), self.dequant(y), self.dequant(z)

  def fuse(self) -> None:
    tq.fuse_modules(self, [['one', 'bn1'], ['two', 'bn2']], inplace=True)


def conv_transpose() -> common.ModelPair:
  def batch():
    return (torch.randn(4, 4, 12), common.images(4, size=10),
            torch.randn(4, 2, 3, 5, 5))
  model = Transposed()
  calibration = [batch() for _ in range(4)]
  common.settle_norms(model, calibration)
  # Transposed convolutions with weights per channel do not run.
  return common.static_eager_pair(
      model, Transposed.fuse, calibration, [batch() for _ in range(2)],
      qconfig=tq.default_qconfig)


class Embeddings(nn.Module):
  """Tables of 8 and 4 bits before quantized linears."""

  def __init__(self) -> None:
    super().__init__()
    self.embedding = nn.Embedding(100, 16)
    self.bag = nn.EmbeddingBag(100, 16, mode='sum', include_last_offset=True)
    self.bag4 = nn.EmbeddingBag(100, 16, mode='sum', include_last_offset=True)
    self.linear1 = nn.Linear(48, 32)
    self.relu = nn.ReLU()
    self.linear2 = nn.Linear(32, 5)

  def forward(self, word: torch.Tensor, words: torch.Tensor,
              offsets: torch.Tensor) -> torch.Tensor:
    x = torch.cat([self.embedding(word), self.bag(words, offsets),
                   self.bag4(words, offsets)], dim=1)
    return self.linear2(self.relu(self.linear1(x)))


def embedding() -> common.ModelPair:
  def batch():
    return (torch.randint(100, (6,)), torch.randint(100, (20,)),
            torch.tensor([0, 3, 4, 9, 13, 18, 20]))
  mapping = common.default_mapping()
  mapping.set_object_type(nn.Embedding, tq.float_qparams_weight_only_qconfig)
  mapping.set_object_type(nn.EmbeddingBag, tq.float_qparams_weight_only_qconfig)
  mapping.set_module_name('bag4', tq.float_qparams_weight_only_qconfig_4bit)
  return common.fx_pair(Embeddings(), [batch() for _ in range(6)],
                               [batch() for _ in range(2)], mapping)


class Pointwise(nn.Module):
  """Activations as modules and as functions."""

  def __init__(self) -> None:
    super().__init__()
    self.hardswish = nn.Hardswish()
    self.elu = nn.ELU(alpha=0.8)
    self.leaky_relu = nn.LeakyReLU(0.2)
    self.hardsigmoid = nn.Hardsigmoid()
    self.sigmoid = nn.Sigmoid()
    self.tanh = nn.Tanh()
    self.prelu = nn.PReLU()

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.leaky_relu(self.elu(self.hardswish(x)))
    x = self.prelu(x)
    gates = self.hardsigmoid(x) * self.sigmoid(x)
    x = x * gates + self.tanh(x)
    x = F.hardswish(x) + F.hardsigmoid(x)
    x = F.elu(x) + F.leaky_relu(x, 0.05)
    return torch.tanh(x) + torch.sigmoid(x)


class Norms(nn.Module):
  """Norms without running statistics."""

  def __init__(self) -> None:
    super().__init__()
    self.group = nn.GroupNorm(2, 8)
    self.instance2d = nn.InstanceNorm2d(8, affine=True)
    self.instance3d = nn.InstanceNorm3d(8, affine=True)
    self.instance1d = nn.InstanceNorm1d(8, affine=True)
    self.layer = nn.LayerNorm(12)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.instance2d(self.group(x))
    x = self.instance3d(x.unsqueeze(2)).squeeze(2)
    x = self.instance1d(x.flatten(2)).reshape(x.size(0), 8, 12, 12)
    return self.layer(x)


class Shapes(nn.Module):
  """Pools, resizing and ops that only move values."""

  def __init__(self) -> None:
    super().__init__()
    self.max_pool = nn.MaxPool2d(2)
    self.avg_pool = nn.AvgPool2d(3, stride=1, padding=1)
    self.adaptive = nn.AdaptiveAvgPool2d((3, 3))
    self.dropout = nn.Dropout(0.3)
    self.flatten = nn.Flatten()

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.avg_pool(self.max_pool(x))
    x = F.interpolate(x, scale_factor=2.0, mode='nearest')
    x = F.max_pool2d(F.avg_pool2d(x, 2), 2)
    # Indexed, as FX of this version cannot unpack with Python 3.11.
    halves = torch.chunk(x, 2, dim=1)
    turned = halves[0].permute(0, 1, 3, 2).contiguous()
    x = torch.cat([halves[1], turned], dim=1)
    x = torch.clamp(self.dropout(self.adaptive(x)), -2.0, 2.0)
    return self.flatten(x)


class Activations(nn.Module):
  """Quantizable layers without weights, between convs and a linear."""

  def __init__(self) -> None:
    super().__init__()
    self.conv1 = nn.Conv2d(3, 8, 3, padding=1)
    self.pointwise = Pointwise()
    self.conv2 = nn.Conv2d(8, 8, 1)
    self.norms = Norms()
    self.conv3 = nn.Conv2d(8, 8, 1)
    self.shapes = Shapes()
    self.linear = nn.Linear(72, 10)
    self.softmax = nn.Softmax(dim=1)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.pointwise(self.conv1(x))
    x = self.norms(self.conv2(x))
    x = self.shapes(self.conv3(x))
    return self.softmax(self.linear(x))


def activations() -> common.ModelPair:
  model = common.settle_norms(Activations(), [])
  return common.fx_pair(
      model, [common.images(4, size=12) for _ in range(4)],
      [common.images(3, size=12) for _ in range(2)])


MODELS = {
    'conv_zoo': conv_zoo,
    'conv_transpose': conv_transpose,
    'embedding': embedding,
    'activations': activations,
}
