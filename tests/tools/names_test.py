"""Names of modules that TorchScript loads, however odd, in every output."""

import csv
import io
import unittest

import torch
from torch import nn

import cli
import make_cases

COMPARE = ('compare', '--float=odd_names_float.pt',
           '--quantized=odd_names_quantized.pt', '--inputs=rows.pt')
# As the quantized model calls them: inside a wrapper.
PATHS = ['module.' + name for name in make_cases.ODD_NAMES]


def escaped(text):
  return ''.join(c if ' ' <= c <= '~' else f'\\x{ord(c):02x}' for c in text)


class NamesTest(cli.CliTest):

  def test_json_has_the_names_themselves(self):
    layers = self.layers(*COMPARE)
    self.assertLessEqual(set(PATHS), set(layers))
    for name in make_cases.ODD_NAMES:
      layer = layers['module.' + name]
      self.assertEqual(layer['float']['fqn'], name)
      self.assertEqual(layer['quantized']['fqn'], 'module.' + name)
      self.assertEqual(len(layer['activation']['batch_sqnr_db']), 3)

  def test_the_table_escapes_control_characters(self):
    output, error = self.succeed(*COMPARE)
    self.assertNotRegex(output + error, '[\x00-\x09\x0b-\x1f\x7f]')
    rows = [line.split('  ')[0] for line in output.splitlines()]
    for path in PATHS:
      self.assertEqual(rows.count(escaped(path)), 1, path)

  def test_csv_is_no_formula_and_no_escape_sequence(self):
    output, _ = self.succeed(*COMPARE, '--csv=-')
    self.assertNotRegex(output, '[\x00-\x09\x0b-\x1f\x7f]')
    rows = [row for row in csv.DictReader(io.StringIO(output))
            if row['kind'] == 'shadow']
    names = [row['name'] for row in rows]
    fqns = [row['float_fqn'] for row in rows]
    for name in make_cases.ODD_NAMES:
      self.assertEqual(names.count(escaped('module.' + name)), 1, name)
      quote = "'" if name[0] in '=+-@' else ''
      self.assertEqual(fqns.count(quote + escaped(name)), 1, name)

  def test_sensitivity_tells_the_layers_apart(self):
    layers = self.layers('sensitivity', '--float=odd_names_float.pt',
                         '--inputs=rows.pt', '--candidates=int8-per-tensor')
    self.assertEqual(list(layers), list(make_cases.ODD_NAMES))

  def test_match_and_instrument_take_them(self):
    output, _ = self.succeed('match', *COMPARE[1:3])
    for path in PATHS:
      self.assertIn(f'({escaped(path)})', output)
    self.succeed('instrument', *COMPARE[1:3], '--what=shadows',
                 f'--out-float={self.path("f.pt")}',
                 f'--out-quantized={self.path("q.pt")}')

  def test_the_float_model_names_the_layers_when_it_is_asked_to(self):
    odd = list(make_cases.ODD_NAMES)
    by_float = self.layers(*COMPARE, '--names=float')
    self.assertEqual([name for name in by_float if name in odd], odd)
    self.assertIn('input.quantize', by_float)
    by_quantized = self.layers(*COMPARE)
    for name in odd:
      self.assertEqual(by_float[name]['activation'],
                       by_quantized['module.' + name]['activation'])
    output, _ = self.succeed('match', *COMPARE[1:3], '--names=float')
    for name in odd:
      self.assertIn(f'({escaped("module." + name)})', output)

  def test_names_are_of_one_of_the_models(self):
    self.fail_with(2, *COMPARE, '--names=fx', names='quantized, float')


class LongNamesTest(cli.CliTest):
  """No line that people read is longer than they read."""

  def setUp(self):
    super().setUp()
    # The names differ where tables leave them out.
    names = ['n' * 50000 + letter + 'n' * 50000 for letter in 'abc']
    model = nn.Sequential()
    for name, layer in zip(names, (nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3),
                                   nn.ReLU())):
      model.add_module(name, layer)
    model.add_module('l' * 100000, nn.Linear(5, 5))
    torch.jit.script(model.eval()).save(self.path('float.pt'))
    torch.save([torch.randn(2, 3, 5, 5)], self.path('inputs.pt'))

  def check(self, *command):
    output, error = self.succeed(*command, cwd=self.folder)
    for line in (output + error).splitlines():
      self.assertLess(len(line), 4100, command[0])

  def test_tables_and_warnings(self):
    pair = ('--float=float.pt', '--quantized=int8.pt')
    inputs = '--inputs=inputs.pt'
    self.check('fuse', '--in=float.pt', '--out=fused.pt')
    self.check('quantize', pair[0], inputs, '--out=int8.pt',
               '--keep=*' + 'k' * 100000)
    self.check('quantize', pair[0], inputs, '--out=int8.pt')
    self.check('match', *pair)
    self.check('compare', *pair, inputs, '--csv=out.csv', '--coverage')
    self.check('sensitivity', pair[0], inputs)
    self.check('repro', *pair, inputs, '--out=repro')
    self.check('lower', '--in=int8.pt', '--out=lowered.pt')
    with open(self.path('out.csv'), encoding='utf-8') as file:
      self.assertIn('l' * 100000, file.read())


if __name__ == '__main__':
  unittest.main()
