"""What the networks of several families have in common."""

import torch
from torch import nn

# Scripted methods cannot read these: they have the numbers.
WIDTH = 32
HEADS = 4
WORDS = 60


def split_heads(x: torch.Tensor, heads: int = HEADS) -> torch.Tensor:
  return x.view(x.size(0), x.size(1), heads, -1).transpose(1, 2)


def merge_heads(x: torch.Tensor) -> torch.Tensor:
  return x.transpose(1, 2).reshape(x.size(0), x.size(2), -1)


def padding_mask(batch: int, length: int) -> torch.Tensor:
  """1 for words, 0 for padding; the first row has no padding."""
  lengths = torch.randint(length // 2, length + 1, (batch,))
  lengths[0] = length
  return (torch.arange(length)[None] < lengths[:, None]).long()


class RmsNorm(nn.Module):

  def __init__(self, width=WIDTH):
    super().__init__()
    self.weight = nn.Parameter(torch.ones(width))

  def forward(self, x):
    variance = x.pow(2).mean(-1, keepdim=True)
    return self.weight * (x * torch.rsqrt(variance + 1e-6))


def spread(model: nn.Module) -> nn.Module:
  """Gives random weights what trained ones have: norms and biases that differ
  from channel to channel."""
  for module in model.modules():
    if isinstance(module, (nn.LayerNorm, nn.GroupNorm, RmsNorm)):
      nn.init.uniform_(module.weight, 0.5, 1.5)
    if isinstance(module, (nn.LayerNorm, nn.GroupNorm)):
      nn.init.normal_(module.bias, std=0.1)
  return model.eval()
