#!/usr/bin/python3
"""Writes models of one layer each, and what torch.quantization makes of them.

  /usr/bin/python3 tests/models/module_cases.py --out=DIR

There is a model for every type of module that PyTorch 1.13 quantizes in eager
mode, and for every chain that fuse_modules knows, for both quantized engines.
Files of a model are DIR/<engine>_<case>_float.pt, _fused.pt, _quantized.pt,
_inputs.pt (a list of batches) and _outputs.pt (for each batch, the first tensor
that the quantized model gives). DIR/module_cases.txt has a line for each:

  onednn_conv_bn_relu static m.0,m.1,m.2

its stem; "static", "dynamic" or "table" (embeddings, by quantize with weights
alone); and the modules that are fused, "-" for none.
"""

import argparse
import sys

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True

import copy
import os
from typing import Iterator, List, NamedTuple, Tuple
import warnings

warnings.filterwarnings('ignore')

import torch
from torch import nn
from torch.ao import quantization as tq

ENGINES = ('onednn', 'qnnpack')
SEED = 20261125


class Case(NamedTuple):
  name: str
  kind: str
  model: nn.Module
  batches: List[tuple]
  chain: List[str] = []


class Cell(nn.Module):
  """Calls a cell without hidden state, as scripting allows it."""

  def __init__(self, cell: nn.Module):
    super().__init__()
    self.cell = cell

  def forward(self, x: torch.Tensor):
    return self.cell(x)


class Sequences(nn.Module):
  """An LSTM between stubs."""

  def __init__(self, lstm: nn.LSTM):
    super().__init__()
    self.quant = tq.QuantStub()
    self.lstm = lstm
    self.dequant = tq.DeQuantStub()

  def forward(self, x: torch.Tensor):
    y, _ = self.lstm(self.quant(x))
    return self.dequant(y)


class Attention(nn.Module):
  """Attention of sequences to themselves between stubs."""

  def __init__(self, attention: nn.MultiheadAttention):
    super().__init__()
    self.quant = tq.QuantStub()
    self.attention = attention
    self.dequant = tq.DeQuantStub()

  def forward(self, x: torch.Tensor):
    x = self.quant(x)
    y, weights = self.attention(x, x, x)
    assert weights is not None
    return torch.cat([self.dequant(y).flatten(),
                      self.dequant(weights).flatten()])


class Bag(nn.Module):
  """A bag of embeddings with offsets."""

  def __init__(self, bag: nn.Module):
    super().__init__()
    self.bag = bag

  def forward(self, indices: torch.Tensor, offsets: torch.Tensor):
    return self.bag(indices, offsets)


# Hooks that change values, float and quantized ones.
def clip_input(self, input: Tuple[torch.Tensor]) -> Tuple[torch.Tensor]:
  return (input[0].clamp(-0.5, 0.75),)


def clip_output(self, input: Tuple[torch.Tensor],
                output: torch.Tensor) -> torch.Tensor:
  return output.clamp(-0.125, 0.25)


def hooked(case: Case, first: str, last: str) -> Case:
  """The case with a hook before module `first`, and one behind `last`."""
  case.model.get_submodule(first).register_forward_pre_hook(clip_input)
  case.model.get_submodule(last).register_forward_hook(clip_output)
  return case


def settle(model: nn.Module) -> nn.Module:
  """Gives norms statistics and parameters that matter."""
  for module in model.modules():
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
      module.running_mean.uniform_(-0.5, 0.5)
      module.running_var.uniform_(0.5, 2)
    if isinstance(module, (nn.modules.batchnorm._BatchNorm, nn.GroupNorm,
                           nn.LayerNorm, nn.modules.instancenorm._InstanceNorm)):
      if module.weight is not None:
        nn.init.uniform_(module.weight, 0.5, 1.5)
        nn.init.uniform_(module.bias, -0.5, 0.5)
  return model


def static(name: str, *parts: nn.Module, shape: Tuple[int, ...]) -> Case:
  """Parts between stubs; several are fused."""
  layer = parts[0] if len(parts) == 1 else nn.Sequential(*parts)
  model = nn.Sequential()
  model.add_module('quant', tq.QuantStub())
  model.add_module('m', layer)
  model.add_module('dequant', tq.DeQuantStub())
  chain = [f'm.{i}' for i in range(len(parts))] if len(parts) > 1 else []
  batches = [(torch.randn(shape),) for _ in range(2)]
  return Case(name, 'static', settle(model), batches, chain)


