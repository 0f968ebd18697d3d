#!/usr/bin/python3
"""How many codes of lowered ops differ from those of LibTorch's own ops.

Usage: compare_codes.py LIBNS_OPS [NS]: loads that library, which
`bazel build -c opt //:libns_ops.so` builds, runs each pair of ops on many random
tensors and prints the share of codes that differ, and by how many steps at
most: of small tensors and of large ones, with any scales, and with round ones,
which make ties of many values.

With the tool NS, it also lowers random linear layers and convolutions. Their
activations have 7 bits, so that no processor saturates. It prints how many of
the codes that differ the formula of oneDNN explains, which adds the zero point
before it rounds.
"""

import os
import subprocess
import sys
import tempfile
from typing import List

import torch
from torch import nn
from torch.ao.nn import quantized as nnq

SEED = 1
SMALL = [(3,), (2, 7), (1, 8, 2, 2), (2, 16, 4, 4), (4, 33), (1, 24, 7, 7)]
LARGE = [(2, 63, 28, 28), (65, 767), (1, 961, 14, 14)]
ROUNDS = 200
DIMENSIONS = [[2, 3], [1], [0], [-1], [1, 3]]


def any_scale():
  return float(torch.rand(1) * 0.1 + 0.01)


def round_scale():
  return (0.025, 0.05, 0.1)[int(torch.randint(0, 3, (1,)))]


SCALES = {'any': any_scale, 'round': round_scale}


def qparams(scale):
  return scale(), int(torch.randint(0, 256, (1,)))


def codes(shape, scale):
  values = torch.randint(0, 256, shape, dtype=torch.uint8)
  quantized = torch._make_per_tensor_quantized_tensor(values, *qparams(scale))
  channels_last = len(shape) == 4 and bool(torch.rand(1) < 0.5)
  return (quantized.contiguous(memory_format=torch.channels_last)
          if channels_last else quantized)


def two_operands(name):
  def pair(shape, scale):
    a, b, output = codes(shape, scale), codes(shape, scale), qparams(scale)
    return (getattr(torch.ops.ns, 'fbgemm_' + name)(a, b, *output),
            getattr(torch.ops.quantized, name)(a, b, *output))
  return pair


def one_operand(name):
  def pair(shape, scale):
    x, output = codes(shape, scale), qparams(scale)
    return (getattr(torch.ops.ns, 'fbgemm_' + name)(x, *output),
            getattr(torch.ops.quantized, name)(x, *output))
  return pair


def mean(shape, scale):
  x = codes(shape, scale)
  fitting = [d for d in DIMENSIONS if max(d) < len(shape)]
  dim = fitting[int(torch.randint(0, len(fitting), (1,)))]
  return torch.ops.ns.fbgemm_mean(x, dim, False), torch.mean(x, dim)


def softmax(shape, scale):
  x = codes(shape, scale)
  output = (-1, *qparams(scale)) if torch.rand(1) < 0.5 else (-1, 1 / 256, 0)
  return (torch.ops.ns.fbgemm_softmax(x, *output),
          torch.ops.quantized.softmax(x, *output))


def matmul(shape, scale):
  """A matrix by a transposed one, as attention multiplies queries by keys."""
  a, b = (codes(shape, scale).reshape(-1, shape[-1])[:64] for _ in range(2))
  b = b.t()
  output_scale = scale() * shape[-1]**0.5
  return (torch.ops.ns.fbgemm_matmul(a, b, output_scale, 128),
          torch.ops.quantized.matmul(a, b, output_scale, 128))


PAIRS = {
    'add': two_operands('add'),
    'add_relu': two_operands('add_relu'),
    'mul': two_operands('mul'),
    'hardswish': one_operand('hardswish'),
    'sigmoid': one_operand('sigmoid'),
    'mean': mean,
    'softmax': softmax,
    'matmul': matmul,
}


def difference(pair, shapes, scale):
  """Codes that differ, all codes, and the largest difference."""
  different = total = most = 0
  for _ in range(ROUNDS):
    for shape in shapes:
      ours, theirs = (y.int_repr().int() for y in pair(shape, scale))
      steps = (ours - theirs).abs()
      different += int(steps.count_nonzero())
      total += steps.numel()
      most = max(most, int(steps.max()))
  return different, total, most


LAYERS = 20
STEPS = 127
# The shapes of an input and of a weight, and whether each channel is by itself.
KINDS = {
    'linear': ((4096, 96), (128, 96), False),
    'conv 1x1': ((8, 32, 32, 32), (64, 32, 1, 1), False),
    'conv 3x3': ((8, 32, 26, 26), (64, 32, 3, 3), False),
    'depthwise': ((8, 64, 34, 34), (64, 1, 3, 3), True),
}


