"""`ns compare` of state_dicts, held to torch.ao.ns._numeric_suite."""

import os
import unittest

import torch
from torch.ao.ns import _numeric_suite as suite

import cli

PAIRS = ('net', 'recurrent')


def files(name):
  return (f'--float={name}_float_state.pt',
          f'--quantized={name}_quantized_state.pt')


def load(name):
  return torch.load(os.path.join(cli.CASES, name + '.pt'))


def sqnr(x, y):
  x, y = x.double(), y.dequantize().double()
  return float(20 * torch.log10(x.norm() / (x - y).norm()))


class StateDictTest(cli.CliTest):

  def test_weights_have_the_figures_of_the_reference(self):
    compared = 0
    for name in PAIRS:
      layers = self.layers('compare', *files(name))
      answers = suite.compare_weights(load(name + '_float_state'),
                                      load(name + '_quantized_state'))
      self.assertTrue(answers)
      for key, pair in answers.items():
        path = key.split('._packed_params')[0].split('._all_weight')[0]
        path = path.removesuffix('.weight')
        # The reference keeps the last weight of a recurrent layer's cell.
        cell = int(key.split('.')[-2]) if key.endswith('.param') else 0
        index = 2 * cell + 1 if key.endswith('.param') else 0
        with self.subTest(f'{name} {key}'):
          figure = layers[path]['weight'][index]['sqnr_db']
          expected = sqnr(pair['float'], pair['quantized'])
          if expected == float('inf'):
            self.assertEqual(figure, 'inf')
          else:
            self.assertAlmostEqual(figure, expected, 3)
          compared += 1
    self.assertGreaterEqual(compared, 5)

  def test_all_weights_of_recurrent_layers_are_there(self):
    layers = self.layers('compare', *files('recurrent'))
    self.assertEqual(list(layers), ['embedding', 'lstm', 'cell', 'out'])
    self.assertEqual([weight['name'] for weight in layers['lstm']['weight']],
                     [f'weight_{kind}_l0{suffix}' for suffix in ('', '_reverse')
                      for kind in ('ih', 'hh')])
    self.assertEqual([weight['name'] for weight in layers['cell']['weight']],
                     ['weight_ih', 'weight_hh'])
    self.assertEqual(layers['embedding']['weight'][0]['sqnr_db'], 'inf')

  def test_layers_have_no_ops_and_no_batches(self):
    result = self.json('compare', *files('net'), '--what=weights')
    self.assertEqual((result['matching'], result['batches']), ('keys', 0))
    self.assertEqual(result['float'], 'net_float_state.pt')
    self.assertEqual([layer['name'] for layer in result['layers']],
                     ['conv', 'fc'])
    conv = result['layers'][0]
    self.assertEqual(conv['float'],
                     {'fqn': 'conv.0', 'op': '', 'subgraph': []})
    self.assertEqual(conv['quantized'],
                     {'fqn': 'conv', 'op': '', 'subgraph': []})

  def test_the_table_lists_weights_without_a_counterpart(self):
    output, error = self.succeed('compare', '--float=state_dict.pt',
                                 '--quantized=net_quantized_state.pt')
    self.assertEqual(error, '')
    self.assertRegex(output, r'(?m)^fc +- +\d\d\.\d')
    self.assertIn('layers matched (keys)', output)
    self.assertRegex(output, r'(?m)^    float +bn\.weight$')

  def test_flags_of_torchscript_are_wrong_usage(self):
    for flag in ('--matching=strict', '--relate=aten::relu=aten::relu',
                 '--names=float', '--emulate=fbgemm-avx2',
                 '--unmatchable=Linear'):
      self.fail_with(2, 'compare', *files('net'), flag,
                     names=flag.split('=')[0])

  def test_flags_of_running_are_wrong_usage(self):
    for flag in ('--inputs=images.pt', '--max-batches=1', '--engine=onednn'):
      self.fail_with(2, 'compare', *files('net'), '--what=weights', flag,
                     names=flag.split('=')[0])

  def test_weights_have_histograms_where_asked_for(self):
    for layer in self.layers('compare', *files('net')).values():
      self.assertNotIn('histograms', layer['weight'][0])
    layers = self.layers('compare', *files('net'), '--histograms')
    state = load('net_float_state')
    for name, key in (('conv', 'conv.0.weight'), ('fc', 'fc.weight')):
      histograms = layers[name]['weight'][0]['histograms']
      self.assertEqual(histograms['samples'], state[key].numel())

  def test_nothing_but_weights_can_be_compared(self):
    self.fail_with(3, 'compare', *files('net'), '--inputs=images.pt',
                   names=('net_float_state.pt', 'state_dict'))

  def test_unrelated_dicts_are_refused(self):
    self.fail_with(3, 'compare', '--float=net_float_state.pt',
                   '--quantized=recurrent_quantized_state.pt',
                   names=('net_float_state.pt', 'recurrent_quantized_state.pt',
                          'no weights in common'))

  def test_a_state_dict_and_a_model_are_not_compared(self):
    self.fail_with(3, 'compare', '--float=net_float_state.pt',
                   '--quantized=net_quantized.pt', names='net_float_state.pt')
    self.fail_with(3, 'compare', '--float=net_float.pt',
                   '--quantized=net_quantized_state.pt',
                   names='net_quantized_state.pt')


if __name__ == '__main__':
  unittest.main()
