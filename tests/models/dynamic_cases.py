#!/usr/bin/python3
"""Writes float models and what PyTorch's quantize_dynamic makes of them.

  /usr/bin/python3 tests/models/dynamic_cases.py --out=DIR [CASE...]

Writes DIR/CASE/float.pt and quantized.pt, scripted, and inputs.pt, a list of
batches. Layers have the qconfigs of the pass quantize-dynamic or, of some cases,
another one (PRESETS). Where PyTorch 1.13 quantizes something else than the model,
or nothing, quantized.pt computes in float with the weights that a quantized model
has: see REBUILT and ROUNDED.
"""

import sys

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True

import copy
import os
from typing import Any, Callable, List, Tuple
import warnings

warnings.filterwarnings('ignore')

import torch
from torch import nn
from torch.ao import quantization as tq
from torch.ao.nn.quantized.modules.utils import _quantize_weight
from torch.nn.utils.rnn import pack_padded_sequence

import case_main

SEED = 20221214
WIDTH = 12
HIDDEN = 16
ROWS = 20

SPEC = {
    **dict.fromkeys((nn.Linear, nn.intrinsic.LinearReLU, nn.LSTM, nn.GRU,
                     nn.LSTMCell, nn.GRUCell, nn.RNNCell),
                    tq.default_dynamic_qconfig),
    **dict.fromkeys((nn.Embedding, nn.EmbeddingBag),
                    tq.float_qparams_weight_only_qconfig),
}


# What the layers of a case have instead.
PRESETS = {
    'per_channel': tq.per_channel_dynamic_qconfig,
    'embedding_4bit': tq.float_qparams_weight_only_qconfig_4bit,
    'bag_4bit': tq.float_qparams_weight_only_qconfig_4bit,
}


class Linears(nn.Module):
  """Layers with and without a bias; one is called twice, others behind relu."""

  def __init__(self) -> None:
    super().__init__()
    self.first = nn.Linear(WIDTH, HIDDEN)
    self.twice = nn.Linear(HIDDEN, HIDDEN, bias=False)
    self.last = nn.Linear(HIDDEN, 5)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = torch.relu(self.first(x))
    x = self.twice(torch.tanh(self.twice(x)))
    return self.last(x)


class FusedLinear(nn.Module):
  """A linear and a relu that PyTorch has fused."""

  def __init__(self) -> None:
    super().__init__()
    self.layer = nn.intrinsic.LinearReLU(nn.Linear(WIDTH, HIDDEN), nn.ReLU())
    self.layer.eval()

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.layer(x)


class ControlFlow(nn.Module):
  """Layers in both arms of an if, and in a loop."""

  def __init__(self) -> None:
    super().__init__()
    self.small = nn.Linear(WIDTH, HIDDEN)
    self.large = nn.Linear(WIDTH, HIDDEN)
    self.step = nn.Linear(HIDDEN, HIDDEN)
    self.cell = nn.GRUCell(HIDDEN, HIDDEN)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    if bool(x.mean() > 0):
      y = torch.relu(self.large(x))
    else:
      y = self.small(x)
    h = torch.zeros(x.size(1), 16)
    for t in range(x.size(0)):
      h = self.cell(torch.relu(self.step(y[t])), h)
    return h


class Sequence(nn.Module):
  """An LSTM or GRU on sequences of one length."""

  def __init__(self, rnn: nn.Module) -> None:
    super().__init__()
    self.rnn = rnn


class Lstm(Sequence):

  def forward(self, x: torch.Tensor):
    y, (h, c) = self.rnn(x)
    return y, h, c


class LstmWithState(Sequence):

  def forward(self, x: torch.Tensor,
              state: Tuple[torch.Tensor, torch.Tensor]):
    y, (h, c) = self.rnn(x, state)
    return y, h, c


class LstmPacked(Sequence):
  """Sequences of different lengths, packed."""

  def forward(self, x: torch.Tensor, lengths: torch.Tensor):
    packed = pack_padded_sequence(x, lengths, enforce_sorted=False)
    y, (h, c) = self.rnn(packed)
    return y.data, h, c


class PerChannel(nn.Module):
  """An LSTM and a linear layer behind it."""

  def __init__(self) -> None:
    super().__init__()
    self.rnn = nn.LSTM(WIDTH, HIDDEN)
    self.head = nn.Linear(HIDDEN, 5)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    y, _ = self.rnn(x)
    return torch.relu(self.head(y))


class Gru(Sequence):

  def forward(self, x: torch.Tensor):
    y, h = self.rnn(x)
    return y, h


class GruPacked(Sequence):

  def forward(self, x: torch.Tensor, lengths: torch.Tensor):
    packed = pack_padded_sequence(x, lengths, enforce_sorted=False)
    y, h = self.rnn(packed)
    return y.data, h


