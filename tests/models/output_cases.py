#!/usr/bin/python3
"""Writes model pairs with layers that give several tensors.

  /usr/bin/python3 tests/models/output_cases.py --out=DIR [CASE...]

Writes DIR/CASE/float.pt, quantized.pt, inputs.pt (a list of batches) and
answers.json: for each recurrent module, by its path, a list of what is to be known
of each tensor that it gives, in order. Plain hooks tell: `activation` compares what
the module gives in both models, `shadow` what the float module makes of the inputs
that the quantized one had with what that made of them.
"""

import sys

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True

import copy
import json
import os
from typing import Any, Callable, Dict, List, Tuple
import warnings

warnings.filterwarnings('ignore')

import torch
from torch import nn
from torch.ao import quantization as tq
from torch.nn.utils.rnn import pack_padded_sequence

import case_main
import common
import metrics

SEED = 20221213
WIDTH = 12
HIDDEN = 16
RECURRENT = (nn.LSTM, nn.GRU, nn.LSTMCell, nn.GRUCell)


class Layer(nn.Module):
  """A recurrent layer, and a linear one that reads all it gives."""

  def __init__(self, rnn: nn.Module) -> None:
    super().__init__()
    self.rnn = rnn
    self.head = nn.Linear(HIDDEN * (2 if rnn.bidirectional else 1), 5)


class Lstm(Layer):

  def forward(self, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    y, (h, c) = self.rnn(x)
    return self.head(y), h + c


class LstmWithState(Layer):
  """The states are inputs of the model, as in a language model."""

  def forward(
      self, x: torch.Tensor, state: Tuple[torch.Tensor, torch.Tensor]
  ) -> Tuple[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]]:
    y, state = self.rnn(x, state)
    return self.head(y), state


class LstmInLoop(Layer):
  """One step a trip; the states go round."""

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    h = torch.zeros(1, x.size(1), 16)
    c = torch.zeros(1, x.size(1), 16)
    y = x
    for t in range(x.size(0)):
      y, (h, c) = self.rnn(x[t:t + 1], (h, c))
    return self.head(y) + c.sum()