def static_cases(engine: str) -> Iterator[Case]:
  row, image, cube = (2, 4, 9), (2, 4, 8, 8), (2, 4, 5, 6, 6)
  relu = nn.ReLU
  yield static('conv1d', nn.Conv1d(4, 6, 3, stride=2), shape=row)
  yield static('conv2d', nn.Conv2d(4, 6, 3, padding=1, groups=2, bias=False),
               shape=image)
  yield static('conv2d_dilated', nn.Conv2d(4, 6, 3, dilation=2), shape=image)
  yield static('conv2d_reflect',
               nn.Conv2d(4, 6, 3, padding=1, padding_mode='reflect'),
               shape=image)
  yield static('conv_transpose1d', nn.ConvTranspose1d(4, 6, 3), shape=row)
  yield static('conv_transpose2d',
               nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1), shape=image)
  yield static('batch_norm2d', nn.BatchNorm2d(4), shape=image)
  yield static('batch_norm3d', nn.BatchNorm3d(4), shape=cube)
  yield static('dropout', nn.Dropout(0.3), shape=image)
  yield static('elu', nn.ELU(alpha=0.7), shape=image)
  yield static('hardswish', nn.Hardswish(), shape=image)
  yield static('leaky_relu', nn.LeakyReLU(0.2), shape=image)
  yield static('relu6', nn.ReLU6(), shape=image)
  yield static('group_norm', nn.GroupNorm(2, 4), shape=image)
  yield static('layer_norm', nn.LayerNorm([8, 8]), shape=image)
  yield static('instance_norm1d', nn.InstanceNorm1d(4, affine=True), shape=row)
  yield static('instance_norm2d', nn.InstanceNorm2d(4, affine=True),
               shape=image)
  yield static('instance_norm3d', nn.InstanceNorm3d(4, affine=True),
               shape=cube)
  yield static('linear', nn.Linear(8, 5), shape=(3, 8))
  yield hooked(static('hooked_linear', nn.Linear(8, 5), shape=(3, 8)), 'm', 'm')
  yield static('linear_no_bias', nn.Linear(8, 5, bias=False), shape=(3, 8))
  yield static('conv1d_bn', nn.Conv1d(4, 6, 3), nn.BatchNorm1d(6), shape=row)
  yield static('conv1d_bn_relu', nn.Conv1d(4, 6, 3), nn.BatchNorm1d(6), relu(),
               shape=row)
  yield static('conv1d_relu', nn.Conv1d(4, 6, 3), relu(), shape=row)
  yield static('conv2d_bn', nn.Conv2d(4, 6, 3, bias=False), nn.BatchNorm2d(6),
               shape=image)
  yield static('conv2d_bn_relu', nn.Conv2d(4, 6, 3), nn.BatchNorm2d(6),
               relu(), shape=image)
  yield static('conv2d_relu', nn.Conv2d(4, 6, 3), relu(), shape=image)
  yield static('conv_transpose1d_bn', nn.ConvTranspose1d(4, 6, 3),
               nn.BatchNorm1d(6), shape=row)
  yield static('conv_transpose2d_bn', nn.ConvTranspose2d(4, 6, 3),
               nn.BatchNorm2d(6), shape=image)
  yield static('linear_bn', nn.Linear(8, 5), nn.BatchNorm1d(5), shape=(3, 8))
  yield static('linear_relu', nn.Linear(8, 5), relu(), shape=(3, 8))
  yield static('batch_norm2d_relu', nn.BatchNorm2d(4), relu(), shape=image)
  yield static('batch_norm3d_relu', nn.BatchNorm3d(4), relu(), shape=cube)
  yield hooked(static('hooked_conv2d_bn_relu', nn.Conv2d(4, 6, 3),
                      nn.BatchNorm2d(6), relu(), shape=image), 'm.0', 'm.2')
  if engine == 'onednn':
    # qnnpack cannot save these.
    yield static('conv3d', nn.Conv3d(4, 6, 3), shape=cube)
    yield static('conv3d_bn', nn.Conv3d(4, 6, 3), nn.BatchNorm3d(6),
                 shape=cube)
    yield static('conv3d_bn_relu', nn.Conv3d(4, 6, 3), nn.BatchNorm3d(6),
                 relu(), shape=cube)
    yield static('conv3d_relu', nn.Conv3d(4, 6, 3), relu(), shape=cube)
    yield static('conv_transpose3d', nn.ConvTranspose3d(4, 6, 3), shape=cube)


def lstm_cases() -> Iterator[Case]:
  def case(name: str, lstm: nn.LSTM) -> Case:
    return Case(name, 'static', Sequences(lstm),
                [(torch.randn(5, 3, 4),) for _ in range(2)])
  yield case('lstm', nn.LSTM(4, 6))
  yield case('lstm_two_layers', nn.LSTM(4, 6, num_layers=2, bias=False))
  yield case('lstm_bidirectional',
             nn.LSTM(4, 6, batch_first=True, bidirectional=True))


