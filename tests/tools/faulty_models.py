"""Models with a fault planted, for each cause that ns names, and their healthy
twins."""

import torch
from torch import nn
import torch.ao.quantization as tq


class Encoder(nn.Module):
  """Feed-forward blocks with residuals and layer norms."""

  def __init__(self, gain):
    super().__init__()
    self.norms = nn.ModuleList([nn.LayerNorm(32) for _ in range(2)])
    self.ups = nn.ModuleList([nn.Linear(32, 64) for _ in range(2)])
    self.downs = nn.ModuleList([nn.Linear(64, 32) for _ in range(2)])
    self.head = nn.Linear(32, 10)
    with torch.no_grad():
      self.norms[1].weight[5] *= gain
      # What reads the channel was trained with it.
      self.ups[1].weight[:, 5] /= gain

  def forward(self, x):
    for norm, up, down in zip(self.norms, self.ups, self.downs):
      x = x + down(torch.relu(up(norm(x))))
    return self.head(x)


class Convolutions(nn.Module):
  """One channel between two convolutions is larger than the others."""

  def __init__(self, gain):
    super().__init__()
    self.first, self.second = nn.Conv2d(3, 16, 3), nn.Conv2d(16, 8, 3)
    self.head = nn.Linear(8, 10)
    with torch.no_grad():
      self.first.weight[5] *= gain
      self.first.bias[5] = 0.1 * gain
      self.second.weight[:, 5] /= gain

  def forward(self, x):
    x = torch.relu(self.second(torch.relu(self.first(x))))
    return self.head(x.mean([2, 3]))


class Detector(nn.Module):
  """Its last convolution gives boxes in pixels, and scores."""

  def __init__(self, pixels):
    super().__init__()
    self.stem, self.head = nn.Conv2d(3, 16, 3), nn.Conv2d(16, 12, 1)
    with torch.no_grad():
      self.head.weight[:4] *= max(pixels / 20, 1)
      self.head.bias[:4] += pixels

  def forward(self, x):
    return self.head(torch.relu(self.stem(x)))


class TwoNorms(nn.Module):
  """A convolution that is called twice, with a norm behind each call."""

  def __init__(self):
    super().__init__()
    self.stem, self.conv = nn.Conv2d(3, 8, 1), nn.Conv2d(8, 8, 3, padding=1)
    self.norm1, self.norm2 = nn.BatchNorm2d(8), nn.BatchNorm2d(8)
    for norm in (self.norm1, self.norm2):
      nn.init.uniform_(norm.weight, 0.3, 3)
      norm.running_var.uniform_(0.3, 3)

  def forward(self, x):
    x = self.norm1(self.conv(self.stem(x)))
    return self.norm2(self.conv(x))


class TwoLinearNorms(nn.Module):

  def __init__(self):
    super().__init__()
    self.stem, self.fc = nn.Linear(16, 16), nn.Linear(16, 16)
    self.norm1, self.norm2 = nn.BatchNorm1d(16), nn.BatchNorm1d(16)
    for norm in (self.norm1, self.norm2):
      nn.init.uniform_(norm.weight, 0.3, 3)
      norm.running_var.uniform_(0.3, 3)

  def forward(self, x):
    x = self.norm1(self.fc(self.stem(x)))
    return self.norm2(self.fc(x))


class Recurrence(nn.Module):
  """A state that goes through the same int8 layers again and again."""

  def __init__(self, growth):
    super().__init__()
    self.quant, self.dequant = tq.QuantStub(), tq.DeQuantStub()
    self.fc, self.add = nn.Linear(16, 16), nn.quantized.FloatFunctional()
    self.steps = 12
    with torch.no_grad():
      # Each trip makes errors larger, and the sigmoid keeps the state small.
      nn.init.orthogonal_(self.fc.weight, growth)
      self.fc.bias.copy_(-self.fc.weight.sum(1) / 2)

  def forward(self, x):
    x = self.quant(x)
    state = x
    for _ in range(self.steps):
      state = torch.sigmoid(self.fc(state))
    return self.dequant(state)


