"""What is told of each layer beside figures: its line, and what it runs in."""

import inspect
import unittest

import torch

import cli


class Block(torch.nn.Module):

  def __init__(self):
    super().__init__()
    self.conv = torch.nn.Conv2d(3, 3, 1)

  def forward(self, x):
    x = self.conv(x)  # line of conv
    return torch.nn.functional.relu(x)  # line of relu


class Net(torch.nn.Module):

  def __init__(self):
    super().__init__()
    self.block = Block()
    self.fc = torch.nn.Linear(3, 2)

  def forward(self, x):
    x = self.block(x).mean([2, 3])  # line of mean
    return self.fc(x)  # line of fc


def line_of(comment):
  lines = inspect.getsource(inspect.getmodule(Net)).splitlines()
  return 1 + next(i for i, line in enumerate(lines)
                  if line.rstrip().endswith('# line of ' + comment))


class LayerFactsTest(cli.CliTest):

  def make(self, freeze=False):
    torch.manual_seed(0)
    net = torch.jit.script(Net().eval())
    if freeze:
      net = torch.jit.freeze(net)
    torch.jit.save(net, self.path('f.pt'))
    torch.save([torch.randn(2, 3, 4, 4) for _ in range(3)], self.path('i.pt'))
    self.succeed('quantize', f'--float={self.path("f.pt")}',
                 f'--inputs={self.path("i.pt")}', f'--out={self.path("q.pt")}')
    return ('compare', f'--float={self.path("f.pt")}',
            f'--quantized={self.path("q.pt")}', f'--inputs={self.path("i.pt")}')

  def test_json_has_the_line_of_the_call(self):
    layers = self.layers(*self.make())
    for name, comment in (('block.conv', 'conv'), ('fc', 'fc')):
      for side in ('float', 'quantized'):
        self.assertEqual(layers[name]['source'][side],
                         {'file': inspect.getsourcefile(Net),
                          'line': line_of(comment)}, (name, side))

  def test_the_table_has_a_column(self):
    compare = self.make()
    table, _ = self.succeed(*compare, '--source')
    self.assertRegex(table, rf'block\.conv .*layer_facts_test\.py:{line_of("conv")} ')
    self.assertNotIn('layer_facts_test.py', self.succeed(*compare)[0])

  def test_coverage_tells_what_is_float(self):
    compare = self.make()
    coverage = self.json(*compare)['coverage']
    self.assertEqual((coverage['int8_layers'], coverage['float_layers']), (3, 0))
    self.assertEqual(coverage['int8_macs_share'], 1)
    self.assertIn('3 of 3 layers run in int8, with 100.0 % of the multiply-adds',
                  self.succeed(*compare, '--coverage')[0])
    self.succeed('quantize', *compare[1:4:2], '--keep=fc',
                 f'--out={self.path("q.pt")}')
    coverage = self.json(*compare)['coverage']
    self.assertEqual([layer['name'] for layer in coverage['stayed_float']],
                     ['fc'])
    # 2 x 2 positions of 3 x 3, and 2 x 3.
    self.assertEqual(coverage['int8_macs_share'],
                     16 * 9 / (16 * 9 + 6))

  # Freezing leaves the library's own line, which is all that such a file has.
  def test_frozen_files_have_what_they_have(self):
    layers = self.layers(*self.make(freeze=True))
    files = {layer['source']['float']['file'] for layer in layers.values()
             if layer['float']['op'] == 'aten::conv2d'}
    self.assertEqual(len(files), 1)
    self.assertIn('torch/nn/modules/conv.py', files.pop())


if __name__ == '__main__':
  unittest.main()
