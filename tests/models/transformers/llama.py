"""Llama: RMS norms, rotary positions, keys shared by queries, a cache."""

import math
from typing import List, Optional, Tuple

import torch
from torch import nn
from torch.nn import functional as F

from transformers.common import (
    HEADS, WIDTH, WORDS, RmsNorm, merge_heads, split_heads)


def rotate_half(x: torch.Tensor) -> torch.Tensor:
  a = x[..., :x.size(-1) // 2]
  b = x[..., x.size(-1) // 2:]
  return torch.cat((-b, a), dim=-1)


class LlamaLayer(nn.Module):

  def __init__(self):
    super().__init__()
    self.input_layernorm = RmsNorm()
    self.q_proj = nn.Linear(WIDTH, WIDTH, bias=False)
    self.k_proj = nn.Linear(WIDTH, WIDTH // 2, bias=False)
    self.v_proj = nn.Linear(WIDTH, WIDTH // 2, bias=False)
    self.o_proj = nn.Linear(WIDTH, WIDTH, bias=False)
    self.post_attention_layernorm = RmsNorm()
    self.gate_proj = nn.Linear(WIDTH, 2 * WIDTH, bias=False)
    self.up_proj = nn.Linear(WIDTH, 2 * WIDTH, bias=False)
    self.down_proj = nn.Linear(2 * WIDTH, WIDTH, bias=False)

  def forward(self, x, mask, cos, sin,
              past: Optional[Tuple[torch.Tensor, torch.Tensor]]):
    residual = x
    x = self.input_layernorm(x)
    q = split_heads(self.q_proj(x))
    k = split_heads(self.k_proj(x), 2)
    v = split_heads(self.v_proj(x), 2)
    q = q * cos + rotate_half(q) * sin
    k = k * cos + rotate_half(k) * sin
    if past is not None:
      k = torch.cat([past[0], k], dim=2)
      v = torch.cat([past[1], v], dim=2)
    present = (k, v)
    shape = [k.size(0), k.size(1), 2, k.size(2), k.size(3)]
    k = k[:, :, None].expand(shape).reshape(k.size(0), 4, k.size(2), -1)
    v = v[:, :, None].expand(shape).reshape(v.size(0), 4, v.size(2), -1)
    scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.size(-1))
    scores = scores + mask
    weights = F.softmax(scores, dim=-1, dtype=torch.float32)
    x = residual + self.o_proj(merge_heads(torch.matmul(weights, v)))
    y = self.post_attention_layernorm(x)
    y = self.down_proj(F.silu(self.gate_proj(y)) * self.up_proj(y))
    return x + y, present


class Llama(nn.Module):

  def __init__(self):
    super().__init__()
    self.embed_tokens = nn.Embedding(WORDS, WIDTH)
    self.layers = nn.ModuleList([LlamaLayer() for _ in range(2)])
    self.norm = RmsNorm()
    self.lm_head = nn.Linear(WIDTH, WORDS, bias=False)
    half = WIDTH // HEADS // 2
    self.register_buffer('inv_freq', 1.0 / 10000.0**(torch.arange(half) / half))

  def forward(self, ids,
              cache: Optional[List[Tuple[torch.Tensor, torch.Tensor]]] = None):
    x = self.embed_tokens(ids)
    length = ids.size(1)
    start = 0
    if cache is not None:
      start = cache[0][0].size(2)
    positions = torch.arange(start, start + length)
    angles = positions[:, None].float() * self.inv_freq[None]
    angles = torch.cat([angles, angles], dim=-1)
    cos, sin = angles.cos(), angles.sin()
    mask = torch.full((length, start + length), float('-inf'))
    mask = torch.triu(mask, diagonal=start + 1)
    present: List[Tuple[torch.Tensor, torch.Tensor]] = []
    for i, layer in enumerate(self.layers):
      past: Optional[Tuple[torch.Tensor, torch.Tensor]] = None
      if cache is not None:
        past = cache[i]
      x, new = layer(x, mask, cos, sin, past)
      present.append(new)
    return self.lm_head(self.norm(x)), present


def llama():
  return Llama(), lambda: torch.randint(WORDS, (3, 10))


def llama_cached():
  """One new word after seven whose keys and values are kept."""

  def batch():
    size = (3, HEADS // 2, 7, WIDTH // HEADS)
    return (torch.randint(WORDS, (3, 1)),
            [(torch.randn(size) * 0.5, torch.randn(size) * 0.5)
             for _ in range(2)])

  return Llama(), batch
