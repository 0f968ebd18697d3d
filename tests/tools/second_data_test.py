"""`ns compare --inputs-b=PATHS`: a second data set beside the first."""

import json
import unittest

import torch
from torch import nn

import cli


class Net(nn.Module):

  def __init__(self):
    super().__init__()
    self.conv = nn.Conv2d(3, 8, 3, bias=False)
    self.fc = nn.Linear(8, 4, bias=False)

  def forward(self, x):
    return self.fc(torch.relu(self.conv(x)).mean((2, 3)))


class SecondDataTest(cli.CliTest):

  def setUp(self):
    super().setUp()
    torch.jit.script(Net().eval()).save(self.path('float.pt'))
    self.save('first.pt', 1)
    self.run_ns('quantize', '--inputs=first.pt', '--out=quantized.pt')

  def save(self, name, factor, shape=(8, 3, 12, 12)):
    torch.save([factor * torch.randn(shape) for _ in range(3)],
               self.path(name))

  def run_ns(self, command, *arguments):
    output, _ = self.succeed(command, '--float=float.pt', *arguments,
                             cwd=self.folder)
    return output

  def compare(self, *arguments):
    return self.run_ns('compare', '--quantized=quantized.pt', *arguments)

  def result(self, *arguments):
    return json.loads(self.compare(*arguments, '--json=-'))

  def test_figures_are_those_of_a_run_of_its_own(self):
    self.save('second.pt', 3)
    both = self.result('--inputs=first.pt', '--inputs-b=second.pt')
    first = self.result('--inputs=first.pt')
    second = self.result('--inputs=second.pt')
    self.assertEqual(both['second_data'], {
        'inputs': ['second.pt'], 'batches': 3,
        'outputs_of_model': second['outputs_of_model']})
    self.assertEqual([layer.pop('second_data') for layer in both['layers']],
                     [layer['activation'] for layer in second['layers']])
    del both['second_data'], both['data_shift']
    self.assertEqual(both, first)

  def test_larger_values_are_for_calibration(self):
    self.save('second.pt', 4)
    table = self.compare('--inputs=first.pt', '--inputs-b=second.pt')
    self.assertRegex(
        table, r'\nsecond data +The lowest output SQNR is [-\d.]+ dB \(first data: '
        r'[\d.]+ dB\); \d of \d layers have other ranges\.\n  x\.quantize  ')
    command = ('ns quantize --float=float.pt --inputs=first.pt,second.pt '
               '--out=mended.pt')
    self.assertIn(f'help                    calibrate on both data sets\n'
                  f'                        {command}\n', table)
    self.succeed(*command.split()[1:], cwd=self.folder)
    before, after = (
        self.run_ns('compare', f'--quantized={quantized}', '--inputs=first.pt',
                    '--inputs-b=second.pt', '--json=-')
        for quantized in ('quantized.pt', 'mended.pt'))
    before, after = (
        json.loads(report)['second_data']['outputs_of_model'][0]['sqnr_db']
        for report in (before, after))
    self.assertGreater(after, before + 10)

  def test_smaller_values_are_told_by_their_width(self):
    self.save('second.pt', 0.02)
    shift = self.result('--inputs=first.pt',
                        '--inputs-b=second.pt')['data_shift']
    self.assertEqual(shift['layers'][0]['name'], 'x.quantize')
    self.assertLess(shift['layers'][0]['width'], 0.05)
    self.assertEqual(shift['layers'][0]['beyond'], 0)
    self.assertIn('--inputs=second.pt ', shift['cure']['command'])

  def test_the_same_data_has_no_shift(self):
    self.save('second.pt', 1)
    result = self.result('--inputs=first.pt', '--inputs-b=second.pt')
    self.assertEqual(result['data_shift']['layers'], [])
    self.assertNotIn('cure', result['data_shift'])
    self.assertIn('; no layer has another range.\n',
                  self.compare('--inputs=first.pt', '--inputs-b=second.pt'))

  def test_all_outputs_have_it(self):
    self.save('second.pt', 4)
    self.compare('--inputs=first.pt', '--inputs-b=second.pt', '--quiet',
                 f'--json={self.path("r.json")}', f'--csv={self.path("r.csv")}',
                 f'--html={self.path("r.html")}')
    with open(self.path('r.csv'), encoding='utf-8') as file:
      self.assertIn('\nfc,second_data,', file.read())
    with open(self.path('r.html'), encoding='utf-8') as file:
      page = file.read()
    for text in ('second data SQNR (dB)', '>The lowest output SQNR is ',
                 'What to do: calibrate on both data sets<pre>ns quantize ',
                 'Second data</dt>'):
      self.assertIn(text, page)
    with open(self.path('r.json'), encoding='utf-8') as file:
      written = json.load(file)
    self.assertEqual([file['path'] for file in written['files']],
                     ['float.pt', 'quantized.pt', 'first.pt', 'second.pt'])
    # A page that is made of the JSON later is the same.
    self.succeed('report', f'--json={self.path("r.json")}',
                 f'--html={self.path("again.html")}')
    with open(self.path('r.json'), encoding='utf-8') as file:
      self.assertEqual(json.load(file), written)

  def test_warnings_of_the_second_name_it(self):
    torch.save([torch.full((2, 3, 12, 12), float('nan'))],
               self.path('second.pt'))
    _, error = self.succeed(
        'compare', '--float=float.pt', '--quantized=quantized.pt',
        '--inputs=first.pt', '--inputs-b=second.pt', cwd=self.folder)
    self.assertRegex(error, r'(?m)^ns: warning: on the second data set: .*NaN')

  def test_images_of_another_size_are_fine(self):
    self.save('second.pt', 1, (2, 3, 20, 16))
    result = self.result('--inputs=first.pt', '--inputs-b=second.pt')
    self.assertEqual(result['layers'][0]['second_data']['shape'],
                     [2, 3, 20, 16])

  def test_several_files_and_few_batches(self):
    self.save('second.pt', 1)
    self.save('third.pt', 1)
    result = self.result('--inputs=first.pt', '--max-batches=2',
                         '--inputs-b=second.pt,third.pt')
    self.assertEqual((result['batches'], result['second_data']['batches']),
                     (2, 2))

  def fails(self, code, *arguments, names):
    return self.fail_with(code, 'compare', '--float=float.pt',
                          '--quantized=quantized.pt', *arguments, names=names,
                          cwd=self.folder)

  def test_bad_input(self):
    inputs = '--inputs=first.pt'
    self.fails(3, inputs, '--inputs-b=missing.pt', names='missing.pt')
    self.save('wide.pt', 1, (8, 5, 12, 12))
    self.fails(3, inputs, '--inputs-b=wide.pt',
               names=('second data set', 'batch 0'))
    torch.save([], self.path('none.pt'))
    self.fails(3, inputs, '--inputs-b=none.pt', names='none.pt')
    self.fails(2, '--inputs-b=first.pt', names=('--inputs-b', '--inputs=PATH'))
    self.fails(2, inputs, '--inputs-b=first.pt', '--what=weights',
               names=('--inputs-b', 'activations'))
    self.fails(2, inputs, '--inputs-b=first.pt', '--reference=.',
               names=('--inputs-b', '--reference'))
    self.fails(2, inputs, '--inputs-b=first.pt', '--json=first.pt',
               names='first.pt')


if __name__ == '__main__':
  unittest.main()
