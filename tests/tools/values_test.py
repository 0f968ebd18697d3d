"""The numbers of `ns compare` against those that Python computes in float64."""

import csv
import io
import json
import math
import os
import unittest

import torch

import cli

torch.backends.quantized.engine = 'onednn'


def load(name):
  return torch.jit.load(os.path.join(cli.CASES, name + '.pt'))


def batches(name):
  return torch.load(os.path.join(cli.CASES, name + '.pt'))


def figures(xs, ys):
  """Pooled over all pairs, from the definitions."""
  x = torch.cat([t.double().flatten() for t in xs])
  y = torch.cat([(t.dequantize() if t.is_quantized else t).double().flatten()
                 for t in ys])
  return {
      'sqnr_db': 20 * math.log10(float(x.norm() / (x - y).norm())),
      'normalized_l2': float((x - y).norm() / x.norm()),
      'cosine': float(x.dot(y) / (x.norm() * y.norm())),
      'max_abs_error': float((x - y).abs().max()),
      'mean_error': float((y - x).mean()),
      'bias_share': float((y - x).mean()**2 / (x - y).square().mean()),
  }


class ValuesTest(cli.CliTest):

  def assert_figures(self, actual, expected):
    for name, value in expected.items():
      self.assertAlmostEqual(actual[name], value,
                             delta=1e-4 * abs(value) + 1e-6,
                             msg=name)

  def pair(self, name, inputs):
    return self.layers('compare', f'--float={name}_float.pt',
                       f'--quantized={name}_quantized.pt',
                       f'--inputs={inputs}.pt')

  def test_weight_of_a_linear_layer(self):
    actual = self.pair('net', 'images')['fc']['weight'][0]
    weight, _ = load('net_quantized').fc._packed_params._packed_params.unpack()
    self.assert_figures(actual, figures([load('net_float').fc.weight.detach()],
                                        [weight]))

  def test_weight_of_a_convolution_has_its_batch_norm_folded_in(self):
    model = load('net_float')
    scale = model.bn.weight.double() / torch.sqrt(
        model.bn.running_var.double() + 1e-5)
    folded = model.conv.weight.double() * scale[:, None, None, None]
    weight, _ = load('net_quantized').conv._packed_params.unpack()
    self.assert_figures(self.pair('net', 'images')['conv']['weight'][0],
                        figures([folded.detach()], [weight]))

  def test_final_output_pooled_and_batch_by_batch(self):
    a, b = load('net_float'), load('net_quantized')
    with torch.no_grad():
      xs, ys = zip(*[(a(x), b(x)) for x in batches('images')])
    actual = self.pair('net', 'images')['fc']['activation']
    self.assert_figures(actual, figures(xs, ys))
    for value, x, y in zip(actual['batch_sqnr_db'], xs, ys):
      self.assertAlmostEqual(value, figures([x], [y])['sqnr_db'], 3)

  def test_a_layer_inside_the_float_model(self):
    a, b = load('net_float'), load('net_quantized')
    parameters = b.conv_input_scale_0, b.conv_input_zero_point_0
    xs, ys = [], []
    with torch.no_grad():
      for x in batches('images'):
        xs.append(a.relu(a.bn(a.conv(x))))
        ys.append(b.conv(torch.quantize_per_tensor(
            x, float(parameters[0]), int(parameters[1]), torch.quint8)))
    self.assert_figures(self.pair('net', 'images')['conv']['activation'],
                        figures(xs, ys))

  def test_the_quantized_input(self):
    b = load('net_quantized')
    xs = batches('images')
    ys = [torch.quantize_per_tensor(x, float(b.conv_input_scale_0),
                                    int(b.conv_input_zero_point_0),
                                    torch.quint8) for x in xs]
    self.assert_figures(self.pair('net', 'images')['x.quantize']['activation'],
                        figures(xs, ys))

  def test_the_sum_of_two_inputs(self):
    a, b = load('two_float'), load('two_quantized')
    with torch.no_grad():
      xs, ys = zip(*[(a(*pair), b(*pair)) for pair in batches('pairs')])
    self.assert_figures(self.pair('two', 'pairs')['add']['activation'],
                        figures(xs, ys))

  def test_the_first_output_of_a_dict_and_of_a_tuple(self):
    for name, key in (('dict', 'y'), ('tuple', 0)):
      a, b = load(name + '_float'), load(name + '_quantized')
      with torch.no_grad():
        xs, ys = zip(*[(a(x)[key], b(x)[key]) for x in batches('rows')])
      self.assert_figures(
          self.pair(name, 'rows')['inner.second']['activation'],
          figures(xs, ys))

  def test_trips_of_a_loop_are_told_apart_and_pooled(self):
    a, b = load('mlp_float'), load('mlp_quantized')
    trips = [([], []) for _ in range(3)]
    with torch.no_grad():
      for batch in batches('rows'):
        x = y = batch
        for xs, ys in trips:
          x, y = a(x), b(y)
          xs.append(x)
          ys.append(y)
    actual = self.pair('loop', 'rows')['inner.second']['activation']
    self.assertEqual(len(actual['trips']), 3)
    for value, (xs, ys) in zip(actual['trips'], trips):
      self.assertAlmostEqual(value, figures(xs, ys)['sqnr_db'], 3)
    self.assert_figures(actual, figures(
        sum((xs for xs, _ in trips), []), sum((ys for _, ys in trips), [])))

  def test_a_module_called_twice_has_two_layers(self):
    a, b = load('mlp_float'), load('mlp_quantized')
    with torch.no_grad():
      xs, ys = zip(*[(a(a(x)), b(b(x))) for x in batches('rows')])
    layers = self.pair('twice', 'rows')
    self.assert_figures(layers['inner.second@1']['activation'],
                        figures(xs, ys))
    self.assertEqual(layers['inner.second']['weight'],
                     layers['inner.second@1']['weight'])

  def test_frozen_models_give_the_same_numbers(self):
    named = self.pair('net', 'images')
    frozen = self.layers('compare', '--float=net_float_frozen.pt',
                         '--quantized=net_quantized.pt', '--inputs=images.pt')
    for name, layer in named.items():
      self.assertAlmostEqual(frozen[name]['activation']['sqnr_db'],
                             layer['activation']['sqnr_db'], 3)
      self.assertEqual(frozen[name]['float']['fqn'], layer['float']['fqn'])
    for name in ('conv', 'fc'):
      self.assertIs(frozen[name]['float']['fqn_inferred'], True)
      self.assertNotIn('fqn_inferred', frozen[name]['quantized'])

  def test_the_same_float_model_twice_is_exact(self):
    layers = self.layers('compare', '--float=net_float.pt',
                         '--quantized=net_float.pt', '--inputs=images.pt')
    self.assertLessEqual({'conv', 'bn', 'relu', 'fc'}, set(layers))
    for layer in layers.values():
      for value in [*layer.get('weight', []), layer['activation']]:
        self.assertEqual((value['sqnr_db'], value['normalized_l2'],
                          value['max_abs_error']), ('inf', 0, 0))

  def test_the_same_quantized_model_twice_is_exact(self):
    layers = self.layers('compare', '--float=net_quantized.pt',
                         '--quantized=net_quantized.pt', '--inputs=images.pt')
    for name in ('conv', 'flatten', 'fc'):
      for value in [*layers[name].get('weight', []),
                    layers[name]['activation']]:
        self.assertEqual(value['sqnr_db'], 'inf', name)

  def test_nan_is_not_hidden_by_other_batches(self):
    for name in ('nan', 'inf'):
      layers = self.pair('net', name)
      for layer in layers.values():
        self.assertEqual(layer['activation']['sqnr_db'], 'nan')
        first, second = layer['activation']['batch_sqnr_db']
        self.assertEqual(first, 'nan')
        self.assertGreater(second, 20)

  def test_nan_and_inf_in_the_inputs_are_said_and_blamed_on_nobody(self):
    for name, what in (('nan', 'NaN'), ('inf', 'infinity')):
      output, error = self.succeed(
          'compare', '--float=net_float.pt', '--quantized=net_quantized.pt',
          f'--inputs={name}.pt', f'--json={self.path("result.json")}')
      self.assertRegex(error, r"\Ans: warning: inputs hold " + what +
                       r": .*batch 0, argument 'x'; no culprit is named.*\n\Z")
      for words in ('worst', 'unexplained'):
        self.assertNotIn(words, output)
      with open(self.path('result.json'), encoding='utf-8') as file:
        result = json.load(file)
      self.assertNotIn('worst_offender', result)
      self.assertNotIn('first_unexplained_fall', result)

  def test_a_layer_of_zeros_is_exact_everywhere(self):
    result = self.json('compare', '--float=zeros_float.pt',
                       '--quantized=zeros_quantized.pt', '--inputs=rows.pt')
    layer = {x['name']: x for x in result['layers']}['second']
    weight = layer['weight'][0]
    for figures in (layer['activation'], layer['shadow'], weight):
      self.assertEqual((figures['sqnr_db'], figures['normalized_l2'],
                        figures['cosine'], figures['max_abs_error']),
                       ('inf', 0, 1, 0))
    self.assertEqual(layer['activation']['batch_sqnr_db'], ['inf'] * 3)
    self.assertEqual(layer['error']['accumulated_db'], 'inf')
    arguments = ('compare', '--float=zeros_float.pt',
                 '--quantized=zeros_quantized.pt', '--inputs=rows.pt')
    table, _ = self.succeed(*arguments)
    self.assertRegex(table, r'(?m)^second .* exact +exact +exact')
    rows, _ = self.succeed(*arguments, '--csv=-')
    for row in csv.DictReader(io.StringIO(rows)):
      if row['name'] == 'second' and row['kind'] != 'inherited':
        self.assertEqual((row['sqnr_db'], row['normalized_l2'], row['cosine']),
                         ('inf', '0.0', '1.0'), row['kind'])

  def test_nan_made_by_the_model_stays_in_its_layer(self):
    for name, op in (('log', 'log'), ('by_zero', 'div')):
      layers = self.pair(name, 'rows')
      self.assertEqual(layers[op]['activation']['sqnr_db'], 'nan')
      self.assertGreater(layers['inner.second']['activation']['sqnr_db'], 10)

  def test_an_empty_batch_is_nan_and_changes_no_sum(self):
    for layer in self.pair('net', 'no_rows').values():
      self.assertEqual(layer['activation']['shape'][0], 0)
      self.assertEqual(layer['activation']['sqnr_db'], 'nan')
    without = self.pair('net', 'images')
    for name, layer in self.pair('net', 'no_rows_between').items():
      self.assertEqual(layer['activation']['sqnr_db'],
                       without[name]['activation']['sqnr_db'])
      self.assertEqual(layer['activation']['batch_sqnr_db'][1], 'nan')

  def test_outliers_are_those_of_the_sorted_errors(self):
    folder = self.path('saved')
    arguments = (*cli.COMPARE, '--inputs=images.pt', '--exact')
    self.succeed(*arguments, '--quiet', f'--save-activations={folder}')
    layers = self.layers(*arguments, '--outliers')
    for layer in layers.values():
      for kind, name in (('activation', 'float'), ('shadow', 'shadow')):
        errors = []
        for batch in range(3):
          saved = torch.load(
              os.path.join(folder, layer['name'], f'batch_{batch:04}.pt'))
          y = saved['quantized']
          y = y.dequantize() if y.is_quantized else y
          errors.append((saved[name].double() - y.double()).abs().flatten())
        errors = torch.cat(errors).sort().values
        index = math.ceil(0.999 * len(errors)) - 1
        expected = float(errors[index])
        self.assertAlmostEqual(layer[kind]['abs_error_p999'], expected,
                               delta=expected / 30 + 1e-7)
        squares = errors.square()
        largest = squares[-math.ceil(0.001 * len(errors)):].sum()
        if squares.sum() > 0:
          self.assertAlmostEqual(layer[kind]['outlier_share'],
                                 float(largest / squares.sum()), delta=0.1)

  def test_histograms_are_of_the_values(self):
    folder = self.path('saved')
    arguments = (*cli.COMPARE, '--inputs=images.pt', '--exact')
    plain = self.layers(*arguments, '--quiet', f'--save-activations={folder}')
    self.assertNotIn('histograms', json.dumps(plain))
    layers = self.layers(*arguments, '--histograms')
    for layer in layers.values():
      saved = [torch.load(os.path.join(folder, layer['name'],
                                       f'batch_{batch:04}.pt'))
               for batch in range(3)]
      values = torch.cat([batch['float'].flatten() for batch in saved])
      histogram = layer['activation']['histograms']
      self.assertGreaterEqual(histogram['samples'],
                              min(len(values), 3 * 128))
      for key in ('float', 'quantized', 'error'):
        self.assertEqual(sum(histogram[key]['counts']), histogram['samples'])
      self.assertEqual(sum(map(sum, histogram['error_by_value']['counts'])),
                       histogram['samples'])
      if histogram['samples'] == len(values):
        bins = histogram['float']
        expected = torch.floor((values.double() - bins['lowest'])
                               / bins['width']).long()
        self.assertEqual(torch.bincount(expected).tolist(),
                         bins['counts'][:int(expected.max()) + 1])
      for weight in layer.get('weight', ()):
        self.assertEqual(len(weight['histograms']['float']['counts']), 100)
        self.assertEqual(weight['histograms']['samples'],
                         math.prod(weight['shape']))
    self.fail_with(2, *arguments, '--histograms', names=['--json'])

  def test_a_few_outliers_are_told_of_the_worst_offender(self):
    image = batches('images')[0]
    image[0, 0, 0, 0] = 1000  # far beyond what was seen in calibration
    inputs = self.path('outlier.pt')
    torch.save([image], inputs)
    table, _ = self.succeed(*cli.COMPARE, f'--inputs={inputs}', '--outliers')
    self.assertRegex(table, r'a few outliers +x\.quantize  the largest 0\.1 % of '
                            r'the errors make 100 % of the squared error')
    self.assertNotIn('a few outliers', self.succeed(
        *cli.COMPARE, '--inputs=images.pt', '--outliers')[0])
    text, _ = self.succeed(*cli.COMPARE, '--inputs=images.pt', '--outliers',
                           '--csv=-')
    rows = [row for row in csv.DictReader(io.StringIO(text))
            if row['kind'] in ('activation', 'shadow')]
    for row in rows:
      self.assertGreaterEqual(float(row['max_abs_error']) * 1.04,
                              float(row['abs_error_p999']))

  def test_every_channel_has_its_figure(self):
    layers = self.layers(*cli.COMPARE, '--inputs=images.pt', '--per-channel')
    activation = layers['conv']['activation']
    self.assertEqual(len(activation['channel_sqnr_db']), 8)
    for channel in activation['worst_channels']:
      self.assertEqual(activation['channel_sqnr_db'][channel['channel']],
                       channel['sqnr_db'])


if __name__ == '__main__':
  unittest.main()
