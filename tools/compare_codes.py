#!/usr/bin/python3
"""How many codes of lowered ops differ from those of LibTorch's own ops.

Usage: compare_codes.py LIBNS_OPS: loads that library, which
`bazel build -c opt //:libns_ops.so` builds, runs each pair of ops on many random
tensors and prints the share of codes that differ, and by how many steps at most:
of small tensors and of large ones, with any scales, and with round ones, which
make ties of many values.
"""

import sys

import torch

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


PAIRS = {
    'add': two_operands('add'),
    'add_relu': two_operands('add_relu'),
    'mul': two_operands('mul'),
    'hardswish': one_operand('hardswish'),
    'sigmoid': one_operand('sigmoid'),
    'mean': mean,
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


if __name__ == '__main__':
  main()