class OwnAdds(nn.Module):
  """Sums of two sizes, each with a FloatFunctional of its own."""

  def __init__(self, layer):
    super().__init__()
    self.quant, self.dequant = tq.QuantStub(), tq.DeQuantStub()
    self.first, self.second, self.third = layer(), layer(), layer()
    self.large = nn.quantized.FloatFunctional()
    self.small = nn.quantized.FloatFunctional()
    with torch.no_grad():
      self.first.weight *= 40
      self.second.weight /= 40

  def forward(self, x):
    x = self.first(self.quant(x))
    x = self.second(self.large.add(x, x))
    return self.dequant(self.third(self.small.add(x, x)))


class SharedAdd(OwnAdds):
  """The same with one for both."""

  def forward(self, x):
    x = self.first(self.quant(x))
    x = self.second(self.large.add(x, x))
    return self.dequant(self.third(self.large.add(x, x)))


class SequenceAttention(nn.Module):
  """Attention of sequences [N, T, C], which it computes as [T, N, C]."""

  __constants__ = ['batch_first']

  def __init__(self):
    super().__init__()
    self.quant, self.quant_out = tq.QuantStub(), tq.QuantStub()
    self.dequant = tq.DeQuantStub()
    self.q, self.k = nn.Linear(16, 16), nn.Linear(16, 16)
    self.v, self.out = nn.Linear(16, 16), nn.Linear(16, 16)
    self.batch_first = True
    with torch.no_grad():
      # Attention that looks at few places.
      self.q.weight *= 6

  def forward(self, x):
    x = self.quant(x)
    if self.batch_first:
      x = x.transpose(0, 1)
    q, k = self.dequant(self.q(x)), self.dequant(self.k(x))
    v = self.dequant(self.v(x)).transpose(0, 1)
    weights = q.transpose(0, 1) @ k.permute(1, 2, 0) / 4
    y = (torch.softmax(weights, -1) @ v).transpose(0, 1)
    y = self.dequant(self.out(self.quant_out(y)))
    return y.transpose(0, 1) if self.batch_first else y


class Heatmap(nn.Module):
  """An image to an image."""

  __constants__ = ['is_wide_first']

  def __init__(self):
    super().__init__()
    self.quant, self.dequant = tq.QuantStub(), tq.DeQuantStub()
    self.first = nn.Conv2d(3, 8, 3, padding=1)
    self.relu = nn.ReLU()
    self.second = nn.Conv2d(8, 2, 3, padding=1)
    self.is_wide_first = False

  def forward(self, x):
    x = self.second(self.relu(self.first(self.quant(x))))
    return self.dequant(x.transpose(2, 3) if self.is_wide_first else x)


class TwoSmallScores(nn.Module):
  """Two of its twelve outputs are far smaller than the others."""

  def __init__(self, layer, factor):
    super().__init__()
    self.stem, self.head = layer(24, 16), layer(16, 12)
    with torch.no_grad():
      self.head.weight[5:7] *= factor
      self.head.bias[5:7] *= factor

  def forward(self, x):
    return self.head(torch.relu(self.stem(x)))


class RootMeanSquare(nn.Module):
  """Divides by the root of the mean of squares."""

  def __init__(self):
    super().__init__()
    self.first, self.second = nn.Linear(16, 16), nn.Linear(16, 8)
    with torch.no_grad():
      self.first.bias.zero_()

  def forward(self, x):
    x = self.first(x)
    x = x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6)
    return self.second(x)


class Energies(nn.Module):
  """The logarithm of a sum of squares."""

  def __init__(self):
    super().__init__()
    self.first, self.second = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 1)

  def forward(self, x):
    x = self.first(x)
    y = self.second(x)
    return torch.log(x * x + y * y + 1e-4)