class Mixed(nn.Module):
  """A convolution, a recurrent and a linear layer."""

  def __init__(self) -> None:
    super().__init__()
    self.conv = nn.Conv1d(WIDTH, HIDDEN, 3, padding=1)
    self.up = nn.ConvTranspose1d(HIDDEN, HIDDEN, 3, padding=1, groups=2)
    self.rnn = nn.LSTM(HIDDEN, HIDDEN, bidirectional=True)
    self.cell = nn.GRUCell(2 * HIDDEN, HIDDEN)
    self.head = nn.Linear(HIDDEN, 5)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.up(torch.relu(self.conv(x)))
    y, _ = self.rnn(x.permute(2, 0, 1))
    return self.head(self.cell(y[0]))


class Cells(nn.Module):
  """Each kind of cell, in a loop."""

  def __init__(self) -> None:
    super().__init__()
    self.lstm_cell = nn.LSTMCell(WIDTH, HIDDEN)
    self.gru_cell = nn.GRUCell(HIDDEN, HIDDEN)
    self.tanh_cell = nn.RNNCell(HIDDEN, HIDDEN)
    self.relu_cell = nn.RNNCell(HIDDEN, HIDDEN, nonlinearity='relu')

  def forward(self, x: torch.Tensor):
    h = torch.zeros(x.size(1), 16)
    c = torch.zeros(x.size(1), 16)
    g = torch.zeros(x.size(1), 16)
    r = torch.zeros(x.size(1), 16)
    s = torch.zeros(x.size(1), 16)
    for t in range(x.size(0)):
      h, c = self.lstm_cell(x[t], (h, c))
      g = self.gru_cell(h, g)
      r = self.tanh_cell(g, r)
      s = self.relu_cell(r, s)
    return h, c, g, r, s


class Recurrent(nn.Module):
  """Recurrent layers and cells, with biases or without any."""

  def __init__(self, bias: bool) -> None:
    super().__init__()
    self.lstm = nn.LSTM(WIDTH, HIDDEN, 2, bidirectional=True, bias=bias)
    self.gru = nn.GRU(2 * HIDDEN, HIDDEN, bias=bias)
    self.lstm_cell = nn.LSTMCell(HIDDEN, HIDDEN, bias=bias)
    self.gru_cell = nn.GRUCell(HIDDEN, HIDDEN, bias=bias)

  def forward(self, x: torch.Tensor):
    y, _ = self.lstm(x)
    y, _ = self.gru(y)
    h, c = self.lstm_cell(y[0])
    return y, self.gru_cell(h), c


class Table(nn.Module):

  def __init__(self, table: nn.Module) -> None:
    super().__init__()
    self.table = table


class Embedding(Table):

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.table(x)


