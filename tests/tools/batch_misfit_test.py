"""Batches that do not fit the model: what they are, and the line that mends it."""

import unittest

import torch

import cli


class Image(torch.nn.Module):

  def __init__(self, channels=3):
    super().__init__()
    self.conv = torch.nn.Conv2d(channels, 8, 3)
    self.fc = torch.nn.Linear(8, 5)

  def forward(self, x):
    return self.fc(torch.relu(self.conv(x)).mean([2, 3]))


class Words(torch.nn.Module):

  def __init__(self):
    super().__init__()
    self.table = torch.nn.Embedding(10, 6)
    self.fc = torch.nn.Linear(6, 5)

  def forward(self, ids):
    return self.fc(self.table(ids))


class Flat(torch.nn.Module):

  def __init__(self):
    super().__init__()
    self.fc = torch.nn.Linear(12, 5)

  def forward(self, x):
    return self.fc(x)


class BatchMisfitTest(cli.CliTest):

  def check(self, model, good, bad, *words, mended=None):
    """`bad` fails with `words`; `mended`, what they say, runs."""
    torch.jit.script(model.eval()).save(self.path('f.pt'))
    torch.save([good], self.path('good.pt'))
    torch.save([bad], self.path('bad.pt'))
    self.succeed('quantize', 'f.pt', 'good.pt', '-o', 'q.pt', '--quiet',
                 cwd=self.folder)
    for command in (('compare', 'f.pt', 'q.pt', 'bad.pt'),
                    ('quantize', 'f.pt', 'bad.pt', '-o', 'x.pt'),
                    ('sensitivity', 'f.pt', 'bad.pt')):
      self.fail_with(3, *command, names=('bad.pt: batch 0', *words),
                     cwd=self.folder)
    if mended is not None:
      torch.save([mended], self.path('mended.pt'))
      self.succeed('compare', 'f.pt', 'q.pt', 'mended.pt', cwd=self.folder)

  def test_images(self):
    x = torch.randn(2, 3, 8, 8)
    takes = 'conv takes float32 [N, 3, H, W]'
    bytes_ = (x * 50).abs().to(torch.uint8)
    self.check(Image(), x, bytes_, 'x is uint8 [2, 3, 8, 8]', takes,
               'x.float(), scaled', mended=bytes_.float())
    self.check(Image(), x, x.double(), 'x is float64', takes,
               'save x.float()', mended=x.double().float())
    self.check(Image(), x, x[0], 'x is float32 [3, 8, 8]', takes,
               'save x.unsqueeze(0)', mended=x[0].unsqueeze(0))
    last = x.permute(0, 2, 3, 1).contiguous()
    self.check(Image(), x, last, 'x is float32 [2, 8, 8, 3]', takes,
               'save x.permute(0, 3, 1, 2)', mended=last.permute(0, 3, 1, 2))
    grey = x[:, :1]
    self.check(Image(), x, grey, 'x is float32 [2, 1, 8, 8]', takes,
               'save torch.cat([x] * 3, 1)', mended=torch.cat([grey] * 3, 1))
    self.check(Image(1), grey, x, 'conv takes float32 [N, 1, H, W]',
               'save x.mean(1, keepdim=True)', mended=x.mean(1, keepdim=True))
    self.check(Image(), x, x[:, :2], 'x is float32 [2, 2, 8, 8]', takes)

  def test_words(self):
    ids = torch.randint(0, 10, (2, 3))
    takes = 'table takes int64 from 0 to 9'
    self.check(Words(), ids, ids.float(), 'ids is float32 [2, 3]', takes,
               'save ids.long()', mended=ids.float().long())
    self.check(Words(), ids, ids.short(), 'ids is int16', 'ids.long()')
    self.check(Words(), ids, torch.tensor([[0, 49]]), takes, 'from 0 to 49',
               'another vocabulary')

  def test_rows(self):
    x = torch.randn(2, 12)
    square = x.view(2, 3, 4)
    self.check(Flat(), x, square, 'x is float32 [2, 3, 4]',
               'fc takes float32 [..., 12]', 'save x.flatten(1)',
               mended=square.flatten(1))
    self.check(Flat(), x, x[:, :5], 'x is float32 [2, 5]', '[..., 12]')

  def test_errors_of_other_kinds_stay_as_they_are(self):

    class Fails(torch.nn.Module):

      def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 3)

      def forward(self, x):
        return self.fc(x) + torch.ones(7)

    torch.jit.script(Fails().eval()).save(self.path('f.pt'))
    torch.save([torch.randn(2, 3)], self.path('x.pt'))
    line = self.fail_with(3, 'sensitivity', 'f.pt', 'x.pt',
                          names='size of tensor', cwd=self.folder)
    self.assertNotIn('takes float32', line)


if __name__ == '__main__':
  unittest.main()
