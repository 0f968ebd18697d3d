"""Attention masks survive `ns quantize`, and `ns compare` names a lost one."""

import unittest
from typing import List, Optional

import torch
from torch import nn

import cli

torch.backends.quantized.engine = 'onednn'
torch.set_num_threads(1)

WIDTH, LENGTH = 16, 12


def causal(value):
  return torch.triu(torch.full((LENGTH, LENGTH), value), 1)


class Attention(nn.Module):
  """With one head, whose scores are masked by the classes below."""

  def __init__(self):
    super().__init__()
    self.query = nn.Linear(WIDTH, WIDTH)
    self.key = nn.Linear(WIDTH, WIDTH)
    self.value = nn.Linear(WIDTH, WIDTH)
    self.register_buffer('mask', causal(float('-inf')))
    self.register_buffer('windows', causal(-100.))

  def scores(self, x):
    return torch.matmul(self.query(x), self.key(x).transpose(1, 2)) / 2.8

  def attend(self, x, scores):
    return torch.matmul(torch.softmax(scores, -1), self.value(x))

  def forward(self, x):
    return self.attend(x, self.scores(x) + self.mask)


class InBranch(Attention):

  def forward(self, x):
    scores = self.scores(x)
    if x.size(1) > 1:
      scores = scores + self.mask
    return self.attend(x, scores)


class Argument(Attention):

  def forward(self, x, mask: Optional[torch.Tensor] = None):
    scores = self.scores(x)
    if mask is not None:
      scores = scores + mask
    return self.attend(x, scores)


class InLoop(Attention):

  def forward(self, x):
    scores = self.scores(x)
    for i in range(2):
      scores = scores + self.windows * float(50 * i + 50)
    return self.attend(x, scores)


class InList(Attention):

  def forward(self, x):
    masks: List[torch.Tensor] = [self.windows * 0.0]
    if x.size(1) > 2:
      masks.append(self.mask)
    scores = self.scores(x)
    for mask in masks:
      scores = scores + mask
    return self.attend(x, scores)


class WrittenOut(Attention):

  def forward(self, x):
    powers = torch.exp(self.scores(x) + self.mask)
    return torch.matmul(powers / powers.sum(-1, keepdim=True), self.value(x))


class Windows(Attention):

  def forward(self, x):
    scores = self.scores(x) * 0.5
    return self.attend(x, torch.roll(scores + self.windows, 0, 1))


class MaskedMaximum(Attention):

  def forward(self, x, mask):
    return (self.value(x) + mask.unsqueeze(-1)).max(1)[0]


class LostMask(Attention):
  """As no calibration makes it: the mask is quantized in the range of 0."""

  def forward(self, x):
    n = x.size(1)
    mask = torch.triu(torch.full((n, n), float('-inf')), 1)
    mask = torch.quantize_per_tensor(mask, 1e-7, 0, torch.quint8)
    scores = torch.quantize_per_tensor(self.scores(x), 0.02, 128, torch.quint8)
    return self.attend(x, torch.ops.quantized.add(scores, mask, 0.02,
                                                  128).dequantize())


class FloatMask(Attention):

  def forward(self, x):
    n = x.size(1)
    mask = torch.triu(torch.full((n, n), float('-inf')), 1)
    return self.attend(x, self.scores(x) + mask)


class FlatView(nn.Module):
  """Writes through a view that a channels-last tensor does not have."""

  def __init__(self):
    super().__init__()
    self.first = nn.Conv2d(3, 8, 3, padding=1)
    self.second = nn.Conv2d(8, 4, 1)

  def forward(self, x):
    x = torch.max_pool2d(self.first(x), 2)
    x.view(x.size(0), -1).mul_(0.9)
    x.flatten(1).mul_(0.5)
    return self.second(x)


class AttentionMasksTest(cli.CliTest):

  def save(self, model, batches, name='float.pt'):
    torch.jit.script(model.eval()).save(self.path(name))
    torch.save(batches, self.path('inputs.pt'))

  def quantized_db(self, model, batches, *flags):
    """The SQNR of what `ns quantize` makes of the model, in dB."""
    self.save(model, batches)
    self.succeed('quantize', '--float=float.pt', '--inputs=inputs.pt',
                 '--out=quantized.pt', '--threads=1', *flags,
                 cwd=self.folder)
    quantized = torch.jit.load(self.path('quantized.pt'))
    signal = noise = 0.
    with torch.no_grad():
      for batch in batches:
        arguments = batch if isinstance(batch, tuple) else (batch,)
        x = model(*arguments).double()
        y = quantized(*arguments).double()
        signal += float(x.square().sum())
        noise += float((x - y).square().sum())
    return 10 * float(torch.log10(torch.tensor(signal / noise)))

  def test_scores_are_as_good_as_in_float(self):
    for kind in (Attention, InBranch, Argument, InLoop, InList, WrittenOut,
                 Windows, MaskedMaximum):
      batches = [torch.randn(2, LENGTH, WIDTH) for _ in range(8)]
      if kind == Argument:
        batches = [(x, causal(float('-inf'))) for x in batches]
      elif kind == MaskedMaximum:
        batches = [(x, causal(float('-inf'))[6:7]) for x in batches]
      torch.manual_seed(0)
      model = kind()
      with self.subTest(kind.__name__):
        in_float = self.quantized_db(model, batches, '--keep=aten::add')
        self.assertGreater(in_float, 28)
        self.assertGreater(self.quantized_db(model, batches), in_float - 1)

  def test_a_lost_mask_is_named(self):
    batches = [torch.randn(2, LENGTH, WIDTH) for _ in range(4)]
    for kind, name in ((FloatMask, 'float.pt'), (LostMask, 'lost.pt')):
      torch.manual_seed(0)
      self.save(kind(), batches, name)
    result = self.json('compare', '--float=float.pt', '--quantized=lost.pt',
                       '--inputs=inputs.pt', '--threads=1', cwd=self.folder)
    self.assertEqual(result['worst_offender']['name'], 'triu.quantize')
    self.assertEqual(result['verdict']['kind'], 'non-finite')
    self.assertIn('it turns infinities into numbers',
                  result['verdict']['sentences'][0])

  def test_a_masked_model_equals_itself(self):
    self.save(InBranch(), [torch.randn(2, LENGTH, WIDTH)])
    result = self.json('compare', '--float=float.pt', '--quantized=float.pt',
                       '--inputs=inputs.pt', '--threads=1', '--fail-below=99',
                       cwd=self.folder)
    for layer in result['layers']:
      self.assertEqual(layer['activation']['sqnr_db'], 'inf', layer['name'])

  def test_views_are_written_through(self):
    self.assertGreater(
        self.quantized_db(FlatView(),
                          [torch.randn(2, 3, 8, 8) for _ in range(4)]), 30)


if __name__ == '__main__':
  unittest.main()