def attention_cases() -> Iterator[Case]:
  def case(name: str, attention: nn.MultiheadAttention) -> Case:
    return Case(name, 'static', Attention(attention),
                [(torch.randn(5, 3, 12),) for _ in range(2)])
  yield case('attention', nn.MultiheadAttention(12, 3))
  yield case('attention_zero', nn.MultiheadAttention(12, 2, add_zero_attn=True))
  biased = nn.MultiheadAttention(12, 2, add_bias_kv=True)
  with torch.no_grad():
    # PyTorch gives bias_v the range of bias_k, rounded.
    biased.bias_k.copy_(torch.linspace(-128, 127, 12).round() / 128)
    biased.bias_v.copy_(biased.bias_k.flip(2))
  yield case('attention_bias', biased)


def dynamic_cases() -> Iterator[Case]:
  def case(name: str, model: nn.Module, *shape: int) -> Case:
    return Case(name, 'dynamic', model, [(torch.randn(shape),)])
  yield case('dynamic_linear', nn.Sequential(nn.Linear(8, 5)), 3, 8)
  yield hooked(case('dynamic_hooked_linear', nn.Sequential(nn.Linear(8, 5)),
                    3, 8), '0', '0')
  yield case('dynamic_lstm',
             Cell(nn.LSTM(4, 6, num_layers=2, bidirectional=True)), 5, 2, 4)
  yield case('dynamic_lstm_batch_first',
             Cell(nn.LSTM(4, 6, batch_first=True)), 2, 5, 4)
  yield case('dynamic_gru', Cell(nn.GRU(4, 6, num_layers=2)), 5, 2, 4)
  yield case('dynamic_lstm_cell', Cell(nn.LSTMCell(4, 6)), 2, 4)
  yield case('dynamic_gru_cell', Cell(nn.GRUCell(4, 6)), 2, 4)
  yield case('dynamic_rnn_cell', Cell(nn.RNNCell(4, 6)), 2, 4)


def table_cases() -> Iterator[Case]:
  indices = torch.tensor([1, 4, 2, 7, 0, 3])
  yield Case('embedding', 'table', nn.Sequential(nn.Embedding(10, 12)),
             [(indices,)])
  yield Case('embedding_bag', 'table',
             Bag(nn.EmbeddingBag(10, 12, mode='sum')),
             [(indices, torch.tensor([0, 2]))])


def quantized(case: Case, model: nn.Module, engine: str) -> nn.Module:
  if case.kind == 'dynamic':
    return tq.quantize_dynamic(model)
  if case.kind == 'table':
    model.qconfig = tq.float_qparams_weight_only_qconfig
    # Their inputs are indices, which prepare would observe.
    tq.propagate_qconfig_(model)
    return tq.convert(model)
  # Kernels of transposed convolutions take one scale a weight.
  transposed = 'conv_transpose' in case.name
  model.qconfig = tq.get_default_qconfig('qnnpack' if transposed else engine)
  return tq.quantize(model, run, [case.batches])


def run(model: nn.Module, batches: List[tuple]) -> None:
  with torch.no_grad():
    for batch in batches:
      model(*batch)


def outputs(model: nn.Module, batches: List[tuple]) -> List[tuple]:
  results = []
  with torch.no_grad():
    for batch in batches:
      result = model(*batch)
      while isinstance(result, tuple):
        result = result[0]
      results.append((result,))
  return results


def write(case: Case, engine: str, out: str) -> str:
  stem = f'{engine}_{case.name}'
  path = os.path.join(out, stem)
  model = case.model.eval()
  fused = copy.deepcopy(model)
  if case.chain:
    fused = tq.fuse_modules(fused, case.chain)
  torch.jit.script(model).save(path + '_float.pt')
  torch.jit.script(fused).save(path + '_fused.pt')
  converted = quantized(case, copy.deepcopy(fused), engine)
  torch.jit.script(converted).save(path + '_quantized.pt')
  torch.save(case.batches, path + '_inputs.pt')
  # Scripted batch norms of PyTorch do not run.
  torch.save(outputs(converted, case.batches), path + '_outputs.pt')
  return f'{stem} {case.kind} {",".join(case.chain) or "-"}\n'


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument('--out', metavar='DIR', required=True)
  out = parser.parse_args().out
  os.makedirs(out, exist_ok=True)
  torch.set_num_threads(1)
  lines = []
  for engine in ENGINES:
    torch.backends.quantized.engine = engine
    torch.manual_seed(SEED)
    for cases in (static_cases(engine), lstm_cases(), attention_cases(),
                  dynamic_cases(), table_cases()):
      for case in cases:
        lines.append(write(case, engine, out))
  with open(os.path.join(out, 'module_cases.txt'), 'w') as file:
    file.writelines(lines)


if __name__ == '__main__':
  main()
