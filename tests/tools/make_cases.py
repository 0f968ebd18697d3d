#!/usr/bin/python3
"""Writes the small models and input files of the command line's tests.

Usage: make_cases.py DIR NAME...: writes DIR/NAME.pt for each NAME below.
"""

import io
import os
import random
import sys
import zipfile
from typing import Dict, List

import torch
from torch import nn
from torch.ao import quantization
from torch.ao.quantization import get_default_qconfig_mapping
from torch.ao.quantization import quantize_fx

IMAGE = (2, 3, 8, 8)


def images(count: int, shape=IMAGE, seed: int = 1) -> list:
  generator = torch.Generator().manual_seed(seed)
  return [torch.randn(shape, generator=generator) for _ in range(count)]


class Net(nn.Module):
  """conv-bn-relu, linear."""

  def __init__(self):
    super().__init__()
    self.conv = nn.Conv2d(3, 8, 3, padding=1)
    self.bn = nn.BatchNorm2d(8)
    self.relu = nn.ReLU()
    self.fc = nn.Linear(8 * 64, 10)
    self.bn.running_mean.normal_()
    self.bn.running_var.uniform_(0.5, 2)

  def forward(self, x):
    return self.fc(torch.flatten(self.relu(self.bn(self.conv(x))), 1))


class TwoInputs(nn.Module):

  def __init__(self):
    super().__init__()
    self.left = nn.Linear(4, 6)
    self.right = nn.Linear(5, 6)

  def forward(self, x, y):
    return self.left(x) + self.right(y)


class Lstm(nn.Module):
  """An LSTM of all of whose outputs something is made."""

  def __init__(self):
    super().__init__()
    self.lstm = nn.LSTM(4, 5)

  def forward(self, x):
    y, (h, c) = self.lstm(x)
    return y.sum() + h.sum() + c.sum()


class Saturating(nn.Module):
  """Quantized weights of +-127, then rows with one of 127 and little else."""

  def __init__(self):
    super().__init__()
    self.first = nn.Linear(4, 12, bias=False)
    self.second = nn.Linear(12, 4, bias=False)
    with torch.no_grad():
      self.first.weight.sign_().mul_(0.1)
      self.second.weight.mul_(0.001).add_(torch.eye(4, 12))

  def forward(self, x):
    return self.second(self.first(x))


class Mlp(nn.Module):

  def __init__(self, width: int = 6):
    super().__init__()
    self.first = nn.Linear(4, width)
    self.relu = nn.ReLU()
    self.second = nn.Linear(width, 4)

  def forward(self, x):
    return self.second(self.relu(self.first(x)))


ODD_NAMES = ('a(b', 'x)y', 'a<b', '$(id)', 'a\0b', 'a\0c', '\x1b[31mred', 'a@b',
             'a%28b', '=1+1', '-3', '@x', '+x')


class OddNames(nn.Sequential):
  """Layers with all kinds of names that TorchScript loads."""

  def __init__(self):
    super().__init__()
    for name in ODD_NAMES:
      self.add_module(name, nn.Linear(4, 4))


class Wrapped(nn.Module):
  """Base of models around an Mlp, which alone is quantized."""

  def __init__(self, inner: nn.Module):
    super().__init__()
    self.inner = inner


class Log(Wrapped):

  def forward(self, x):
    return torch.log(self.inner(x))


class DivideByZero(Wrapped):

  def forward(self, x):
    return self.inner(x) / torch.zeros(1)


class UnknownOp(Wrapped):

  def forward(self, x):
    return self.inner(torch.logcumsumexp(self.inner(x), 1))


# As custom_ops.cc does; nothing is run here, so the op needs no kernel.
NS_TEST = torch.library.Library('ns_test', 'DEF')
NS_TEST.define('twice(Tensor x) -> Tensor')
NS_TEST.define('keep(Tensor x) -> Tensor')


class CustomOp(Wrapped):

  def forward(self, x):
    return torch.ops.ns_test.twice(self.inner(x))


class Keeps(nn.Module):
  """A relu on what an op of the user's hands on."""

  def forward(self, x):
    q = torch.quantize_per_tensor(x, 0.1, 64, torch.quint8)
    return torch.relu(torch.ops.ns_test.keep(q)).dequantize()


