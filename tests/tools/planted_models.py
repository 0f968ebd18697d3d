"""Small models with an eager-quantized twin, and mistakes to plant in it."""

import copy
import warnings

import torch
from torch import nn
import torch.ao.quantization as tq

# The Python API of quantized modules warns of its own old names.
warnings.simplefilter('ignore')


class Mlp(nn.Module):
  """Four linear layers; the last has no ReLU."""

  FUSED = [['fc1', 'relu1'], ['fc2', 'relu2'], ['fc3', 'relu3']]

  def __init__(self):
    super().__init__()
    self.quant, self.dequant = tq.QuantStub(), tq.DeQuantStub()
    self.fc1, self.relu1 = nn.Linear(16, 24), nn.ReLU()
    self.fc2, self.relu2 = nn.Linear(24, 24), nn.ReLU()
    self.fc3, self.relu3 = nn.Linear(24, 24), nn.ReLU()
    self.head = nn.Linear(24, 10)

  def forward(self, x):
    x = self.relu1(self.fc1(self.quant(x)))
    x = self.relu3(self.fc3(self.relu2(self.fc2(x))))
    return self.dequant(self.head(x))

  @staticmethod
  def batches():
    return [torch.randn(32, 16) for _ in range(4)]


class Block(nn.Module):
  """A residual block."""

  def __init__(self, channels):
    super().__init__()
    self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
    self.bn1, self.relu = nn.BatchNorm2d(channels), nn.ReLU()
    self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
    self.bn2 = nn.BatchNorm2d(channels)
    self.add = nn.quantized.FloatFunctional()

  def forward(self, x):
    y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
    return self.add.add_relu(y, x)


class Residual(nn.Module):
  """A convolution, two residual blocks and a linear layer."""

  FUSED = [['stem', 'bn', 'relu']] + [
      [f'{block}.{name}' for name in chain] for block in ('layer1', 'layer2')
      for chain in (('conv1', 'bn1', 'relu'), ('conv2', 'bn2'))]

  def __init__(self):
    super().__init__()
    self.quant, self.dequant = tq.QuantStub(), tq.DeQuantStub()
    self.stem = nn.Conv2d(3, 8, 3, padding=1)
    self.bn, self.relu = nn.BatchNorm2d(8), nn.ReLU()
    self.layer1, self.layer2 = Block(8), Block(8)
    self.fc = nn.Linear(8, 10)

  def forward(self, x):
    x = self.relu(self.bn(self.stem(self.quant(x))))
    x = self.layer2(self.layer1(x))
    return self.dequant(self.fc(x.mean([2, 3])))

  @staticmethod
  def batches():
    return [torch.randn(4, 3, 12, 12) for _ in range(4)]


class Attention(nn.Module):
  """Attention with one head; its products stay float."""

  def __init__(self, size):
    super().__init__()
    self.size = size
    self.norm = nn.LayerNorm(size)
    self.quant, self.dequant = tq.QuantStub(), tq.DeQuantStub()
    self.q, self.k = nn.Linear(size, size), nn.Linear(size, size)
    self.v, self.out = nn.Linear(size, size), nn.Linear(size, size)
    self.quant_out = tq.QuantStub()

  def forward(self, x):
    y = self.quant(self.norm(x))
    q, k = self.dequant(self.q(y)), self.dequant(self.k(y))
    weights = torch.softmax(q @ k.transpose(-1, -2) / self.size**0.5, -1)
    y = self.quant_out(weights @ self.dequant(self.v(y)))
    return x + self.dequant(self.out(y))


class Transformer(nn.Module):
  """One block of a transformer."""

  FUSED = [['up', 'relu']]

  def __init__(self):
    super().__init__()
    size = 16
    self.quant, self.dequant = tq.QuantStub(), tq.DeQuantStub()
    self.embed, self.attention = nn.Linear(12, size), Attention(size)
    self.norm, self.quant_up = nn.LayerNorm(size), tq.QuantStub()
    self.up, self.relu = nn.Linear(size, 2 * size), nn.ReLU()
    self.down = nn.Linear(2 * size, size)
    self.quant_head, self.head = tq.QuantStub(), nn.Linear(size, 6)

  def forward(self, x):
    x = self.attention(self.dequant(self.embed(self.quant(x))))
    y = self.down(self.relu(self.up(self.quant_up(self.norm(x)))))
    x = x + self.dequant(y)
    return self.dequant(self.head(self.quant_head(x.mean(1))))

  @staticmethod
  def batches():
    return [torch.randn(8, 10, 12) for _ in range(4)]


def make(model_class):
  """A float model, the quantized one made from it, and batches."""
  torch.manual_seed(0)
  torch.backends.quantized.engine = 'qnnpack'
  model, batches = model_class(), model_class.batches()
  for module in model.modules():
    if isinstance(module, nn.BatchNorm2d):
      module.running_mean.normal_(0, 0.3)
      module.running_var.uniform_(0.3, 1.5)
      nn.init.uniform_(module.weight, 0.5, 1.5)
      nn.init.normal_(module.bias, 0, 0.3)
    if isinstance(module, nn.Linear):
      nn.init.normal_(module.bias, 0, 0.3)
  model.eval()
  quantized = tq.fuse_modules(copy.deepcopy(model), model_class.FUSED)
  quantized.qconfig = tq.QConfig(
      activation=tq.HistogramObserver.with_args(reduce_range=False),
      weight=tq.default_weight_observer)
  for module in quantized.modules():
    if isinstance(module, nn.LayerNorm):
      module.qconfig = None
  tq.prepare(quantized, inplace=True)
  for batch in batches:
    quantized(batch)
  return model, tq.convert(quantized, inplace=True), batches


def widen(layer):
  """The scale is ten times too large."""
  layer.scale = layer.scale * 10


def scale_channel(layer):
  """The weight of one output channel is 50 times too large."""
  weight = layer.weight().dequantize()
  weight[2] *= 50
  layer.set_weight_bias(
      torch.quantize_per_tensor(weight, weight.abs().max().item() / 127, 0,
                                torch.qint8), layer.bias())


def drop_bias(layer):
  layer.set_weight_bias(layer.weight(), None)


def swap(model, first, second):
  """Two modules take each other's places; both are attributes of `model`."""
  a, b = getattr(model, first), getattr(model, second)
  setattr(model, first, b)
  setattr(model, second, a)


def enlarge(batches):
  """Inputs are five times as large as those of the calibration."""
  for batch in batches:
    batch *= 5
