"""wav2vec 2: a waveform, norms over time, positions by a grouped convolution.
"""

import torch
from torch import nn
from torch.nn import functional as F

from transformers.bert import BertLayer
from transformers.common import WIDTH


class Wav2Vec(nn.Module):

  def __init__(self):
    super().__init__()
    self.conv0 = nn.Conv1d(1, 16, 10, stride=5, bias=False)
    self.group_norm = nn.GroupNorm(16, 16)
    self.conv1 = nn.Conv1d(16, 16, 3, stride=2, bias=False)
    self.conv2 = nn.Conv1d(16, 16, 2, stride=2, bias=False)
    self.feature_norm = nn.LayerNorm(16)
    self.projection = nn.Linear(16, WIDTH)
    self.pos_conv = nn.Conv1d(WIDTH, WIDTH, 8, padding=4, groups=4)
    self.encoder_norm = nn.LayerNorm(WIDTH)
    self.layers = nn.ModuleList([BertLayer() for _ in range(2)])
    self.lm_head = nn.Linear(WIDTH, 20)

  def forward(self, wave, lengths):
    x = F.gelu(self.group_norm(self.conv0(wave.unsqueeze(1))))
    x = F.gelu(self.conv2(F.gelu(self.conv1(x)))).transpose(1, 2)
    x = self.projection(self.feature_norm(x))
    keep = torch.arange(x.size(1))[None] < (lengths // 20)[:, None]
    x[~keep] = 0.0
    mask = (1.0 - keep[:, None, None, :].to(x.dtype)) * -3.4028235e38
    mask = mask.expand(mask.size(0), 1, x.size(1), x.size(1))
    position = self.pos_conv(x.transpose(1, 2))[:, :, :-1]
    x = self.encoder_norm(x + F.gelu(position).transpose(1, 2))
    for layer in self.layers:
      x = layer(x, mask)
    return F.log_softmax(self.lm_head(x), dim=-1)


def wav2vec():
  return Wav2Vec(), lambda: (torch.randn(2, 320), torch.tensor([320, 240]))
