"""Models of sequences: recurrent ones and a transformer encoder."""

from typing import Tuple

import torch
from torch import nn
from torch.ao import quantization as tq

import common


class WordLanguageModel(nn.Module):
  """The LSTM of PyTorch's tutorial on dynamic quantization."""

  def __init__(self, words: int = 500, width: int = 64, hidden: int = 96,
               layers: int = 2) -> None:
    super().__init__()
    self.drop = nn.Dropout(0.5)
    self.encoder = nn.Embedding(words, width)
    self.rnn = nn.LSTM(width, hidden, layers, dropout=0.5)
    self.decoder = nn.Linear(hidden, words)

  def forward(
      self, input: torch.Tensor, hidden: Tuple[torch.Tensor, torch.Tensor]
  ) -> Tuple[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]]:
    embedded = self.drop(self.encoder(input))
    output, hidden = self.rnn(embedded, hidden)
    return self.decoder(self.drop(output)), hidden


def lstm_lm() -> common.ModelPair:
  model = WordLanguageModel()
  batches = [(torch.randint(500, (12, 4)),
              (0.1 * torch.randn(2, 4, 96), 0.3 * torch.randn(2, 4, 96)))
             for _ in range(3)]
  return common.dynamic_pair(model, {nn.LSTM, nn.Linear}, batches, 'eager')


class Recurrent(nn.Module):
  """A bidirectional GRU, then one cell of each kind stepping over time."""

  def __init__(self, width: int = 24, hidden: int = 32) -> None:
    super().__init__()
    self.gru = nn.GRU(width, hidden, num_layers=2, bidirectional=True)
    self.gru_cell = nn.GRUCell(2 * hidden, hidden)
    self.lstm_cell = nn.LSTMCell(hidden, hidden)
    self.rnn_cell = nn.RNNCell(hidden, hidden, nonlinearity='relu')
    self.head = nn.Linear(hidden, 10)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x, _ = self.gru(x)
    g = torch.zeros(x.size(1), 32)
    h = torch.zeros(x.size(1), 32)
    c = torch.zeros(x.size(1), 32)
    r = torch.zeros(x.size(1), 32)
    for t in range(x.size(0)):
      g = self.gru_cell(x[t], g)
      h, c = self.lstm_cell(g, (h, c))
      r = self.rnn_cell(h, r)
    return self.head(r)


def gru_dynamic() -> common.ModelPair:
  types = {nn.GRU, nn.GRUCell, nn.LSTMCell, nn.RNNCell, nn.Linear}
  batches = [torch.randn(5, 3, 24) for _ in range(2)]
  return common.dynamic_pair(
      Recurrent(), types, batches, 'eager',
      looped=frozenset({'gru_cell', 'lstm_cell', 'rnn_cell'}))


LENGTH = 16  # Tokens in a sequence of the transformer.


class Attention(nn.Module):
  """Multi-head self-attention from plain ops, so that FX can trace it.

  Its length is fixed: FX leaves a layer float if size() is asked of its output.
  """

  def __init__(self, width: int, heads: int) -> None:
    super().__init__()
    self.length = LENGTH
    self.heads = heads
    self.depth = width // heads
    self.query = nn.Linear(width, width)
    self.key = nn.Linear(width, width)
    self.value = nn.Linear(width, width)
    self.softmax = nn.Softmax(dim=-1)
    self.project = nn.Linear(width, width)

  def split(self, x: torch.Tensor) -> torch.Tensor:
    return x.view(-1, self.length, self.heads, self.depth).transpose(1, 2)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    query = self.split(self.query(x))
    key = self.split(self.key(x))
    value = self.split(self.value(x))
    scores = torch.matmul(query, key.transpose(-2, -1)) * self.depth**-0.5
    mixed = torch.matmul(self.softmax(scores), value)
    mixed = mixed.transpose(1, 2).reshape(
        -1, self.length, self.heads * self.depth)
    return self.project(mixed)


class EncoderLayer(nn.Module):
  """A post-norm encoder layer."""

  def __init__(self, width: int, heads: int, activation: nn.Module) -> None:
    super().__init__()
    self.attention = Attention(width, heads)
    self.norm1 = nn.LayerNorm(width)
    self.linear1 = nn.Linear(width, 4 * width)
    self.activation = activation
    self.dropout = nn.Dropout(0.1)
    self.linear2 = nn.Linear(4 * width, width)
    self.norm2 = nn.LayerNorm(width)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.norm1(x + self.attention(x))
    y = self.linear2(self.dropout(self.activation(self.linear1(x))))
    return self.norm2(x + y)


class Transformer(nn.Module):
  """Two encoder layers, one with ReLU (fusible) and one with GELU."""

  def __init__(self, words: int = 300, width: int = 64, heads: int = 4) -> None:
    super().__init__()
    self.embedding = nn.Embedding(words, width)
    self.position = nn.Parameter(0.5 * torch.randn(1, LENGTH, width))
    # FX takes a sum with a parameter for quantized when it is not, and would
    # leave the layers that read it float.
    self.norm = nn.LayerNorm(width)
    self.layers = nn.Sequential(
        EncoderLayer(width, heads, nn.ReLU()),
        EncoderLayer(width, heads, nn.GELU()))
    self.classifier = nn.Linear(width, 20)

  def forward(self, tokens: torch.Tensor) -> torch.Tensor:
    x = self.embedding(tokens) + self.position
    return self.classifier(self.layers(self.norm(x)))


def transformer_static() -> common.ModelPair:
  model, batches = _transformer()
  mapping = common.default_mapping().set_object_type(nn.Embedding, None)
  calibration = [torch.randint(300, (2, LENGTH)) for _ in range(4)]
  return common.fx_pair(model, calibration, batches, mapping)


def transformer_dynamic() -> common.ModelPair:
  """FX mode, which fuses a dynamic linear with its ReLU."""
  model, batches = _transformer()
  mapping = tq.QConfigMapping()
  for kind in (nn.Linear, nn.ReLU):
    mapping.set_object_type(kind, tq.default_dynamic_qconfig)
  return common.fx_pair(model, batches, batches, mapping)


def transformer_dynamic_eager() -> common.ModelPair:
  """Eager mode, which does not; the FX suite refuses this pair."""
  model, batches = _transformer()
  return common.dynamic_pair(model, {nn.Linear}, batches, 'eager')


def _transformer():
  model = Transformer()
  common.settle_norms(model, [])
  return model, [torch.randint(300, (2, LENGTH)) for _ in range(2)]


MODELS = {
    'lstm_lm': lstm_lm,
    'gru_dynamic': gru_dynamic,
    'transformer_static': transformer_static,
    'transformer_dynamic': transformer_dynamic,
    'transformer_dynamic_eager': transformer_dynamic_eager,
}
