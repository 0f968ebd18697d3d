"""What `ns compare --emulate` tells of a server without VNNI."""

import csv
import io
import os
import unittest

import torch

import cli

torch.backends.quantized.engine = 'onednn'
PAIR = ('compare', '--float=saturating_float.pt',
        '--quantized=saturating_quantized.pt')
INPUTS = '--inputs=all_codes.pt'
AVX2 = '--emulate=fbgemm-avx2'


def load(name):
  return torch.jit.load(os.path.join(cli.CASES, name + '.pt'))


def count_saturated(codes, weight):
  """Sums that change when those of two products end at 16 bits."""
  products = codes.int()[:, None, :] * weight.int()[None, :, :]
  pairs = products[..., 0::2] + products[..., 1::2]
  clamped = pairs.clamp(-32768, 32767)
  return int((pairs.sum(-1) != clamped.sum(-1)).sum())


class EmulateTest(cli.CliTest):

  def names(self, result):
    return [(layer['name'], layer['float'], layer['quantized'])
            for layer in result['layers']]

  def test_counts_are_those_of_a_plain_loop(self):
    saturation = self.layers(*PAIR, INPUTS, AVX2)['first']['saturation']
    model = load('saturating_quantized')
    weight, _ = model.first._packed_params._packed_params.unpack()
    batches = torch.load(os.path.join(cli.CASES, 'all_codes.pt'))
    expected = 0
    for batch in batches:
      codes = torch.quantize_per_tensor(
          batch, float(model.first_input_scale_0),
          int(model.first_input_zero_point_0), torch.quint8)
      expected += count_saturated(codes.int_repr(), weight.int_repr())
    self.assertTrue(20 < expected < 268, expected)
    self.assertEqual(saturation['saturated'], expected)
    self.assertEqual(saturation['outputs'], 3 * 8 * 12)
    self.assertEqual(saturation['share'], expected / (3 * 8 * 12))

  def test_fields_of_a_layer(self):
    layers = self.layers(*PAIR, INPUTS, AVX2)
    self.assertEqual(
        list(layers['first']['saturation']),
        ['numerics', 'possible', 'channels', 'saturating_channels',
         'worst_pair_sum', 'outputs', 'saturated', 'share', 'sqnr_db',
         'cost_db', 'shadow_sqnr_db', 'shadow_cost_db'])
    first, second = (layers[name]['saturation'] for name in ('first', 'second'))
    self.assertEqual(first['numerics'], 'fbgemm-avx2')
    self.assertIs(first['possible'], True)
    self.assertGreater(first['cost_db'], 1)
    self.assertAlmostEqual(
        first['sqnr_db'] - first['cost_db'],
        layers['first']['activation']['sqnr_db'], 6)
    self.assertAlmostEqual(
        first['shadow_sqnr_db'] - first['shadow_cost_db'],
        layers['first']['shadow']['sqnr_db'], 6)
    self.assertIs(second['possible'], False)
    self.assertEqual(second['saturated'], 0)
    self.assertEqual(second['shadow_cost_db'], 0)
    self.assertNotIn('saturation', layers['x.quantize'])

  def test_layers_are_those_of_a_run_without_it(self):
    self.assertEqual(self.names(self.json(*PAIR, INPUTS, AVX2)),
                     self.names(self.json(*PAIR, INPUTS)))
    for name in ('net', 'branch', 'loop', 'encoder'):
      pair = ('compare', f'--float={name}_float.pt',
              f'--quantized={name}_quantized.pt',
              '--inputs=' + ('images.pt' if name == 'net' else 'rows.pt'))
      self.assertEqual(self.names(self.json(*pair, AVX2)),
                       self.names(self.json(*pair)))

  def test_without_the_flag_nothing_changes(self):
    result = self.json(*PAIR, INPUTS)
    self.assertNotIn('emulated', result)
    self.assertNotIn('not_emulated', result)
    self.assertFalse(any('saturation' in x for x in result['layers']))

  def test_others_have_exact_sums(self):
    for flag, numerics in (('emulate', 'fbgemm-vnni'), ('emulate', 'exact'),
                           ('numerics', 'exact')):
      layers = self.layers(*PAIR, INPUTS, f'--{flag}={numerics}')
      for name in ('first', 'second'):
        saturation = layers[name]['saturation']
        self.assertEqual(saturation['numerics'], numerics)
        self.assertIs(saturation['possible'], False)
        self.assertEqual((saturation['saturated'], saturation['cost_db']),
                         (0, 0))

  def test_without_inputs_weights_tell_what_is_possible(self):
    result = self.json(*PAIR, AVX2)
    self.assertEqual(result['emulated'], 'fbgemm-avx2')
    self.assertEqual(result['not_emulated'], [])
    layers = {layer['name']: layer for layer in result['layers']}
    self.assertEqual(list(layers['first']['saturation']),
                     ['numerics', 'possible', 'channels', 'saturating_channels',
                      'worst_pair_sum'])
    self.assertIs(layers['first']['saturation']['possible'], True)
    self.assertIs(layers['second']['saturation']['possible'], False)
    table, _ = self.succeed(*PAIR, AVX2)
    self.assertIn('fbgemm-avx2: sums can saturate in 1 layer:', table)

  def test_table_tells_what_saturates(self):
    table, _ = self.succeed(*PAIR, INPUTS, AVX2)
    self.assertRegex(table, r'fbgemm-avx2: sums saturate in 1 layer:\n'
                            r'  first \([0-9.]+ % of 288 outputs; costs '
                            r'[0-9.]+ dB by itself, [0-9.]+ dB with those')
    self.assertIn('  cannot: 1 layer\n', table)

  def test_csv_has_more_columns_at_the_end(self):
    def rows(*flags):
      text, _ = self.succeed(*PAIR, INPUTS, *flags, '--csv=-')
      return list(csv.reader(io.StringIO(text)))
    plain, emulated = rows(), rows(AVX2)
    self.assertEqual(emulated[0][:len(plain[0])], plain[0])
    self.assertEqual(emulated[0][len(plain[0]):],
                     ['emulated', 'saturation_possible', 'saturating_channels',
                      'worst_pair_sum', 'outputs', 'saturated',
                      'saturated_share', 'exact_sqnr_db', 'saturation_cost_db'])
    self.assertEqual({len(row) for row in emulated}, {len(emulated[0])})
    layer = self.layers(*PAIR, INPUTS, AVX2)['first']['saturation']
    for row in emulated:
      values = dict(zip(emulated[0], row))
      if (values['name'], values['kind']) == ('first', 'activation'):
        self.assertEqual(int(values['saturated']), layer['saturated'])
        self.assertEqual(float(values['saturation_cost_db']), layer['cost_db'])

  def test_wrong_usage(self):
    self.fail_with(2, *PAIR, '--emulate=avx2',
                   names=('--emulate=avx2', 'fbgemm-avx2', 'fbgemm-vnni'))
    self.fail_with(2, *PAIR, AVX2, '--numerics=exact',
                   names='--emulate is given twice')
    self.fail_with(2, *PAIR, INPUTS, AVX2, '--what=stubs', '--swap=Linear',
                   names=('--emulate', 'stubs'))

  def test_a_model_without_quantized_layers(self):
    self.fail_with(3, 'compare', '--float=net_float.pt',
                   '--quantized=net_perturbed.pt', AVX2,
                   names='no convolution or linear layer to emulate')


if __name__ == '__main__':
  unittest.main()
