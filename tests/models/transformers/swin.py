"""Swin: windows that are shifted, with a mask of -100."""

import torch
from torch import nn
from torch.nn import functional as F

from transformers.common import HEADS, WIDTH, merge_heads


class SwinBlock(nn.Module):

  def __init__(self, shift: int):
    super().__init__()
    self.shift = shift
    self.norm1 = nn.LayerNorm(WIDTH)
    self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
    self.proj = nn.Linear(WIDTH, WIDTH)
    self.norm2 = nn.LayerNorm(WIDTH)
    self.fc1 = nn.Linear(WIDTH, 4 * WIDTH)
    self.fc2 = nn.Linear(4 * WIDTH, WIDTH)
    self.table = nn.Parameter(torch.randn(49, HEADS) * 0.1)
    y, x = torch.meshgrid(torch.arange(4), torch.arange(4), indexing='ij')
    y, x = y.flatten(), x.flatten()
    self.register_buffer('index', (y[:, None] - y[None] + 3) * 7 +
                         x[:, None] - x[None] + 3)

  def windows(self, x: torch.Tensor) -> torch.Tensor:
    b, h, w, c = x.size(0), x.size(1), x.size(2), x.size(3)
    x = x.view(b, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5)
    return x.reshape(-1, 16, c)

  def mask(self, h: int, w: int) -> torch.Tensor:
    regions = torch.zeros(1, h, w, 1)
    count = 0
    for a, b in [(0, h - 4), (h - 4, h - self.shift), (h - self.shift, h)]:
      for c, d in [(0, w - 4), (w - 4, w - self.shift), (w - self.shift, w)]:
        regions[:, a:b, c:d, :] = count
        count += 1
    regions = self.windows(regions).squeeze(-1)
    mask = regions.unsqueeze(1) - regions.unsqueeze(2)
    return mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)

  def forward(self, x):
    b, h, w = x.size(0), x.size(1), x.size(2)
    y = self.norm1(x)
    if self.shift > 0:
      y = torch.roll(y, shifts=(-self.shift, -self.shift), dims=(1, 2))
    y = self.windows(y)
    qkv = self.qkv(y).reshape(y.size(0), 16, 3, 4, -1).permute(2, 0, 3, 1, 4)
    q, k, v = qkv[0], qkv[1], qkv[2]
    scores = (q * 8**-0.5) @ k.transpose(-2, -1)
    bias = self.table[self.index.view(-1)].view(16, 16, -1).permute(2, 0, 1)
    scores = scores + bias.unsqueeze(0)
    if self.shift > 0:
      mask = self.mask(h, w)
      scores = scores.view(b, mask.size(0), 4, 16, 16)
      scores = scores + mask.unsqueeze(1).unsqueeze(0)
      scores = scores.view(-1, 4, 16, 16)
    y = self.proj(merge_heads(F.softmax(scores, dim=-1) @ v))
    y = y.view(b, h // 4, w // 4, 4, 4, -1).permute(0, 1, 3, 2, 4, 5)
    y = y.reshape(b, h, w, -1)
    if self.shift > 0:
      y = torch.roll(y, shifts=(self.shift, self.shift), dims=(1, 2))
    x = x + y
    return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))


class Swin(nn.Module):

  def __init__(self):
    super().__init__()
    self.patches = nn.Conv2d(3, WIDTH, 2, stride=2)
    self.norm = nn.LayerNorm(WIDTH)
    self.blocks = nn.Sequential(SwinBlock(0), SwinBlock(2))
    self.merge_norm = nn.LayerNorm(4 * WIDTH)
    self.reduction = nn.Linear(4 * WIDTH, WIDTH, bias=False)
    self.last = nn.Sequential(SwinBlock(0))
    self.head = nn.Linear(WIDTH, 10)

  def forward(self, x):
    x = self.norm(self.patches(x).permute(0, 2, 3, 1))
    x = self.blocks(x)
    parts = [x[..., 0::2, 0::2, :], x[..., 1::2, 0::2, :],
             x[..., 0::2, 1::2, :], x[..., 1::2, 1::2, :]]
    x = self.reduction(self.merge_norm(torch.cat(parts, -1)))
    x = self.last(x)
    return self.head(x.mean([1, 2]))


def swin():
  return Swin(), lambda: torch.randn(2, 3, 16, 16)
