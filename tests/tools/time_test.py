"""`ns compare --time`: how long each layer takes."""

import csv
import io
import json
import unittest

import torch
from torch import nn

import cli


class Net(nn.Module):

  def __init__(self):
    super().__init__()
    self.large = nn.Conv2d(3, 32, 5, padding=2)
    self.small = nn.Conv2d(32, 4, 1)

  def forward(self, x):
    return torch.sigmoid(self.small(torch.relu(self.large(x))))


class TimeTest(cli.CliTest):

  def setUp(self):
    super().setUp()
    torch.jit.script(Net().eval()).save(self.path('float.pt'))
    torch.save([torch.randn(4, 3, 48, 48) for _ in range(2)],
               self.path('inputs.pt'))
    self.succeed('quantize', 'float.pt', 'inputs.pt', '-o', 'quantized.pt',
                 cwd=self.folder)

  def compare(self, *arguments):
    return self.succeed('compare', 'float.pt', 'quantized.pt', 'inputs.pt',
                        '--time', *arguments, cwd=self.folder)[0]

  def test_layers_and_ops_between_them_add_up(self):
    result = json.loads(self.compare('--threads=1', '--json=-'))
    times = result['times']
    self.assertEqual((times['samples'], times['threads']), (4, 1))
    self.assertGreaterEqual(times['runs'], 3)
    for model in 'float', 'quantized':
      parts = [layer['time_us'][model] for layer in result['layers']]
      parts += [op['us'] for op in times['between_layers']
                if op['model'] == model]
      self.assertAlmostEqual(sum(parts) / times[model + '_us'], 1, places=6)
    by_name = {layer['name']: layer['time_us'] for layer in result['layers']}
    for time in by_name.values():
      self.assertAlmostEqual(
          time['share'], time['quantized'] / times['quantized_us'], places=6)
    self.assertGreater(by_name['large']['float'], by_name['small']['float'])
    for slow in result['slower_than_float']:
      time = by_name[slow['name']]
      self.assertAlmostEqual(slow['extra_us'],
                             time['quantized'] - time['float'], places=3)

  def test_the_other_figures_are_the_same(self):
    timed = json.loads(self.compare('--json=-'))
    plain = json.loads(self.succeed(
        'compare', 'float.pt', 'quantized.pt', 'inputs.pt', '--json=-',
        cwd=self.folder)[0])
    del timed['times'], timed['slower_than_float']
    for layer in timed['layers']:
      del layer['time_us']
    self.assertEqual(timed, plain)

  def test_weights_and_times_alone(self):
    table = self.compare('--what=weights', '--sort=time')
    self.assertIn('time of a batch ', table)
    self.assertIn(' times as fast\n', table)
    self.assertIn('\nmeasured with           4 samples, ', table)
    self.assertRegex(table, r' float +quantized +of its ')
    rows = [line.split()[0] for line in table.splitlines()[3:]
            if '%' in line and 'µs' not in line]
    self.assertEqual(rows[0], 'large', table)

  def test_top_keeps_the_slowest(self):
    table = self.compare('--what=weights', '--sort=time', '--top=1')
    self.assertIn('\nlarge ', table)
    self.assertNotIn('\nsmall ', table)

  def test_csv_has_rows_of_times(self):
    rows = list(csv.DictReader(io.StringIO(
        self.compare('--what=weights', '--csv=-'))))
    times = {row['name']: row for row in rows if row['kind'] == 'time'}
    self.assertGreater(float(times['large']['float_us']),
                       float(times['small']['float_us']))
    self.assertEqual(times['large']['sqnr_db'], '')
    weights = [row for row in rows if row['kind'] == 'weight']
    self.assertEqual({row['quantized_us'] for row in weights}, {''})

  def test_a_report_is_drawn_from_the_json(self):
    self.compare('--json=result.json', '--graph', '--quiet')
    self.succeed('report', 'result.json', '--html=page.html', cwd=self.folder)
    with open(self.path('page.html'), encoding='utf-8') as page:
      self.assertIn('"time_us"', page.read())

  def test_what_cannot_be_timed(self):
    def fail(names, *arguments):
      self.fail_with(2, 'compare', 'float.pt', 'quantized.pt', *arguments,
                     cwd=self.folder, names=names)
    fail(['--time', '--inputs'], '--time')
    fail(['--emulate', 'another'], 'inputs.pt', '--time',
         '--emulate=fbgemm-avx2')
    fail(['--time', '--what'], 'inputs.pt', '--time', '--what=outputs')
    fail(['--time', 'shard'], 'inputs.pt', '--time', '--shard=1/2',
         '--save-shard=a.ns-shard')
    fail(['--sort=time', 'graph', 'error'], 'inputs.pt', '--sort=time')


if __name__ == '__main__':
  unittest.main()
