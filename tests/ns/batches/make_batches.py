#!/usr/bin/python3
"""Writes the input files of batches_test, as Python's users would.

Usage: make_batches.py DIR NAME...: writes DIR/NAME.pt for each NAME below.
"""

import collections
import os
import sys
import zipfile
from typing import Dict, List, Tuple

import numpy as np
import torch
from torch import nn

Point = collections.namedtuple('Point', ['x', 'y'])


def counting(*shape: int) -> torch.Tensor:
  """0, 1, 2, ... in logical order: values that a test can name."""
  return torch.arange(float(np.prod(shape))).reshape(shape)


class WithBatches(nn.Module):
  batches: List[torch.Tensor]

  def __init__(self):
    super().__init__()
    self.batches = [counting(2), counting(3)]

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return x


class WithTupleBatches(nn.Module):
  batches: List[Tuple[torch.Tensor, Dict[str, torch.Tensor]]]

  def __init__(self):
    super().__init__()
    self.batches = [(counting(2), {'a': counting(3)})]


class ReturnsBatches(nn.Module):

  def __init__(self):
    super().__init__()
    self.weight = nn.Parameter(counting(3))

  def forward(self, scale: float = 2.0):
    return [self.weight, self.weight * scale]


class ReturnsDicts(nn.Module):

  def forward(self):
    return [{'x': torch.ones(2)}, {'x': torch.zeros(2)}]


class Fails(nn.Module):

  def forward(self):
    return [torch.ones(2) + torch.ones(3)]


class Model(nn.Module):

  def forward(self, x: torch.Tensor):
    return x


def views() -> List[torch.Tensor]:
  """Two windows of one storage, the second with gaps."""
  base = counting(4, 6)
  return [base[1], base[:, ::2]]


def channels_last() -> torch.Tensor:
  return counting(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)


def per_channel(axis: int) -> torch.Tensor:
  return torch.quantize_per_channel(
      counting(2, 3), torch.arange(1.0, 4.0)[:(2, 3)[axis]],
      torch.zeros((2, 3)[axis]).long(), axis, torch.qint8)


def with_attribute() -> torch.Tensor:
  tensor = counting(2)
  tensor.note = 'kept by Python, of no interest here'
  return tensor


def nested() -> list:
  inner = 1
  for _ in range(150):
    inner = (inner,)
  return [inner]


def cycle() -> list:
  items = [counting(2)]
  items.append(items)
  return items


def compress(path: str) -> None:
  """Writes the archive at `path` anew, as tools for zip files do."""
  with zipfile.ZipFile(path) as archive:
    records = [(name, archive.read(name)) for name in archive.namelist()]
  with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
    for name, content in records:
      archive.writestr(name, content)


DTYPES = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8,
          torch.bool, torch.float16, torch.bfloat16, torch.float64,
          torch.complex64, torch.complex128]

