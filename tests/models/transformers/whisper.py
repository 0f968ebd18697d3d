"""Whisper: convolutions over a spectrogram, sines; a causal decoder whose mask
is added in an `if`.
"""

from typing import Optional

import torch
from torch import nn
from torch.nn import functional as F

from transformers.common import WIDTH, WORDS, merge_heads, split_heads


class WhisperAttention(nn.Module):

  def __init__(self):
    super().__init__()
    self.query = nn.Linear(WIDTH, WIDTH)
    self.key = nn.Linear(WIDTH, WIDTH, bias=False)
    self.value = nn.Linear(WIDTH, WIDTH)
    self.out = nn.Linear(WIDTH, WIDTH)

  def forward(self, x, xa: Optional[torch.Tensor],
              mask: Optional[torch.Tensor]):
    q = self.query(x)
    source = x
    if xa is not None:
      source = xa
    k = self.key(source)
    v = self.value(source)
    scale = 8**-0.25
    q = split_heads(q) * scale
    k = split_heads(k).transpose(-1, -2) * scale
    qk = q @ k
    if mask is not None:
      n = x.size(1)
      qk = qk + mask[:n, :n]
    return self.out(merge_heads(F.softmax(qk.float(), dim=-1) @
                                split_heads(v)))


class WhisperBlock(nn.Module):

  def __init__(self):
    super().__init__()
    self.attn = WhisperAttention()
    self.attn_ln = nn.LayerNorm(WIDTH)
    self.cross_attn = WhisperAttention()
    self.cross_attn_ln = nn.LayerNorm(WIDTH)
    self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                             nn.Linear(4 * WIDTH, WIDTH))
    self.mlp_ln = nn.LayerNorm(WIDTH)

  def forward(self, x, xa: Optional[torch.Tensor],
              mask: Optional[torch.Tensor]):
    x = x + self.attn(self.attn_ln(x), None, mask)
    if xa is not None:
      x = x + self.cross_attn(self.cross_attn_ln(x), xa, None)
    return x + self.mlp(self.mlp_ln(x))


class Whisper(nn.Module):

  def __init__(self):
    super().__init__()
    self.conv1 = nn.Conv1d(20, WIDTH, 3, padding=1)
    self.conv2 = nn.Conv1d(WIDTH, WIDTH, 3, stride=2, padding=1)
    angles = torch.arange(16)[:, None] * 10000.0**(-torch.arange(16) / 16)[None]
    self.register_buffer('sines', torch.cat([angles.sin(), angles.cos()], 1))
    self.encoder = nn.ModuleList([WhisperBlock() for _ in range(2)])
    self.ln_post = nn.LayerNorm(WIDTH)
    self.token_embedding = nn.Embedding(WORDS, WIDTH)
    self.positional_embedding = nn.Parameter(torch.randn(16, WIDTH) * 0.1)
    self.decoder = nn.ModuleList([WhisperBlock() for _ in range(2)])
    self.ln = nn.LayerNorm(WIDTH)
    self.register_buffer(
        'mask', torch.empty(16, 16).fill_(float('-inf')).triu_(1))

  def forward(self, mel, tokens):
    x = F.gelu(self.conv1(mel))
    x = F.gelu(self.conv2(x)).permute(0, 2, 1)
    x = x + self.sines[:x.size(1)]
    for block in self.encoder:
      x = block(x, None, None)
    x = self.ln_post(x)
    y = self.token_embedding(tokens)
    y = y + self.positional_embedding[:tokens.size(-1)]
    for block in self.decoder:
      y = block(y, x, self.mask)
    y = self.ln(y)
    return (y @ self.token_embedding.weight.t()).float()


def whisper():
  return Whisper(), lambda: (torch.randn(2, 20, 24),
                             torch.randint(WORDS, (2, 8)))