class Layers(nn.Module):

  def __init__(self, layers):
    super().__init__()
    self.layers = nn.ModuleList(layers)

  def forward(self, inputs: List[torch.Tensor]):
    outputs = []
    for i, layer in enumerate(self.layers):
      outputs.append(layer(inputs[i]))
    return outputs


def compute(x, weight, bias, groups):
  return (nn.functional.linear(x, weight, bias) if x.dim() == 2 else
          nn.functional.conv2d(x, weight, bias, groups=groups))


def channels(values, like):
  return values.reshape([1, -1] + [1] * (like.dim() - 2))


def make_layer(kind, with_bias):
  """A quantized layer with an input."""
  input_shape, weight_shape, is_depthwise = KINDS[kind]
  scale, zero_point = any_scale(), int(torch.randint(0, STEPS, (1,)))
  integers = (torch.randn(input_shape) * 30 + STEPS / 2).clamp(0, STEPS)
  x = torch.quantize_per_tensor((integers - zero_point) * scale, scale,
                                zero_point, torch.quint8)
  weight = torch.randn(weight_shape) / weight_shape[1]**0.5
  scales = weight.flatten(1).abs().amax(1).double() / STEPS
  weight = torch.quantize_per_channel(
      weight, scales, torch.zeros(len(scales), dtype=torch.long), 0,
      torch.qint8)
  bias = torch.randn(len(scales)) if with_bias else None
  groups = len(scales) if is_depthwise else 1
  if x.dim() == 2:
    layer = nnq.Linear(weight_shape[1], len(scales), bias_=with_bias)
  else:
    layer = nnq.Conv2d(weight_shape[1] * groups, len(scales), weight_shape[2],
                       groups=groups, bias=with_bias)
  layer.set_weight_bias(weight, bias)
  exact = compute(x.dequantize(), weight.dequantize(), bias, groups)
  least = min(0.0, float(exact.min()))
  layer.scale = (max(0.0, float(exact.max())) - least) / STEPS
  layer.zero_point = round(-least / layer.scale)
  return layer, x, (weight, bias, groups)


def by_onednn(layer, x, weight, bias, groups):
  """The formula of oneDNN: the zero point is added before rounding."""
  total = compute(x.int_repr().double() - x.q_zero_point(),
                  weight.int_repr().double(), None, groups).float()
  inverse = lambda scale: (1 / torch.as_tensor(scale).double()).float()
  scale = inverse(layer.scale) / (
      inverse(x.q_scale()) * inverse(weight.q_per_channel_scales()))
  value = total * channels(scale, total)
  if bias is not None:
    value = value + channels(bias * inverse(layer.scale), total)
  return torch.round(value + layer.zero_point).clamp(0, 255)


def compare_layers(ns, kind, with_bias):
  made = [make_layer(kind, with_bias) for _ in range(LAYERS)]
  inputs = [x for _, x, _ in made]
  with tempfile.TemporaryDirectory() as folder:
    path, lowered_path = (os.path.join(folder, name)
                          for name in ('q.pt', 'lowered.pt'))
    torch.jit.script(Layers([layer for layer, _, _ in made])).save(path)
    subprocess.run([ns, 'lower', '--in=' + path, '--out=' + lowered_path],
                   check=True, stdout=subprocess.DEVNULL)
    lowered = torch.jit.load(lowered_path)
  different = total = explained = 0
  with torch.no_grad():
    for (layer, x, parts), ours in zip(made, lowered(inputs)):
      theirs = layer(x).int_repr().int()
      differs = ours.int_repr().int() != theirs
      different += int(differs.sum())
      total += differs.numel()
      explained += int(
          (differs & (by_onednn(layer, x, *parts) == theirs)).sum())
  print(f'{kind:<10}  {"with bias" if with_bias else "no bias":<9}  '
        f'{different} of {total} codes, {different / total * 1e6:.1f} of a '
        f'million; oneDNN\'s formula explains {explained}', flush=True)


def main():
  torch.ops.load_library(sys.argv[1])
  torch.backends.quantized.engine = 'onednn'
  torch.set_num_threads(1)
  torch.manual_seed(SEED)
  for name, pair in PAIRS.items():
    for size, shapes in (('small', SMALL), ('large', LARGE)):
      for kind, scale in SCALES.items():
        different, total, most = difference(pair, shapes, scale)
        print(f'{name:<10}  {size}  {kind + " scales":<12}  '
              f'{different / total:.1e} of {total} codes, '
              f'{most} step{"" if most == 1 else "s"} at most')
  if len(sys.argv) > 2:
    for kind in KINDS:
      for with_bias in (True, False):
        compare_layers(sys.argv[2], kind, with_bias)


if __name__ == '__main__':
  main()