class Bag(Table):

  def forward(self, x: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    return self.table(x, offsets)


class WeightedBag(Table):

  def forward(self, x: torch.Tensor, offsets: torch.Tensor,
              weights: torch.Tensor) -> torch.Tensor:
    return self.table(x, offsets, weights)


def sequences(*shape: int) -> List[torch.Tensor]:
  """Batches that take both ways of an if."""
  return [torch.randn(*shape) + shift for shift in (0.3, -0.3)]


def packed_sequences() -> List[Any]:
  return [(x, torch.tensor([2, 5, 4])) for x in sequences(5, 3, WIDTH)]


def states(layers: int) -> List[Any]:
  return [(x, (0.3 * torch.randn(layers, 3, HIDDEN),
               2 * torch.randn(layers, 3, HIDDEN)))
          for x in sequences(5, 3, WIDTH)]


def indices(*shape: int) -> torch.Tensor:
  return torch.randint(0, ROWS, shape)


def bags(last: int = 0) -> List[Any]:
  """One has an empty bag; `last` is 1 with include_last_offset."""
  return [
      (indices(9), torch.tensor([0, 3, 3, 7, 9][:4 + last])),
      (indices(4).int(), torch.tensor([0, 4][:1 + last]).int()),
  ]


def bag(**options: Any) -> nn.Module:
  return nn.EmbeddingBag(ROWS, 8, **options)


CASES = {
    'linears': lambda: (Linears(), sequences(4, 3, WIDTH)),
    'fused_linear': lambda: (FusedLinear(), sequences(4, WIDTH)),
    'control_flow': lambda: (ControlFlow(), sequences(5, 3, WIDTH)),
    'lstm': lambda: (Lstm(nn.LSTM(WIDTH, HIDDEN)), sequences(5, 3, WIDTH)),
    'lstm_bidirectional': lambda: (
        Lstm(nn.LSTM(WIDTH, HIDDEN, 2, bidirectional=True, dropout=0.3)),
        sequences(5, 3, WIDTH)),
    'lstm_batch_first': lambda: (
        Lstm(nn.LSTM(WIDTH, HIDDEN, 2, batch_first=True)),
        sequences(3, 5, WIDTH)),
    'lstm_with_state': lambda: (
        LstmWithState(nn.LSTM(WIDTH, HIDDEN, 2)), states(2)),
    'lstm_packed': lambda: (
        LstmPacked(nn.LSTM(WIDTH, HIDDEN, 2, bidirectional=True)),
        packed_sequences()),
    'gru': lambda: (
        Gru(nn.GRU(WIDTH, HIDDEN, batch_first=True)), sequences(3, 5, WIDTH)),
    'gru_bidirectional': lambda: (
        Gru(nn.GRU(WIDTH, HIDDEN, 2, bidirectional=True)),
        sequences(5, 3, WIDTH)),
    'gru_packed': lambda: (
        GruPacked(nn.GRU(WIDTH, HIDDEN, 2)), packed_sequences()),
    'cells': lambda: (Cells(), sequences(5, 3, WIDTH)),
    'no_biases': lambda: (Recurrent(bias=False), sequences(5, 3, WIDTH)),
    'per_channel': lambda: (PerChannel(), sequences(5, 3, WIDTH)),
    'half': lambda: (Mixed(), sequences(3, WIDTH, 7)),
    'int4_weights': lambda: (Mixed(), sequences(3, WIDTH, 7)),
    'embedding_4bit': lambda: (
        Embedding(nn.Embedding(ROWS, 8)), [indices(4, 3)]),
    'bag_4bit': lambda: (Bag(bag(mode='sum')), bags()),
    'embedding': lambda: (
        Embedding(nn.Embedding(ROWS, 8, padding_idx=3)),
        [indices(4, 3), indices(7)]),
    'bag_sum': lambda: (Bag(bag(mode='sum')), bags()),
    'bag_last_offset': lambda: (
        Bag(bag(mode='sum', include_last_offset=True)), bags(last=1)),
    'bag_rows': lambda: (Embedding(bag(mode='sum')), [indices(4, 3)]),
    'bag_weighted': lambda: (
        WeightedBag(bag(mode='sum')),
        [(*batch, torch.rand(batch[0].numel())) for batch in bags()]),
    'bag_mean': lambda: (Bag(bag(mode='mean')), bags()),
    'bag_mean_last_offset': lambda: (
        Bag(bag(mode='mean', include_last_offset=True)), bags(last=1)),
    'bag_padding': lambda: (
        Bag(bag(mode='sum', padding_idx=5)), bags() + [full_of(5)]),
    'bag_mean_padding': lambda: (
        Bag(bag(mode='mean', padding_idx=-1)), bags() + [full_of(ROWS - 1)]),
}


def full_of(row: int) -> Tuple[torch.Tensor, torch.Tensor]:
  """Bags with this row among others, alone and not at all."""
  return torch.tensor([1, row, row, row, 2]), torch.tensor([0, 2, 4])


# PyTorch 1.13 makes a sum of a mean, and adds padding rows, too.
REBUILT = {'bag_mean', 'bag_mean_last_offset', 'bag_padding',
           'bag_mean_padding'}


def half(weight: torch.Tensor, axis: int) -> torch.Tensor:
  return weight.half().float()


def int4(weight: torch.Tensor, axis: int) -> torch.Tensor:
  observer = tq.PerChannelMinMaxObserver(
      ch_axis=axis, dtype=torch.qint8, qscheme=torch.per_channel_symmetric,
      quant_min=-8, quant_max=7)
  observer(weight)
  return _quantize_weight(weight, observer).dequantize()


# No engine here multiplies in half precision, and none with weights alone.
ROUNDED = {'half': half, 'int4_weights': int4}


def round_weights(model: nn.Module, rounded: Any) -> nn.Module:
  """The same model with rounded weights; biases are vectors."""
  copied = copy.deepcopy(model)
  with torch.no_grad():
    for name, weight in copied.named_parameters():
      if weight.dim() > 1:
        # Of transposed convolutions, the output channels come second.
        weight.copy_(rounded(weight, 1 if name.startswith('up.') else 0))
  return copied


def with_zero_biases(model: nn.Module) -> nn.Module:
  """The same model for PyTorch, which quantizes nothing without biases."""
  copied = Recurrent(bias=True).eval()
  with torch.no_grad():
    for bias in copied.parameters():
      bias.zero_()
  copied.load_state_dict(model.state_dict(), strict=False)
  return copied


def quantize(name: str, model: nn.Module) -> nn.Module:
  if name == 'no_biases':
    model = with_zero_biases(model)
  if name in ROUNDED:
    return round_weights(model, ROUNDED[name])
  preset = PRESETS.get(name)
  quantized = tq.quantize_dynamic(
      model, dict.fromkeys(SPEC, preset) if preset else SPEC)
  if name in REBUILT:
    # The module keeps its arguments, and gets the quantized rows.
    bag = model.table
    quantized.table = nn.EmbeddingBag.from_pretrained(
        quantized.table.weight().dequantize(), mode=bag.mode,
        include_last_offset=bag.include_last_offset,
        padding_idx=bag.padding_idx)
  # What PyTorch loses, besides.
  elif name == 'bag_last_offset':
    quantized.table.include_last_offset = True
  elif name == 'embedding_4bit':
    quantized.table.dtype = torch.quint4x2
  return quantized


def write(name: str, case: Callable[..., Any], out: str) -> None:
  model, batches = case()
  model.eval()
  quantized = quantize(name, model)
  for stem, module in (('float', model), ('quantized', quantized)):
    torch.jit.script(module).save(os.path.join(out, stem + '.pt'))
  torch.save(batches, os.path.join(out, 'inputs.pt'))


if __name__ == '__main__':
  case_main.case_main(__doc__, CASES, SEED, write)