# What torch.save writes, by name.
VALUES = {
    'one': lambda: [counting(3)],
    'two': lambda: [counting(3), counting(2, 2)],
    'many': lambda: [torch.full((1,), float(i)) for i in range(2500)],
    'tensor': lambda: counting(3),
    'tuples': lambda: [(counting(2), 7), (counting(3), 8)],
    'tuple1': lambda: [(counting(2),)],
    'no_arguments': lambda: [()],
    'long_tuple': lambda: [(counting(2), 1, 2.5, True, None, 'text')],
    'dict1': lambda: [{'x': counting(2)}],
    'dict2': lambda: [{'x': counting(2), 'y': 3}],
    'top_dict': lambda: {'x': counting(2)},
    'ordered_dict': lambda: [
        collections.OrderedDict(x=counting(2)),
        collections.OrderedDict(x=counting(2), y=1)],
    'nested_lists': lambda: [([counting(2)], [[1], [2, 3]], {'k': [1.5]})],
    'integers': lambda: [
        (0, -1, 255, 256, 65536, -2**31, 2**31, -2**40, 2**62, -2**63, 128)],
    'dtypes': lambda: [tuple(torch.tensor([0, 1, 2]).to(d) for d in DTYPES)],
    'dtype': lambda: [(torch.float16, torch.Size([2, 3]),
                       torch.device('cuda:0'))],
    'channels_last': lambda: [channels_last()],
    'views': views,
    'split': lambda: list(counting(256, 5).split(64)),
    'columns': lambda: list(counting(256, 4).split(2, dim=1)),
    'pairs': lambda: [tuple(counting(4, 64)[i:i + 2]) for i in range(3)],
    'channels_split': lambda: list(torch.quantize_per_channel(
        counting(6, 3), torch.arange(1.0, 4.0), torch.zeros(3).long(), 1,
        torch.qint8).split(2)),
    'empty_views': lambda: list(counting(4, 3)[2:].split([0, 2])),
    'expanded': lambda: [torch.ones(1, 3).expand(2, 3)],
    'empty_tensor': lambda: [torch.zeros(0, 3), torch.tensor(5.0)],
    'per_tensor': lambda: [
        torch.quantize_per_tensor(counting(3), 0.5, 3, torch.quint8),
        torch.quantize_per_tensor(counting(3), 0.5, 0, torch.qint32)],
    'per_channel': lambda: [per_channel(0), per_channel(1)],
    'parameter': lambda: [nn.Parameter(counting(2))],
    'grad': lambda: [counting(2).requires_grad_()],
    'attribute': lambda: [with_attribute()],
    'repeated': lambda: [counting(2)] * 2,
    'empty_list': lambda: [],
    'list_in_list': lambda: [counting(2), [counting(2)]],
    'number_in_list': lambda: [counting(2), 5],
    'top_tuple': lambda: (counting(2), counting(2)),
    'number': lambda: 5,
    'int_key': lambda: [{1: counting(2)}],
    'tuple_key': lambda: [{(1, 2): counting(2)}],
    'state_dict': lambda: nn.Sequential(nn.Linear(1, 1)).state_dict(),
    'numpy_array': lambda: [(np.ones(2), counting(2))],
    'numpy_scalar': lambda: [(np.float32(2), counting(2))],
    'named_tuple': lambda: [Point(counting(2), counting(2))],
    'module': lambda: nn.Linear(1, 1),
    'bytes': lambda: [(b'raw',)],
    'set': lambda: [({1, 2},)],
    'huge_integer': lambda: [(2**70,)],
    'sparse': lambda: [torch.eye(2).to_sparse()],
    'nested': nested,
    'cycle': cycle,
}

SCRIPTS = {
    'script_batches': WithBatches,
    'script_tuples': WithTupleBatches,
    'script_forward': ReturnsBatches,
    'script_dicts': ReturnsDicts,
    'script_fails': Fails,
    'script_model': Model,
}


# What NumPy writes.
ARRAYS = {'x': np.arange(12, dtype=np.float32).reshape(3, 4),
          'ids': np.arange(5).reshape(5, 1)}
NUMPY = {
    'npy': lambda file: np.save(file, ARRAYS['x']),
    'npz': lambda file: np.savez(file, ARRAYS['x'], ARRAYS['ids']),
    'npz_named': lambda file: np.savez_compressed(file, **ARRAYS),
}


def write(name: str, path: str) -> None:
  if name in SCRIPTS:
    torch.jit.save(torch.jit.script(SCRIPTS[name]()), path)
  elif name == 'legacy':
    torch.save(VALUES['two'](), path, _use_new_zipfile_serialization=False)
  elif name in ('protocol3', 'protocol4', 'protocol5'):
    torch.save([(counting(2), 'text', 2**40)], path,
               pickle_protocol=int(name[-1]))
  elif name in NUMPY:
    # numpy.save would add a suffix to the path.
    with open(path, 'wb') as file:
      NUMPY[name](file)
  elif name == 'compressed':
    torch.save(VALUES['views'](), path)
    compress(path)
  else:
    torch.save(VALUES[name](), path)


def main() -> None:
  folder = sys.argv[1]
  for name in sys.argv[2:]:
    write(name, os.path.join(folder, name + '.pt'))


if __name__ == '__main__':
  main()
