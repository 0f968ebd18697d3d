"""BERT: norms after the sums, a mask of -10000 that comes as an argument."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from transformers.common import (
    WIDTH, WORDS, merge_heads, padding_mask, split_heads)


class BertLayer(nn.Module):

  def __init__(self):
    super().__init__()
    self.query = nn.Linear(WIDTH, WIDTH)
    self.key = nn.Linear(WIDTH, WIDTH)
    self.value = nn.Linear(WIDTH, WIDTH)
    self.out = nn.Linear(WIDTH, WIDTH)
    self.attention_norm = nn.LayerNorm(WIDTH, eps=1e-12)
    self.up = nn.Linear(WIDTH, 4 * WIDTH)
    self.down = nn.Linear(4 * WIDTH, WIDTH)
    self.norm = nn.LayerNorm(WIDTH, eps=1e-12)

  def forward(self, x, mask):
    q = split_heads(self.query(x))
    k = split_heads(self.key(x))
    v = split_heads(self.value(x))
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.size(-1))
    scores = scores + mask
    context = merge_heads(torch.matmul(F.softmax(scores, dim=-1), v))
    x = self.attention_norm(self.out(context) + x)
    return self.norm(self.down(F.gelu(self.up(x))) + x)


class Bert(nn.Module):

  def __init__(self):
    super().__init__()
    self.words = nn.Embedding(WORDS, WIDTH)
    self.positions = nn.Embedding(32, WIDTH)
    self.types = nn.Embedding(2, WIDTH)
    self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
    self.layers = nn.ModuleList([BertLayer() for _ in range(2)])
    self.pooler = nn.Linear(WIDTH, WIDTH)
    self.register_buffer('position_ids', torch.arange(32)[None])

  def forward(self, ids, mask):
    x = (self.words(ids) + self.types(torch.zeros_like(ids)) +
         self.positions(self.position_ids[:, :ids.size(1)]))
    x = self.norm(x)
    extended = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
    for layer in self.layers:
      x = layer(x, extended)
    return x, torch.tanh(self.pooler(x[:, 0]))


def bert():
  return Bert(), lambda: (torch.randint(WORDS, (4, 12)), padding_mask(4, 12))


class SentenceEncoder(nn.Module):
  """A mean over the words that count, of length 1 (sentence-transformers)."""

  def __init__(self):
    super().__init__()
    self.bert = Bert()

  def forward(self, ids, mask):
    x, _ = self.bert(ids, mask)
    weights = mask.unsqueeze(-1).expand(x.size()).float()
    mean = torch.sum(x * weights, 1) / torch.clamp(weights.sum(1), min=1e-9)
    return F.normalize(mean, p=2.0, dim=1)


def sentence_encoder():
  return SentenceEncoder(), lambda: (torch.randint(WORDS, (4, 12)),
                                     padding_mask(4, 12))
