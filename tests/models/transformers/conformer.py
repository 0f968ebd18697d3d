"""Conformer: halves of feed-forward layers, distances by a shift, convolutions.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

from transformers.common import HEADS, WIDTH, merge_heads, split_heads


class ConformerBlock(nn.Module):

  def __init__(self):
    super().__init__()
    self.norm1 = nn.LayerNorm(WIDTH)
    self.ff1 = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.SiLU(),
                             nn.Linear(4 * WIDTH, WIDTH))
    self.norm2 = nn.LayerNorm(WIDTH)
    self.q = nn.Linear(WIDTH, WIDTH)
    self.k = nn.Linear(WIDTH, WIDTH)
    self.v = nn.Linear(WIDTH, WIDTH)
    self.p = nn.Linear(WIDTH, WIDTH, bias=False)
    self.u_bias = nn.Parameter(torch.randn(HEADS, WIDTH // HEADS) * 0.1)
    self.v_bias = nn.Parameter(torch.randn(HEADS, WIDTH // HEADS) * 0.1)
    self.out = nn.Linear(WIDTH, WIDTH)
    self.norm3 = nn.LayerNorm(WIDTH)
    self.pointwise1 = nn.Conv1d(WIDTH, 2 * WIDTH, 1)
    self.depthwise = nn.Conv1d(WIDTH, WIDTH, 7, padding=3, groups=WIDTH)
    self.batch_norm = nn.BatchNorm1d(WIDTH)
    self.pointwise2 = nn.Conv1d(WIDTH, WIDTH, 1)
    self.norm4 = nn.LayerNorm(WIDTH)
    self.ff2 = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.SiLU(),
                             nn.Linear(4 * WIDTH, WIDTH))
    self.norm5 = nn.LayerNorm(WIDTH)

  def attention(self, x: torch.Tensor, positions: torch.Tensor,
                mask: torch.Tensor) -> torch.Tensor:
    b, n = x.size(0), x.size(1)
    q = self.q(x).view(b, n, 4, -1)
    k = split_heads(self.k(x))
    v = split_heads(self.v(x))
    p = split_heads(self.p(positions))
    content = torch.matmul((q + self.u_bias).transpose(1, 2), k.transpose(2, 3))
    place = torch.matmul((q + self.v_bias).transpose(1, 2), p.transpose(2, 3))
    zeros = torch.zeros(b, 4, n, 1)
    place = torch.cat([zeros, place], dim=-1).view(b, 4, 2 * n, n)
    place = place[:, :, 1:].reshape(b, 4, n, 2 * n - 1)[..., :n]
    scores = (content + place) / math.sqrt(8)
    hidden = mask.unsqueeze(1).eq(0)
    scores = scores.masked_fill(hidden, -10000.0)
    weights = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)
    return self.out(merge_heads(torch.matmul(weights, v)))

  def forward(self, x, positions, mask):
    x = x + 0.5 * self.ff1(self.norm1(x))
    x = x + self.attention(self.norm2(x), positions, mask)
    y = F.glu(self.pointwise1(self.norm3(x).transpose(1, 2)), dim=1)
    y = F.silu(self.batch_norm(self.depthwise(y)))
    x = x + self.pointwise2(y).transpose(1, 2)
    x = x + 0.5 * self.ff2(self.norm4(x))
    return self.norm5(x)


class Conformer(nn.Module):

  def __init__(self):
    super().__init__()
    self.subsample = nn.Conv2d(1, 8, 3, stride=2)
    self.linear = nn.Linear(8 * 7, WIDTH)
    angles = torch.arange(-40, 41)[:, None] * 100.0**(
        -torch.arange(16) / 16)[None]
    self.register_buffer('sines', torch.cat([angles.sin(), angles.cos()], 1))
    self.blocks = nn.ModuleList([ConformerBlock() for _ in range(2)])
    self.ctc = nn.Linear(WIDTH, 20)

  def forward(self, x, lengths):
    x = F.relu(self.subsample(x.unsqueeze(1)))
    x = self.linear(x.transpose(1, 2).flatten(2)) * math.sqrt(32)
    n = x.size(1)
    positions = self.sines[41 - n:40 + n].unsqueeze(0)
    mask = (torch.arange(n)[None] < ((lengths - 1) // 2)[:, None]).unsqueeze(1)
    for block in self.blocks:
      x = block(x, positions, mask)
    return self.ctc(x).log_softmax(dim=2)


def conformer():
  return Conformer(), lambda: (torch.randn(2, 21, 16), torch.tensor([21, 15]))
