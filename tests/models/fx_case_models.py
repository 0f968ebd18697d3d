"""The float models of fx_cases.py, each as small as its case allows."""

from typing import Tuple

import torch
from torch import nn
from torch.ao import quantization as tq
from torch.nn import functional as F

import expecttest_stand_in


def conv() -> nn.Conv2d:
  return nn.Conv2d(3, 3, 1)


def two_convs() -> nn.Module:
  return nn.Sequential(conv(), conv())


def stub_two_convs() -> nn.Module:
  return nn.Sequential(tq.QuantStub(), conv(), conv())


def torch_model(name: str) -> nn.Module:
  """One of the models that PyTorch's own quantization tests use."""
  expecttest_stand_in.install()
  from torch.testing._internal import common_quantization
  return _settled(getattr(common_quantization, name)())


def vision_model(name: str) -> nn.Module:
  """A network of torchvision that is written to be quantized."""
  import torchvision
  return _settled(
      getattr(torchvision.models.quantization, name)(
          weights=None, quantize=False))


def _settled(model: nn.Module) -> nn.Module:
  # Norms that do nothing would hide whether they are folded.
  for module in model.modules():
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
      nn.init.uniform_(module.weight, 0.8, 1.2)
      nn.init.normal_(module.bias, std=0.1)
      nn.init.normal_(module.running_mean, std=0.1)
      nn.init.uniform_(module.running_var, 0.5, 1.5)
  return model


def _alive(model: nn.Module) -> nn.Module:
  # Activations that are all zero behind a ReLU would have no SQNR.
  for parameter in model.parameters():
    if parameter.dim() > 1:
      nn.init.uniform_(parameter, 0.1, 0.9)
  return model


class WithWeights(nn.Module):
  """The parameters of two linears that are called as functions."""

  def __init__(self) -> None:
    super().__init__()
    self.w1 = nn.Parameter(torch.randn(4, 4))
    self.b1 = nn.Parameter(torch.randn(4))


class LinearFun(WithWeights):
  def forward(self, x):
    return F.linear(x, self.w1, self.b1)


class LinearReluFun(WithWeights):
  def forward(self, x):
    return F.relu(F.linear(x, self.w1, self.b1))


class LinearReluLinearFun(WithWeights):
  """The same weight twice."""

  def forward(self, x):
    x = F.relu(F.linear(x, self.w1, self.b1))
    return F.linear(x, self.w1, self.b1)


class KeywordLinear(WithWeights):
  def forward(self, x):
    return F.linear(input=x, weight=self.w1, bias=self.b1)


class AddTensors(nn.Module):
  def forward(self, x, y):
    return x + y


class AddsBeforeCat(nn.Module):
  def forward(self, x):
    return torch.cat([torch.add(x, 1.0), torch.add(x, 1.0)])


class ContainersOut(nn.Module):
  """Results inside a dict, a tuple, and a tuple in a dict in a list."""

  def forward(self, x):
    first = torch.add(x, 1.0)
    second = torch.add(x, 1.0)
    third = torch.add(x, 1.0)
    return {'first': first}, (second,), [{'third': (third,)}]


class MixedTypes(nn.Module):
  """conv2 stays float: the same op on both sides."""

  def __init__(self) -> None:
    super().__init__()
    self.conv1 = conv()
    self.conv2 = conv()

  def forward(self, x):
    x = self.conv2(self.conv1(x))
    return F.relu(torch.sigmoid(torch.mul(x, x)))


class SigmoidMethod(nn.Module):
  def forward(self, x):
    return x.sigmoid()


class PoolRelu(nn.Module):
  def __init__(self) -> None:
    super().__init__()
    self.pool = nn.MaxPool2d(2)

  def forward(self, x):
    return F.relu(self.pool(x))


class Relus(nn.Module):
  def __init__(self) -> None:
    super().__init__()
    self.relu = nn.ReLU()

  def forward(self, x):
    return F.relu(self.relu(x))


class AddMul(nn.Module):
  """With a number on either side, and with a tensor."""

  def forward(self, x, y):
    x = 1.0 + (x + 1.0) * 1.0
    x = 1.0 * x
    return (x + y) * y


class ConvCat(nn.Module):
  """A list whose elements are one value."""

  def __init__(self) -> None:
    super().__init__()
    self.conv = conv()

  def forward(self, x):
    x = self.conv(x)
    return torch.cat([x, x], dim=0)


class PairsAndLists(nn.Module):
  """Ops that combine values: with themselves, and in lists of one."""

  def forward(self, x):
    x = x * x
    x = torch.mul(x, x)
    x = x + x
    x = torch.add(x, x)
    x = torch.cat([x])
    return torch.stack([x])


class KeywordLists(nn.Module):
  def forward(self, x):
    x = torch.cat(tensors=[x])
    return torch.stack(tensors=[x])


class LayerNormOfShape(nn.Module):
  """An argument that is computed from the input's shape."""

  def forward(self, x):
    return F.layer_norm(x, x.shape[1:])


class PoolConvReuse(nn.Module):
  """One convolution behind ops that keep, or choose, their scale."""

  def __init__(self) -> None:
    super().__init__()
    self.pool = nn.AdaptiveAvgPool2d(2)
    self.conv = _alive(conv())

  def forward(self, x):
    x = self.conv(self.pool(x))
    x = self.conv(torch.mul(x, x))
    x = F.relu(torch.add(x, x))
    return self.conv(x)


