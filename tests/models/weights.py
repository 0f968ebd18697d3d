"""Weights of float and quantized modules, read from the modules themselves.

The reference suites lose some: the eager one keeps one matrix of an LSTM
layer, neither knows transposed convolutions, embeddings or recurrent cells.
"""

from typing import Dict, List, Tuple

import torch
from torch import nn
from torch.ao.nn import quantized as nnq
from torch.ao.nn.quantized import dynamic as nnqd

WeightDict = Dict[str, torch.Tensor]

_FLOAT = (nn.Linear, nn.modules.conv._ConvNd, nn.Embedding, nn.EmbeddingBag)
_PACKED = (nnq.Linear, nnq.modules.conv._ConvNd, nnq.Embedding,
           nnq.EmbeddingBag, nnqd.Linear)


def compare_modules(
    reference: nn.Module, quantized: nn.Module
) -> List[Tuple[str, torch.Tensor, torch.Tensor]]:
  """Returns (parameter, float, quantized) of two modules of one path."""
  x, y = _weights(reference), _weights(quantized)
  return [(name, x[name], y[name]) for name in y if name in x]


def _weights(module: nn.Module) -> WeightDict:
  """The weights of a module by name; empty if it is no layer with weights."""
  # Fused float modules are Sequentials that start with the layer; batch norm
  # has been folded into it.
  if isinstance(module, nn.Sequential) and len(module) > 0:
    if type(module).__module__.startswith(('torch.ao.nn.intrinsic',
                                           'torch.nn.intrinsic')):
      return _weights(module[0])
    return {}
  if isinstance(module, nnqd.modules.rnn.RNNBase):
    return _packed_rnn(module)
  if isinstance(module, nn.RNNBase):
    return {n: p for n, p in module.named_parameters() if 'weight' in n}
  if isinstance(module, nnqd.modules.rnn.RNNCellBase):
    return _packed_cell(module)
  if isinstance(module, nn.RNNCellBase):
    return {'weight_ih': module.weight_ih, 'weight_hh': module.weight_hh}
  if isinstance(module, _PACKED):
    return {'weight': module.weight()}
  if isinstance(module, _FLOAT):
    return {'weight': module.weight}
  return {}


def _packed_rnn(module: nn.Module) -> WeightDict:
  result = {}
  directions = 2 if module.bidirectional else 1
  for index, value in enumerate(module._all_weight_values):
    suffix = f'_l{index // directions}'
    if index % directions:
      suffix += '_reverse'
    ih, hh = value.param.__getstate__()[0][4]
    result['weight_ih' + suffix] = ih.__getstate__()[0][0]
    result['weight_hh' + suffix] = hh.__getstate__()[0][0]
  return result


def _packed_cell(module: nn.Module) -> WeightDict:
  weight = module.get_weight()
  return {name: weight[name] for name in ('weight_ih', 'weight_hh')}