class KeepsFloats(nn.Module):
  """The same on floats, which were quantized before."""

  def forward(self, x):
    q = torch.quantize_per_tensor(x, 0.02, 64, torch.quint8)
    return torch.relu(torch.ops.ns_test.keep(q.dequantize()))


class Forks(Wrapped):

  def forward(self, x):
    futures: List[torch.jit.Future[torch.Tensor]] = []
    for i in range(x.size(1)):
      futures.append(torch.jit.fork(self.inner, x * (i + 1)))
    y = torch.jit.wait(futures[0])
    for future in futures[1:]:
      y = y + torch.jit.wait(future)
    return y


class Splits(Wrapped):

  def forward(self, x):
    return torch.split(self.inner(x), [1, 3], 1)[0]


class SplitsTwice(Wrapped):
  """Of as many columns again, which what Splits does cannot split."""

  def forward(self, x):
    y = self.inner(x)
    return torch.split(torch.cat([y, y], 1), [1, 7], 1)[0]


class DictOutput(Wrapped):

  def forward(self, x) -> Dict[str, torch.Tensor]:
    y = self.inner(x)
    return {'y': y, 'half': y * 0.5}


class TupleOutput(Wrapped):

  def forward(self, x):
    y = self.inner(x)
    return y, y.sum()


class Twice(Wrapped):

  def forward(self, x):
    return self.inner(self.inner(x))


class Loop(Wrapped):
  """Three trips for rows of 4, which only running tells."""

  def forward(self, x):
    for _ in range(x.size(1) - 1):
      x = self.inner(x)
    return x


@torch.jit.script
def squash(x):
  return torch.tanh(x) * 0.5


@torch.jit.script
def cheap_squash(x):
  return x.clamp(-1, 1) * 0.5


class Gate(nn.Module):

  def forward(self, x):
    return squash(x) + x


class CheapGate(nn.Module):

  def forward(self, x):
    return cheap_squash(x) + x


class Gated(Wrapped):
  """Holds a module and calls a script function of the user's own."""

  def __init__(self, inner: nn.Module, gate: nn.Module):
    super().__init__(inner)
    self.gate = gate

  def forward(self, x):
    return squash(self.gate(self.inner(x)))


class Recurrent(nn.Module):
  """Layers whose weights a state_dict holds in all kinds of ways."""

  def __init__(self):
    super().__init__()
    self.embedding = nn.Embedding(10, 6)
    self.lstm = nn.LSTM(6, 7, bidirectional=True)
    self.cell = nn.LSTMCell(14, 7)
    self.out = nn.Linear(7, 10)

  def forward(self, x):
    hidden, _ = self.lstm(self.embedding(x))
    return self.out(self.cell(hidden[-1])[0])


class Encoder(Wrapped):
  """The method `encode` besides forward."""

  def forward(self, x):
    return self.inner(x).sigmoid()

  @torch.jit.export
  def encode(self, x):
    return self.inner(x) * 2


class Branch(Wrapped):
  """Takes the layer `high` where x is above a limit, else not."""

  def __init__(self, inner: nn.Module, high: nn.Module, limit: float):
    super().__init__(inner)
    self.high = high
    self.limit = limit

  def forward(self, x):
    if bool(x.sum() > self.limit):
      x = self.high(x)
    return self.inner(x)


class Unrelated(nn.Module):
  """Has no op in common with Net."""

  def forward(self, x):
    return torch.sin(x).cumsum(1)


def quantize(model: nn.Module, batches: list,
             qconfigs: str = 'fbgemm') -> nn.Module:
  torch.backends.quantized.engine = 'onednn'
  batches = [b if isinstance(b, tuple) else (b,) for b in batches]
  prepared = quantize_fx.prepare_fx(
      model.eval(), get_default_qconfig_mapping(qconfigs), batches[0])
  for batch in batches:
    prepared(*batch)
  return quantize_fx.convert_fx(prepared)


def seeded(make) -> nn.Module:
  torch.manual_seed(7)
  return make().eval()


def net() -> nn.Module:
  return seeded(Net)


def quantized_net() -> nn.Module:
  return quantize(net(), images(4))


def quantized_mlp(width: int = 6) -> nn.Module:
  return quantize(seeded(lambda: Mlp(width)), images(4, (8, 4)))


def mlp() -> nn.Module:
  return seeded(Mlp)


