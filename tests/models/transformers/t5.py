"""T5: a bias of buckets of distances, scores that are not scaled."""

import math
from typing import Optional, Tuple

import torch
from torch import nn
from torch.nn import functional as F

from transformers.common import (
    HEADS, WIDTH, WORDS, RmsNorm, merge_heads, padding_mask, split_heads)


class T5Attention(nn.Module):

  def __init__(self, has_bias: bool, causal: bool):
    super().__init__()
    self.q = nn.Linear(WIDTH, WIDTH, bias=False)
    self.k = nn.Linear(WIDTH, WIDTH, bias=False)
    self.v = nn.Linear(WIDTH, WIDTH, bias=False)
    self.o = nn.Linear(WIDTH, WIDTH, bias=False)
    self.has_bias = has_bias
    self.causal = causal
    self.relative_attention_bias = nn.Embedding(8, HEADS)

  def compute_bias(self, queries: int, keys: int) -> torch.Tensor:
    distance = torch.arange(keys)[None, :] - torch.arange(queries)[:, None]
    buckets = torch.zeros_like(distance)
    if self.causal:
      distance = -torch.min(distance, torch.zeros_like(distance))
    else:
      buckets = buckets + (distance > 0).to(torch.long) * 4
      distance = torch.abs(distance)
    large = 2 + (torch.log(distance.float() / 2 + 1e-6) / math.log(8.0) *
                 2).to(torch.long)
    large = torch.min(large, torch.full_like(large, 3))
    buckets = buckets + torch.where(distance < 2, distance, large)
    return self.relative_attention_bias(buckets).permute(2, 0, 1).unsqueeze(0)

  def forward(self, x, states, mask,
              bias: Optional[torch.Tensor]) -> Tuple[torch.Tensor, torch.Tensor]:
    q = split_heads(self.q(x))
    k = split_heads(self.k(states))
    v = split_heads(self.v(states))
    scores = torch.matmul(q, k.transpose(3, 2)) / 2.0
    if bias is None:
      if self.has_bias:
        bias = self.compute_bias(scores.size(2), scores.size(3))
      else:
        bias = torch.zeros(1, 4, scores.size(2), scores.size(3))
      bias = bias + mask
    scores += bias
    weights = F.softmax(scores.float(), dim=-1).type_as(scores)
    return self.o(merge_heads(torch.matmul(weights, v))), bias


class T5Block(nn.Module):

  def __init__(self, has_bias: bool, decoder: bool):
    super().__init__()
    self.decoder = decoder
    self.attention = T5Attention(has_bias, decoder)
    self.norm = RmsNorm()
    self.cross = T5Attention(False, False)
    self.cross_norm = RmsNorm()
    self.wi = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
    self.wo = nn.Linear(4 * WIDTH, WIDTH, bias=False)
    self.ff_norm = RmsNorm()

  def forward(self, x, mask, bias: Optional[torch.Tensor],
              states: Optional[torch.Tensor],
              states_mask) -> Tuple[torch.Tensor, torch.Tensor]:
    y = self.norm(x)
    y, new_bias = self.attention(y, y, mask, bias)
    x = x + y
    if states is not None:
      y, _ = self.cross(self.cross_norm(x), states, states_mask, None)
      x = x + y
    return x + self.wo(F.relu(self.wi(self.ff_norm(x)))), new_bias


class T5(nn.Module):

  def __init__(self):
    super().__init__()
    self.shared = nn.Embedding(WORDS, WIDTH)
    self.encoder = nn.ModuleList([T5Block(i == 0, False) for i in range(2)])
    self.encoder_norm = RmsNorm()
    self.decoder = nn.ModuleList([T5Block(i == 0, True) for i in range(2)])
    self.decoder_norm = RmsNorm()

  def forward(self, ids, mask, decoder_ids):
    extended = (1.0 - mask[:, None, None, :].float()) * -1e9
    x = self.shared(ids)
    bias: Optional[torch.Tensor] = None
    for block in self.encoder:
      x, bias = block(x, extended, bias, None, extended)
    states = self.encoder_norm(x)
    n = decoder_ids.size(1)
    causal = (1.0 - torch.tril(torch.ones(n, n))) * -1e9
    y = self.shared(decoder_ids)
    bias = None
    for block in self.decoder:
      y, bias = block(y, causal[None, None], bias, states, extended)
    return F.linear(self.decoder_norm(y) * (32**-0.5), self.shared.weight)


def t5():
  return T5(), lambda: (torch.randint(WORDS, (4, 12)), padding_mask(4, 12),
                        torch.randint(WORDS, (4, 6)))
