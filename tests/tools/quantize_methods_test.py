"""`ns quantize`: methods to lose less, which are kept where they help."""

import unittest

import torch
from torch import nn

from quantizing import QuantizeTest
from quantizing import sqnr


class Uneven(nn.Module):
  """One channel has a range far beyond that of the others, whose weights are
  coarse where there is one scale for all."""

  def __init__(self):
    super().__init__()
    self.conv = nn.Conv2d(3, 16, 3)
    self.fc = nn.Linear(16, 5)
    with torch.no_grad():
      self.conv.weight[0] *= 40
      self.fc.weight[:, 0] /= 40

  def forward(self, x):
    return self.fc(torch.relu(self.conv(x)).mean((2, 3)))


class BiasCorrectionTest(QuantizeTest):

  def setUp(self):
    super().setUp()
    torch.manual_seed(3)
    self.model = Uneven().eval()
    torch.jit.script(self.model).save(self.path('uneven.pt'))
    self.save_batches('bright.pt', [2] * 4)

  def save_batches(self, name, means):
    torch.save([torch.rand(8, 3, 12, 12) + mean for mean in means],
               self.path(name))

  def quantize_uneven(self, *flags, inputs='bright.pt'):
    """The report, and the SQNR of the output on images of other batches."""
    report = self.json(
        'quantize', f'--float={self.path("uneven.pt")}',
        f'--inputs={self.path(inputs)}', f'--out={self.path("q.pt")}',
        '--backend=qnnpack', *flags)
    x = torch.rand(16, 3, 12, 12) + 2
    torch.backends.quantized.engine = 'qnnpack'
    with torch.no_grad():
      y = torch.jit.load(self.path('q.pt'))(x)
      return report, sqnr([y], [self.model(x)])

  def test_it_helps_and_says_by_how_much(self):
    plain, without = self.quantize_uneven('--bias-correction=none')
    report, corrected = self.quantize_uneven()
    self.assertEqual(plain['tried'], [])
    self.assertGreater(corrected, without + 3)
    conv, = (t for t in report['tried'] if t['layer'] == 'conv')
    self.assertEqual((conv['method'], conv['kept']), ('bias correction', True))
    self.assertGreater(conv['sqnr_db_with'], conv['sqnr_db_without'] + 1)
    output, _ = self.succeed(
        'quantize', f'--float={self.path("uneven.pt")}',
        f'--inputs={self.path("bright.pt")}', f'--out={self.path("q.pt")}',
        '--backend=qnnpack')
    self.assertRegex(output, r'bias correction kept in \d of 2 layers, SQNR on '
                     r'batches held back:\n  conv +\d+\.\d -> \d+\.\d dB')

  def test_it_is_not_kept_where_batches_held_back_get_worse(self):
    self.save_batches('turning.pt', [2, 2, 2, -3])
    report, _ = self.quantize_uneven(inputs='turning.pt')
    conv, = (t for t in report['tried'] if t['layer'] == 'conv')
    self.assertFalse(conv['kept'])
    self.assertLess(conv['sqnr_db_with'], conv['sqnr_db_without'])

  def test_one_batch_is_too_few(self):
    report, _ = self.quantize_uneven('--max-batches=1')
    self.assertEqual(report['tried'], [])
    self.assertIn('there is one batch', report['warnings'][0])

  def test_flags_that_make_no_sense_are_wrong_usage(self):
    quantize = ('quantize', f'--float={self.path("uneven.pt")}',
                f'--inputs={self.path("bright.pt")}',
                f'--out={self.path("q.pt")}')
    self.fail_with(2, *quantize, '--bias-correction=slow',
                   names=['--bias-correction', 'slow', 'fast'])
    for other in ('--compat=torch-1.13', '--reference', '--eager',
                  '--mode=dynamic', f'--prepared={self.path("p.pt")}'):
      self.fail_with(2, *quantize, '--bias-correction=fast', other,
                     names=['--bias-correction=fast has no use with', other.split(
                         '=')[0]])


if __name__ == '__main__':
  unittest.main()