class LstmPacked(Layer):
  """Sequences of different lengths, packed."""

  def forward(self, x: torch.Tensor,
              lengths: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    packed = pack_padded_sequence(x, lengths, enforce_sorted=False)
    y, (h, c) = self.rnn(packed)
    return self.head(y.data), h + c


class Gru(Layer):

  def forward(self, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    y, h = self.rnn(x)
    return self.head(y), h


class Cells(nn.Module):
  """One cell feeds the other, trip by trip; a second LSTM cell is in an if."""

  def __init__(self) -> None:
    super().__init__()
    self.lstm_cell = nn.LSTMCell(WIDTH, HIDDEN)
    self.gru_cell = nn.GRUCell(HIDDEN, HIDDEN)
    self.last = nn.LSTMCell(HIDDEN, HIDDEN)

  def forward(self, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    h = torch.zeros(x.size(1), 16)
    c = torch.zeros(x.size(1), 16)
    g = torch.zeros(x.size(1), 16)
    for t in range(x.size(0)):
      h, c = self.lstm_cell(x[t], (h, c))
      g = self.gru_cell(h, g)
    if bool(x.mean() > 0):
      h, c = self.last(g, (h, c))
    return h, c


def sequences() -> List[Any]:
  """Batches that take both ways of an if."""
  return [torch.randn(5, 3, WIDTH) + shift for shift in (0.3, -0.3, 0.3)]


def state() -> Tuple[torch.Tensor, torch.Tensor]:
  return 0.3 * torch.randn(1, 3, HIDDEN), 2 * torch.randn(1, 3, HIDDEN)


CASES = {
    'lstm': lambda: (Lstm(nn.LSTM(WIDTH, HIDDEN)), sequences()),
    'lstm_bidirectional': lambda: (
        Lstm(nn.LSTM(WIDTH, HIDDEN, 2, bidirectional=True, dropout=0.3)),
        sequences()),
    'lstm_with_state': lambda: (
        LstmWithState(nn.LSTM(WIDTH, HIDDEN)),
        [(x, state()) for x in sequences()]),
    'lstm_in_loop': lambda: (LstmInLoop(nn.LSTM(WIDTH, HIDDEN)), sequences()),
    'lstm_packed': lambda: (
        LstmPacked(nn.LSTM(WIDTH, HIDDEN, 2)),
        [(x, torch.tensor([2, 5, 4])) for x in sequences()]),
    'gru_bidirectional': lambda: (
        Gru(nn.GRU(WIDTH, HIDDEN, 2, bidirectional=True)), sequences()),
    'cells': lambda: (Cells(), sequences()),
}


def flatten(value: Any) -> List[torch.Tensor]:
  """The tensors in what a recurrent module gives, copied."""
  if isinstance(value, torch.Tensor):
    return [value.detach().clone()]
  if isinstance(value, nn.utils.rnn.PackedSequence):
    return flatten(value.data)
  return [tensor for element in value for tensor in flatten(element)]


# What a module gave: by batch, call and place.
Calls = List[List[List[torch.Tensor]]]


def run(model: nn.Module, batches: List[Any],
        shadows: Dict[str, nn.Module]) -> Dict[str, Tuple[Calls, Calls]]:
  """Of each recurrent module what it gave, and what its shadow gave."""
  seen: Dict[str, Tuple[Calls, Calls]] = {}

  def log(path: str):
    def hook(module: nn.Module, args: Any, result: Any) -> None:
      seen[path][0][-1].append(flatten(result))
      seen[path][1][-1].append(flatten(shadows[path](*args)))
    return hook

  modules = dict(model.named_modules())
  hooks = [modules[path].register_forward_hook(log(path)) for path in shadows]
  with torch.no_grad():
    for batch in batches:
      for path in shadows:
        of_module = seen.setdefault(path, ([], []))
        of_module[0].append([])
        of_module[1].append([])
      common.call(model, batch)
  for hook in hooks:
    hook.remove()
  return seen


def figures(x: Calls, y: Calls, place: int) -> Dict[str, Any]:
  """Pooled over all, and by batch and call."""
  batches = [[(of_x[place], of_y[place]) for of_x, of_y in zip(*calls)]
             for calls in zip(x, y)]
  batches = [pairs for pairs in batches if pairs]
  trips = [[pairs[i] for pairs in batches if i < len(pairs)]
           for i in range(max(map(len, batches)))]
  result = metrics.pool([pair for pairs in batches for pair in pairs]).to_dict()
  result['batch_sqnr_db'] = [metrics.number(metrics.pool(pairs).sqnr_db())
                             for pairs in batches]
  result['trips'] = [metrics.number(metrics.pool(pairs).sqnr_db())
                     for pairs in trips]
  return result


def answers(model: nn.Module, quantized: nn.Module,
            batches: List[Any]) -> Dict[str, List[Dict[str, Any]]]:
  floats = {path: module for path, module in model.named_modules()
            if isinstance(module, RECURRENT)}
  # Modules of their own: a hook must not see what shadows do.
  shadows = {path: copy.deepcopy(module)
             for path, module in floats.items()}
  of_float = run(model, batches, shadows)
  of_quantized = run(quantized, batches, shadows)
  return {
      path: [{'activation': figures(of_float[path][0], y, place),
              'shadow': figures(shadow, y, place)}
             for place in range(len(y[0][0]))]
      for path, (y, shadow) in of_quantized.items()}


def write(unused_name: str, case: Callable[..., Any], out: str) -> None:
  model, batches = case()
  model.eval()
  quantized = tq.quantize_dynamic(model, {*RECURRENT, nn.Linear},
                                  dtype=torch.qint8)
  for stem, module in (('float', model), ('quantized', quantized)):
    torch.jit.script(module).save(os.path.join(out, stem + '.pt'))
  torch.save(batches, os.path.join(out, 'inputs.pt'))
  with open(os.path.join(out, 'answers.json'), 'w', encoding='utf8') as file:
    json.dump(answers(model, quantized, batches), file, indent=1)


if __name__ == '__main__':
  case_main.case_main(__doc__, CASES, SEED, write)
