"""GPT-2: a causal mask in a buffer that is cut to size, and torch.where."""

import math
from typing import Optional

import torch
from torch import nn
from torch.nn import functional as F

from transformers.common import (
    WIDTH, WORDS, merge_heads, padding_mask, split_heads)


class Conv1D(nn.Module):
  """GPT-2's linear layer: the weight is transposed."""

  def __init__(self, outputs, inputs):
    super().__init__()
    self.weight = nn.Parameter(torch.randn(inputs, outputs) / inputs**0.5)
    self.bias = nn.Parameter(torch.randn(outputs) * 0.02)
    self.outputs = outputs

  def forward(self, x):
    size = x.size()[:-1] + [self.outputs]
    x = torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight)
    return x.view(size)


class NewGelu(nn.Module):

  def forward(self, x):
    return 0.5 * x * (1.0 + torch.tanh(
        math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


class GptBlock(nn.Module):

  def __init__(self, linear):
    super().__init__()
    self.ln_1 = nn.LayerNorm(WIDTH)
    self.c_attn = linear(3 * WIDTH, WIDTH)
    self.c_proj = linear(WIDTH, WIDTH)
    self.ln_2 = nn.LayerNorm(WIDTH)
    self.c_fc = linear(4 * WIDTH, WIDTH)
    self.mlp_proj = linear(WIDTH, 4 * WIDTH)
    self.act = NewGelu()
    self.register_buffer(
        'bias', torch.tril(torch.ones(32, 32, dtype=torch.uint8)).bool().view(
            1, 1, 32, 32))

  def forward(self, x, mask: Optional[torch.Tensor]):
    q, k, v = self.c_attn(self.ln_1(x)).split(32, dim=2)
    q = split_heads(q)
    k = split_heads(k)
    v = split_heads(v)
    scores = torch.matmul(q, k.transpose(-1, -2)) / (v.size(-1)**0.5)
    length = q.size(-2)
    causal = self.bias[:, :, :length, :length]
    lowest = torch.full([], -3.4028234663852886e+38, dtype=scores.dtype)
    scores = torch.where(causal, scores, lowest)
    if mask is not None:
      scores = scores + mask
    x = x + self.c_proj(merge_heads(torch.matmul(F.softmax(scores, -1), v)))
    return x + self.mlp_proj(self.act(self.c_fc(self.ln_2(x))))


class Gpt(nn.Module):

  def __init__(self, linear):
    super().__init__()
    self.wte = nn.Embedding(WORDS, WIDTH)
    self.wpe = nn.Embedding(32, WIDTH)
    self.h = nn.ModuleList([GptBlock(linear) for _ in range(2)])
    self.ln_f = nn.LayerNorm(WIDTH)

  def forward(self, ids, mask: Optional[torch.Tensor] = None):
    x = self.wte(ids) + self.wpe(torch.arange(ids.size(1)))
    additive: Optional[torch.Tensor] = None
    if mask is not None:
      additive = ((1.0 - mask[:, None, None, :].to(x.dtype)) *
                  -3.4028234663852886e+38)
    for block in self.h:
      x = block(x, additive)
    return F.linear(self.ln_f(x), self.wte.weight)


def gpt():
  return Gpt(Conv1D), lambda: torch.randint(WORDS, (3, 10))


def gpt_padded():
  return (Gpt(lambda outputs, inputs: nn.Linear(inputs, outputs)),
          lambda: (torch.randint(WORDS, (4, 10)), padding_mask(4, 10)))
