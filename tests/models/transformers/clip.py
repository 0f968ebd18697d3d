"""CLIP: a picture in patches and a text, as unit vectors."""

from typing import Optional

import torch
from torch import nn
from torch.nn import functional as F

from transformers.common import WIDTH, WORDS, merge_heads


class ClipLayer(nn.Module):

  def __init__(self):
    super().__init__()
    self.layer_norm1 = nn.LayerNorm(WIDTH)
    self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
    self.out_proj = nn.Linear(WIDTH, WIDTH)
    self.layer_norm2 = nn.LayerNorm(WIDTH)
    self.fc1 = nn.Linear(WIDTH, 4 * WIDTH)
    self.fc2 = nn.Linear(4 * WIDTH, WIDTH)

  def forward(self, x, mask: Optional[torch.Tensor]):
    qkv = self.qkv(self.layer_norm1(x))
    qkv = qkv.reshape(x.size(0), x.size(1), 3, 4, -1).permute(2, 0, 3, 1, 4)
    q, k, v = qkv.unbind(0)
    q = (q * 8**-0.5).reshape(-1, x.size(1), 8)
    k = k.reshape(q.size())
    v = v.reshape(q.size())
    weights = torch.bmm(q, k.transpose(1, 2))
    if mask is not None:
      weights = weights.view(x.size(0), 4, x.size(1), x.size(1)) + mask
      weights = weights.view(-1, x.size(1), x.size(1))
    context = torch.bmm(F.softmax(weights, dim=-1), v)
    context = context.view(x.size(0), 4, x.size(1), -1)
    x = x + self.out_proj(merge_heads(context))
    y = self.fc1(self.layer_norm2(x))
    return x + self.fc2(y * torch.sigmoid(1.702 * y))


class Clip(nn.Module):

  def __init__(self):
    super().__init__()
    self.class_embedding = nn.Parameter(torch.randn(WIDTH) * 0.2)
    self.patch_embedding = nn.Conv2d(3, WIDTH, 4, stride=4, bias=False)
    self.position_embedding = nn.Embedding(17, WIDTH)
    self.register_buffer('position_ids', torch.arange(17).expand((1, -1)))
    self.pre_layernorm = nn.LayerNorm(WIDTH)
    self.vision = nn.ModuleList([ClipLayer() for _ in range(2)])
    self.post_layernorm = nn.LayerNorm(WIDTH)
    self.visual_projection = nn.Linear(WIDTH, WIDTH, bias=False)
    self.token_embedding = nn.Embedding(WORDS, WIDTH)
    self.text = nn.ModuleList([ClipLayer() for _ in range(2)])
    self.final_layer_norm = nn.LayerNorm(WIDTH)
    self.text_projection = nn.Linear(WIDTH, WIDTH, bias=False)
    self.logit_scale = nn.Parameter(torch.ones([]) * 2.6592)

  def forward(self, pixels, ids):
    patches = self.patch_embedding(pixels).flatten(2).transpose(1, 2)
    first = self.class_embedding.expand(pixels.size(0), 1, -1)
    x = torch.cat([first, patches], dim=1)
    x = self.pre_layernorm(x + self.position_embedding(self.position_ids))
    for layer in self.vision:
      x = layer(x, None)
    image = self.visual_projection(self.post_layernorm(x[:, 0, :]))
    n = ids.size(1)
    mask = torch.full((n, n), float('-inf')).triu_(1)[None, None]
    y = self.token_embedding(ids)
    for layer in self.text:
      y = layer(y, mask)
    y = self.final_layer_norm(y)
    y = y[torch.arange(y.size(0)), ids.argmax(dim=-1)]
    text = self.text_projection(y)
    image = image / image.norm(p=2, dim=-1, keepdim=True)
    text = text / text.norm(p=2, dim=-1, keepdim=True)
    return torch.matmul(text, image.t()) * self.logit_scale.exp()


def clip():
  return Clip(), lambda: (torch.randn(3, 3, 16, 16),
                          torch.randint(WORDS, (3, 8)))
