"""DETR: sines of a mask's running sums, queries, boxes and classes."""

from typing import Dict, Optional

import torch
from torch import nn
from torch.nn import functional as F

from transformers.common import WIDTH, merge_heads, split_heads


class DetrAttention(nn.Module):

  def __init__(self):
    super().__init__()
    self.q_proj = nn.Linear(WIDTH, WIDTH)
    self.k_proj = nn.Linear(WIDTH, WIDTH)
    self.v_proj = nn.Linear(WIDTH, WIDTH)
    self.out_proj = nn.Linear(WIDTH, WIDTH)

  def forward(self, query, key, value, padding: Optional[torch.Tensor]):
    q = split_heads(self.q_proj(query) * 8**-0.5)
    k = split_heads(self.k_proj(key))
    v = split_heads(self.v_proj(value))
    scores = torch.matmul(q, k.transpose(-1, -2))
    if padding is not None:
      scores = scores.masked_fill(padding[:, None, None, :], float('-inf'))
    return self.out_proj(merge_heads(torch.matmul(F.softmax(scores, -1), v)))


class DetrLayer(nn.Module):

  def __init__(self):
    super().__init__()
    self.self_attn = DetrAttention()
    self.norm1 = nn.LayerNorm(WIDTH)
    self.cross = DetrAttention()
    self.norm2 = nn.LayerNorm(WIDTH)
    self.fc1 = nn.Linear(WIDTH, 4 * WIDTH)
    self.fc2 = nn.Linear(4 * WIDTH, WIDTH)
    self.norm3 = nn.LayerNorm(WIDTH)

  def forward(self, x, position, padding: Optional[torch.Tensor],
              memory: Optional[torch.Tensor],
              memory_position: Optional[torch.Tensor],
              memory_padding: Optional[torch.Tensor]):
    q = x + position
    x = self.norm1(x + self.self_attn(q, q, x, padding))
    if memory is not None:
      assert memory_position is not None
      x = self.norm2(x + self.cross(x + position, memory + memory_position,
                                    memory, memory_padding))
    return self.norm3(x + self.fc2(F.relu(self.fc1(x))))


class Detr(nn.Module):

  def __init__(self):
    super().__init__()
    self.conv1 = nn.Conv2d(3, 16, 3, stride=2, padding=1)
    self.bn1 = nn.BatchNorm2d(16)
    self.conv2 = nn.Conv2d(16, WIDTH, 3, stride=2, padding=1)
    self.input_proj = nn.Conv2d(WIDTH, WIDTH, 1)
    self.encoder = nn.ModuleList([DetrLayer() for _ in range(2)])
    self.decoder = nn.ModuleList([DetrLayer() for _ in range(2)])
    self.queries = nn.Embedding(5, WIDTH)
    self.class_embed = nn.Linear(WIDTH, 7)
    self.bbox = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(),
                              nn.Linear(WIDTH, 4))

  def positions(self, mask: torch.Tensor) -> torch.Tensor:
    y = mask.cumsum(1, dtype=torch.float32)
    x = mask.cumsum(2, dtype=torch.float32)
    y = y / (y[:, -1:, :] + 1e-6) * 6.283
    x = x / (x[:, :, -1:] + 1e-6) * 6.283
    steps = 10000.0**(2 * (torch.arange(16) // 2) / (16))
    x = x[:, :, :, None] / steps
    y = y[:, :, :, None] / steps
    x = torch.stack((x[..., 0::2].sin(), x[..., 1::2].cos()), dim=4).flatten(3)
    y = torch.stack((y[..., 0::2].sin(), y[..., 1::2].cos()), dim=4).flatten(3)
    return torch.cat((y, x), dim=3).flatten(1, 2)

  def forward(self, pixels, mask) -> Dict[str, torch.Tensor]:
    x = F.relu(self.bn1(self.conv1(pixels)))
    x = F.relu(self.conv2(x))
    mask = F.interpolate(mask[None].float(),
                         size=[x.size(2), x.size(3)])[0] > 0.5
    position = self.positions(mask.float())
    x = self.input_proj(x).flatten(2).permute(0, 2, 1)
    padding = ~mask.flatten(1)
    for layer in self.encoder:
      x = layer(x, position, padding, None, None, None)
    queries = self.queries.weight.unsqueeze(0).repeat(x.size(0), 1, 1)
    y = torch.zeros_like(queries)
    for layer in self.decoder:
      y = layer(y, queries, None, x, position, padding)
    return {'logits': self.class_embed(y), 'boxes': self.bbox(y).sigmoid()}


def detr():

  def batch():
    mask = torch.ones(2, 16, 16, dtype=torch.long)
    mask[1, :, 12:] = 0
    return torch.randn(2, 3, 16, 16), mask

  return Detr(), batch