class Fusions(nn.Module):
  """Convolutions and linears: alone, and with what fuses with them."""

  def __init__(self) -> None:
    super().__init__()
    self.d1 = _stack(nn.Conv1d, nn.BatchNorm1d)
    self.d2 = _stack(nn.Conv2d, nn.BatchNorm2d)
    self.linear = nn.Linear(4, 4)
    self.linear_relu = nn.Linear(4, 4)
    self.relu = nn.ReLU()
    _alive(_settled(self))

  def forward(self, x):
    x = self.d1(x)
    x = self.d2(x.reshape(4, 2, 2, 2))
    x = self.linear(x.reshape(8, 4))
    return self.relu(self.linear_relu(x))


class Fusions3d(nn.Module):
  """As Fusions; of its own, as not every engine has these."""

  def __init__(self) -> None:
    super().__init__()
    self.d3 = _stack(nn.Conv3d, nn.BatchNorm3d)
    _alive(_settled(self))

  def forward(self, x):
    return self.d3(x)


def _stack(kind: type, norm: type) -> nn.Module:
  stack = nn.Sequential()
  stack.add_module('conv', kind(2, 2, 1))
  stack.add_module('conv_relu', kind(2, 2, 1))
  stack.add_module('relu', nn.ReLU())
  stack.add_module('conv_bn', kind(2, 2, 1))
  stack.add_module('bn', norm(2))
  stack.add_module('conv_bn_relu', kind(2, 2, 1))
  stack.add_module('bn_relu', norm(2))
  stack.add_module('relu_bn', nn.ReLU())
  return stack


class ConvsFun(nn.Module):
  """Convolutions as functions, alone and before a ReLU."""

  def __init__(self) -> None:
    super().__init__()
    self.w1 = nn.Parameter(torch.randn(2, 2, 1))
    self.w2 = nn.Parameter(torch.randn(2, 2, 1, 1))
    self.b = nn.Parameter(0.1 * torch.rand(2))
    _alive(self)

  def forward(self, x):
    # All arguments are spelled out: quantized prepacking has no defaults.
    x = F.conv1d(x, self.w1, self.b, [1], [0], [1], 1)
    x = F.relu(F.conv1d(x, self.w1, self.b, [1], [0], [1], 1))
    x = x.reshape(2, 2, 2, 2)
    x = F.conv2d(x, self.w2, self.b, [1, 1], [0, 0], [1, 1], 1)
    return F.relu(F.conv2d(x, self.w2, self.b, [1, 1], [0, 0], [1, 1], 1))


class Convs3dFun(nn.Module):
  """As ConvsFun; of its own, as not every engine has these."""

  def __init__(self) -> None:
    super().__init__()
    self.w3 = nn.Parameter(torch.randn(2, 2, 1, 1, 1))
    self.b = nn.Parameter(0.1 * torch.rand(2))
    _alive(self)

  def forward(self, x):
    x = F.conv3d(x, self.w3, self.b, [1, 1, 1], [0, 0, 0], [1, 1, 1], 1)
    return F.relu(
        F.conv3d(x, self.w3, self.b, [1, 1, 1], [0, 0, 0], [1, 1, 1], 1))


class LstmWithState(nn.Module):
  """As PyTorch's LSTMwithHiddenDynamicModel, without unpacking the result."""

  def __init__(self) -> None:
    super().__init__()
    self.lstm = nn.LSTM(2, 2)

  def forward(self, x: torch.Tensor,
              state: Tuple[torch.Tensor, torch.Tensor]):
    return self.lstm(x, state)


class Pair(nn.Module):
  """A module of the user with two results."""

  def forward(self, x):
    return x * 2, x * 4


class OpaquePair(nn.Module):
  def __init__(self) -> None:
    super().__init__()
    self.pair = Pair()

  def forward(self, x):
    # FX of this version cannot trace the unpacking of a proxy.
    both = self.pair(x)
    return both[0], both[1]


class UserModule(nn.Module):
  def forward(self, x):
    return x


class OpaqueIdentity(nn.Module):
  def __init__(self) -> None:
    super().__init__()
    self.linear = nn.Linear(4, 4)
    self.user_module = UserModule()

  def forward(self, x):
    return self.user_module(self.linear(x))


@torch.fx.wrap
def user_hardswish(x):
  return F.hardswish(x)


@torch.fx.wrap
def user_sigmoid(x):
  return torch.sigmoid(x)


@torch.fx.wrap
def user_linear(x, w, b):
  return F.linear(x, w, b)


class HardswishOp(nn.Module):
  def forward(self, x):
    return F.hardswish(x)


class UserHardswish(nn.Module):
  def forward(self, x):
    return user_hardswish(x)


class ThreeOps(WithWeights):
  def forward(self, x):
    return F.linear(F.hardswish(x).sigmoid(), self.w1, self.b1)


class UserThreeOps(WithWeights):
  def forward(self, x):
    x = user_sigmoid(user_hardswish(x))
    return user_linear(x, self.w1, self.b1)
