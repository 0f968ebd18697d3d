"""`ns compare --what=outputs`, held to what the models return in Python."""

import csv
import io
import os
import unittest

import torch

import cli

NET = (*cli.COMPARE, '--inputs=images.pt', '--what=outputs')


def returned(name, side):
  """What the model returns for all batches of rows.pt."""
  model = torch.jit.load(os.path.join(cli.CASES, f'{name}_{side}.pt'))
  with torch.no_grad():
    return [model(x) for x in torch.load(os.path.join(cli.CASES, 'rows.pt'))]


def sqnr(x, y):
  x, y = (torch.cat([part.reshape(-1) for part in side]).double()
          for side in (x, y))
  return float(20 * torch.log10(x.norm() / (x - y).norm()))


class OutputsTest(cli.CliTest):

  def outputs(self, name):
    result = self.json('compare', f'--float={name}_float.pt',
                       f'--quantized={name}_quantized.pt', '--inputs=rows.pt',
                       '--what=outputs')
    self.assertEqual((result['layers'], result['batches']), ([], 3))
    return {output['name']: output for output in result['outputs']}

  def assert_figures(self, name, places):
    outputs = self.outputs(name)
    models = [returned(name, side) for side in ('float', 'quantized')]
    of_model = [place for place, output in outputs.items()
                if 'float_type' not in output]
    self.assertEqual(of_model, list(places))
    for place, get in places.items():
      expected = sqnr(*([get(value) for value in side] for side in models))
      self.assertAlmostEqual(outputs[place]['sqnr_db'], expected, 3)
      self.assertEqual(len(outputs[place]['batch_sqnr_db']), 3)

  def test_all_tensors_that_the_models_return_have_figures(self):
    self.assert_figures('mlp', {'output': lambda y: y})
    self.assert_figures('tuple', {'output[0]': lambda y: y[0],
                                  'output[1]': lambda y: y[1]})
    self.assert_figures('dict', {"output['y']": lambda y: y['y'],
                                 "output['half']": lambda y: y['half']})

  def test_modules_come_first(self):
    outputs = self.json(*NET)['outputs']
    self.assertEqual([output['name'] for output in outputs],
                     ['conv', 'fc', 'output'])
    self.assertEqual(outputs[1]['float_type'],
                     'torch.nn.modules.linear.Linear')
    self.assertGreater(outputs[1]['sqnr_db'], 20)

  def test_the_table_stands_below_the_layers(self):
    output, _ = self.succeed(*NET)
    self.assertRegex(output, r'(?m)^fc +Linear +Linear +\d\d\.\d')
    self.assertRegex(output, r'(?m)^output +\d\d\.\d')
    self.assertIn('3 outputs, 3 batches\nlowest output SQNR', output)
    self.assertNotIn('matched', output)
    output, _ = self.succeed(*NET[:-1], '--what=weights,stubs,outputs',
                             '--swap=Linear')
    self.assertLess(output.index('matched'), output.index('1 stub'))
    self.assertLess(output.index('1 stub'), output.index('3 outputs'))

  def test_csv_has_a_row_for_each(self):
    output, _ = self.succeed(*NET, '--csv=-')
    rows = list(csv.DictReader(io.StringIO(output)))
    self.assertEqual([(row['name'], row['kind'], row['float_fqn'])
                      for row in rows],
                     [('conv', 'output', 'conv'), ('fc', 'output', 'fc'),
                      ('output', 'output', '')])

  def test_types_of_modules_can_be_chosen(self):
    outputs = self.json(*NET, '--modules=Linear')['outputs']
    self.assertEqual([output['name'] for output in outputs], ['fc', 'output'])
    self.fail_with(3, *NET, '--modules=LSTM', names='LSTM')

  def test_wrong_usage(self):
    self.fail_with(2, *cli.COMPARE, '--what=outputs', names='--inputs')
    self.fail_with(2, *cli.COMPARE, '--inputs=images.pt', '--modules=Linear',
                   names='--what=outputs')
    self.fail_with(2, *NET, '--emulate=fbgemm-avx2', names='--emulate')
    self.fail_with(2, *NET[:-1], '--what=output', names='outputs')

  def test_inputs_that_do_not_fit_are_named(self):
    self.fail_with(3, *cli.COMPARE, '--inputs=wrong_rank.pt', '--what=outputs',
                   names='wrong_rank.pt')


if __name__ == '__main__':
  unittest.main()