def two_inputs() -> list:
  return list(zip(images(2, (3, 4)), images(2, (3, 5), seed=2)))


def all_codes() -> list:
  """Of all codes: about half of the outputs saturate."""
  generator = torch.Generator().manual_seed(1)
  return [torch.rand(8, 4, generator=generator) for _ in range(3)]


def saturating() -> nn.Module:
  # Activations of 8 bits: 'fbgemm' leaves the upper half of the codes unused.
  return quantize(seeded(Saturating), all_codes(), 'onednn')


def zeros(model: nn.Module) -> nn.Module:
  """Its second layer is zero, whatever comes in."""
  with torch.no_grad():
    model.second.weight.zero_()
    model.second.bias.zero_()
  return model


def quantize_eagerly(model: nn.Module, batches: list) -> nn.Module:
  """Keeps the names of modules, of which symbolic tracing makes its own."""
  torch.backends.quantized.engine = 'onednn'
  wrapper = quantization.QuantWrapper(model).eval()
  wrapper.qconfig = quantization.get_default_qconfig('fbgemm')
  prepared = quantization.prepare(wrapper)
  for batch in batches:
    prepared(batch)
  return quantization.convert(prepared)


def recurrent_dynamic() -> nn.Module:
  torch.backends.quantized.engine = 'onednn'
  return quantization.quantize_dynamic(
      seeded(Recurrent), {nn.LSTM, nn.LSTMCell, nn.Linear})


def quantized_lstm() -> nn.Module:
  torch.backends.quantized.engine = 'onednn'
  return quantization.quantize_dynamic(seeded(Lstm), {nn.LSTM})


def perturbed() -> nn.Module:
  model = net()
  with torch.no_grad():
    model.fc.weight += 0.01 * torch.randn_like(model.fc.weight)
  return model


def branch(make, limit: float) -> nn.Module:
  return Branch(make(), make(), limit).eval()


def to_bytes(save, value) -> bytes:
  buffer = io.BytesIO()
  save(value, buffer)
  return buffer.getvalue()


def plain_zip() -> bytes:
  buffer = io.BytesIO()
  with zipfile.ZipFile(buffer, 'w') as archive:
    archive.writestr('readme.txt', 'no model')
  return buffer.getvalue()


def script(model: nn.Module) -> bytes:
  return to_bytes(torch.jit.save, torch.jit.script(model.eval()))


def frozen(model: nn.Module) -> bytes:
  return to_bytes(torch.jit.save,
                  torch.jit.freeze(torch.jit.script(model.eval())))


