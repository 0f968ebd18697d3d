"""`ns compare --what=stubs`."""

import csv
import io
import unittest

import cli

STUBS = (*cli.COMPARE, '--inputs=images.pt', '--what=stubs')


class StubsTest(cli.CliTest):

  def test_json_has_a_stub_for_each_module_of_the_swap_list(self):
    result = self.json(*STUBS, '--swap=Linear')
    self.assertEqual(result['layers'], [])
    self.assertEqual(result['matching'], 'aligned')
    names = [stub['name'] for stub in result['stubs']]
    self.assertEqual(names, ['fc'])
    stub = result['stubs'][0]
    self.assertEqual(stub['float_type'], 'torch.nn.modules.linear.Linear')
    self.assertGreater(stub['sqnr_db'], 20)
    self.assertEqual(len(stub['batch_sqnr_db']), result['batches'])

  def test_stub_of_a_layer_is_its_shadow(self):
    result = self.json(*cli.COMPARE, '--inputs=images.pt', '--swap=Linear',
                       '--what=weights,shadows,stubs')
    shadow = {layer['name']: layer for layer in result['layers']}['fc']['shadow']
    stub = result['stubs'][0]
    for figure in ('sqnr_db', 'normalized_l2', 'cosine', 'max_abs_error'):
      self.assertAlmostEqual(stub[figure], shadow[figure], 4)

  def test_table_has_stubs_below_the_layers(self):
    output, _ = self.succeed(*STUBS, '--swap=Linear')
    self.assertIn('\nlowest stub SQNR', output)
    self.assertNotIn('matched', output)
    output, _ = self.succeed(*cli.COMPARE, '--inputs=images.pt',
                             '--what=weights,stubs', '--swap=Linear')
    self.assertLess(output.index('matched'), output.index('1 stub'))

  def test_csv_has_rows_of_stubs(self):
    output, _ = self.succeed(*STUBS, '--swap=Linear', '--csv=-')
    rows = list(csv.DictReader(io.StringIO(output)))
    self.assertEqual([(row['name'], row['kind']) for row in rows],
                     [('fc', 'stub')])

  def test_wrong_usage(self):
    self.fail_with(2, *STUBS, names=('--swap',))
    self.fail_with(2, *cli.COMPARE, '--inputs=images.pt', '--swap=Linear',
                   names=('--what=stubs',))
    self.fail_with(2, *cli.COMPARE, '--what=stubs', '--swap=Linear',
                   names=('--inputs',))

  def test_swap_list_that_names_no_module(self):
    line = self.fail_with(3, *STUBS, '--swap=LSTM', names=('LSTM',))
    self.assertIn('torch.nn.modules.linear.Linear', line)


if __name__ == '__main__':
  unittest.main()