def half(data: bytes) -> bytes:
  return data[:len(data) // 2]


def flipped(data: bytes) -> bytes:
  """Every 97th byte inverted, the zip's directory at the end left alone."""
  changed = bytearray(data)
  for i in range(200, len(changed) * 3 // 4, 97):
    changed[i] ^= 0xFF
  return bytes(changed)


def save(value) -> bytes:
  return to_bytes(torch.save, value)


def with_value(value: float) -> list:
  batches = images(2)
  batches[0][0, 0, 0, 0] = value
  return batches


CASES = {
    # A model and its quantized twin.
    'net_float': lambda: script(net()),
    'net_quantized': lambda: script(quantized_net()),
    'net_float_frozen': lambda: frozen(net()),
    'net_quantized_frozen': lambda: frozen(quantized_net()),
    'net_perturbed': lambda: script(perturbed()),
    'mlp_float': lambda: script(mlp()),
    'mlp_quantized': lambda: script(quantized_mlp()),
    'wide_quantized': lambda: script(quantized_mlp(width=9)),
    'zeros_float': lambda: script(zeros(mlp())),
    'zeros_quantized': lambda: script(quantize(zeros(mlp()), images(3, (8, 4)))),
    'odd_names_float': lambda: script(seeded(OddNames)),
    'odd_names_quantized': lambda: script(
        quantize_eagerly(seeded(OddNames), images(3, (8, 4)))),
    'keeps': lambda: script(Keeps()),
    'keeps_floats': lambda: script(KeepsFloats()),
    'two_float': lambda: script(seeded(TwoInputs)),
    'two_quantized': lambda: script(quantize(seeded(TwoInputs), two_inputs())),
    'gated_float': lambda: script(Gated(mlp(), Gate())),
    'gated_quantized': lambda: script(Gated(quantized_mlp(), CheapGate())),
    'saturating_float': lambda: script(seeded(Saturating)),
    'saturating_quantized': lambda: script(saturating()),
    'lstm_float': lambda: script(seeded(Lstm)),
    'lstm_quantized': lambda: script(quantized_lstm()),
    'unrelated': lambda: script(Unrelated()),
    'branch_float': lambda: script(branch(mlp, 1e9)),
    'branch_quantized': lambda: script(branch(quantized_mlp, -1e9)),

    # No model.
    'net_float_state': lambda: save(quantize_fx.fuse_fx(net()).state_dict()),
    'net_quantized_state': lambda: save(quantized_net().state_dict()),
    'recurrent_float_state': lambda: save(seeded(Recurrent).state_dict()),
    'recurrent_quantized_state': lambda: save(
        recurrent_dynamic().state_dict()),
    'state_dict': lambda: save(net().state_dict()),
    'eager': lambda: save(net()),
    'truncated': lambda: half(script(net())),
    'truncated_inputs': lambda: half(save(images(3))),
    'damaged': lambda: flipped(script(net())),
    'empty': lambda: b'',
    'random': lambda: random.Random(5).randbytes(5000),
    'zip': plain_zip,

    # Inputs of Net.
    'images': lambda: save(images(3)),
    'more_images': lambda: save(images(2, seed=3)),
    'one_image': lambda: save(images(1)[0]),
    'sequences': lambda: save(images(2, (6, 3, 4))),
    'no_batches': lambda: save([]),
    'no_rows': lambda: save([torch.zeros(0, 3, 8, 8)]),
    'no_rows_between': lambda: save(
        [images(3)[0], torch.zeros(0, 3, 8, 8), *images(3)[1:]]),
    'wrong_shape': lambda: save([torch.zeros(2, 5, 8, 8)]),
    'wrong_rank': lambda: save([torch.zeros(7)]),
    'second_wrong': lambda: save([images(1)[0], torch.zeros(2, 5, 8, 8)]),
    'float64': lambda: save([x.double() for x in images(2)]),
    'int64': lambda: save([x.long() for x in images(2)]),
    'text': lambda: save([('a string',)]),
    'two_arguments': lambda: save([(images(1)[0], images(1)[0])]),
    'no_arguments': lambda: save([()]),
    'unknown_keyword': lambda: save([{'image': images(1)[0]}]),
    'keyword': lambda: save([{'x': x} for x in images(3)]),
    'channels_last': lambda: save(
        [x.contiguous(memory_format=torch.channels_last) for x in images(3)]),
    'strided': lambda: save(
        [torch.stack([x, x], 4)[..., 0].transpose(2, 3).contiguous()
         .transpose(2, 3) for x in images(3)]),
    'nan': lambda: save(with_value(float('nan'))),
    'inf': lambda: save(with_value(float('inf'))),
    'zeros': lambda: save([torch.zeros(IMAGE)]),

    # Inputs of others.
    'rows': lambda: save(images(3, (8, 4))),
    'all_codes': lambda: save(all_codes()),
    'pairs': lambda: save(two_inputs()),
    'pair_keywords': lambda: save([{'y': y, 'x': x} for x, y in two_inputs()]),
}

for _name, _class in (('log', Log), ('by_zero', DivideByZero),
                      ('unknown_op', UnknownOp), ('custom', CustomOp),
                      ('dict', DictOutput), ('forks', Forks),
                      ('tuple', TupleOutput), ('twice', Twice), ('loop', Loop),
                      ('encoder', Encoder)):
  CASES[_name + '_float'] = lambda c=_class: script(c(mlp()))
  CASES[_name + '_quantized'] = lambda c=_class: script(c(quantized_mlp()))

CASES['splits_float'] = lambda: script(Splits(mlp()))
CASES['splits_quantized'] = lambda: script(SplitsTwice(quantized_mlp()))


def main():
  folder, names = sys.argv[1], sys.argv[2:]
  missing = set(CASES) ^ set(names)
  if missing:
    sys.exit('in one of BUILD and make_cases.py only: ' + ' '.join(missing))
  torch.set_num_threads(1)
  os.makedirs(folder, exist_ok=True)
  for name in names:
    with open(os.path.join(folder, name + '.pt'), 'wb') as file:
      file.write(CASES[name]())


if __name__ == '__main__':
  main()
