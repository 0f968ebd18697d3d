"""The JSON object has exactly the keys and types of the contract."""

import unittest

import cli

FIGURES = {'sqnr_db', 'normalized_l2', 'cosine', 'max_abs_error',
           'mean_error', 'bias_share'}
OPTIONAL_SIDE = {'fqn_inferred'}


class JsonSchemaTest(cli.CliTest):

  def check_number(self, value):
    if isinstance(value, str):
      self.assertIn(value, ('inf', '-inf', 'nan'))
    else:
      self.assertIsInstance(value, float)

  def check_figures(self, figures):
    for name in FIGURES:
      self.check_number(figures[name])
    if not isinstance(figures['cosine'], str):
      self.assertTrue(-1 <= figures['cosine'] <= 1, figures['cosine'])

  def check_shape(self, shape):
    self.assertIsInstance(shape, list)
    for size in shape:
      self.assertIsInstance(size, int)

  def check_side(self, side):
    self.assertEqual(set(side) - OPTIONAL_SIDE, {'fqn', 'op', 'subgraph'})
    self.assertIsInstance(side['fqn'], str)
    self.assertIsInstance(side['op'], str)
    self.assertIs(side.get('fqn_inferred', True), True)
    for op in side['subgraph']:
      self.assertRegex(op, r'^\w+::\w+$')

  def check_codes(self, codes, elements):
    self.assertEqual(list(codes), ['lowest', 'highest', 'unused'])
    self.assertTrue(0 <= codes['lowest'] + codes['highest'] <= elements)
    self.assertTrue(0 <= codes['unused'] <= 255)

  def check_values(self, activation):
    self.assertIsInstance(activation['elements'], int)
    for side in ('float', 'quantized'):
      # Without elements there is no range.
      if 'range' in activation:
        for value in activation['range'][side]:
          self.check_number(value)
      if 'non_finite' in activation:
        self.assertEqual(list(activation['non_finite'][side]), ['nan', 'inf'])
    if 'codes' in activation:
      self.check_codes(activation['codes'], activation['elements'])
    if 'channels' in activation:
      self.assertTrue(0 <= activation['channels_below_3db'] <=
                      activation['channels'])
      self.check_number(activation['median_channel_sqnr_db'])
      self.assertTrue(1 <= len(activation['channel_strip_db']) <= 16)
      for value in activation['channel_strip_db']:
        self.check_number(value)
    for channel in activation.get('worst_channels', []):
      self.assertEqual(list(channel), ['channel', 'sqnr_db'])
      self.check_number(channel['sqnr_db'])

  def check_activation(self, activation, batches):
    self.assertEqual(
        set(activation) - {'trips', 'range', 'non_finite', 'codes',
                           'worst_channels', 'channel_sqnr_db', 'channels',
                           'channel_strip_db',
                           'median_channel_sqnr_db', 'channels_below_3db',
                           'abs_error_p999', 'outlier_share'},
        FIGURES | {'shape', 'batch_sqnr_db', 'elements'})
    self.check_figures(activation)
    self.check_values(activation)
    self.check_shape(activation['shape'])
    self.assertLessEqual(len(activation['batch_sqnr_db']), batches)
    for value in activation['batch_sqnr_db'] + activation.get('trips', []):
      self.check_number(value)

  def check_breakdown(self, layer):
    self.assertEqual('inherited' in layer,
                     {'activation', 'shadow'} <= set(layer))
    self.assertEqual('error' in layer, 'inherited' in layer)
    if 'inherited' not in layer:
      return
    self.assertEqual(set(layer['inherited']), FIGURES)
    self.check_figures(layer['inherited'])
    error = layer['error']
    self.assertEqual(list(error)[:3],
                     ['accumulated_db', 'local_db', 'inherited_db'])
    self.assertEqual(error['accumulated_db'], layer['activation']['sqnr_db'])
    self.assertEqual(error['local_db'], layer['shadow']['sqnr_db'])
    self.assertIn(error.get('dominated_by', 'both'),
                  ('local', 'inherited', 'both'))

  def check_outputs(self, layer, batches):
    indices = [0]
    for output in layer.get('outputs', []):
      self.assertEqual(list(output),
                       ['index', 'name', 'activation', 'shadow', 'inherited'])
      self.assertIsInstance(output['index'], int)
      self.assertTrue(output['name'])
      indices.append(output['index'])
      for kind in ('activation', 'shadow'):
        self.check_activation(output[kind], batches)
      self.assertEqual(set(output['inherited']), FIGURES)
      self.check_figures(output['inherited'])
    self.assertEqual(indices, sorted(set(indices)))
    self.assertNotEqual(layer.get('outputs'), [])
    self.assertLessEqual('outputs' in layer, 'output' in layer)

  def check_parameters(self, layer):
    if 'bias' in layer:
      self.assertEqual(list(layer['bias']), ['mean_squared_error', 'missing'])
      self.assertGreaterEqual(layer['bias']['mean_squared_error'], 0)
      self.assertIsInstance(layer['bias']['missing'], bool)
    if 'qparams' in layer:
      self.assertEqual(list(layer['qparams']), ['scale', 'zero_point'])
      self.assertGreater(layer['qparams']['scale'], 0)
      self.assertIsInstance(layer['qparams']['zero_point'], int)

  def check_source(self, source):
    self.assertLessEqual(set(source), {'float', 'quantized'})
    for line in source.values():
      self.assertEqual(list(line), ['file', 'line'])
      self.assertTrue(line['file'])
      self.assertGreater(line['line'], 0)

  def check_coverage(self, coverage, layers):
    self.assertEqual([key for key in coverage if key != 'int8_macs_share'],
                     ['int8_layers', 'float_layers', 'stayed_float',
                      'cancelling_pairs', 'packs_at_run_time'])
    self.assertEqual(coverage['int8_layers'] + coverage['float_layers'],
                     sum('runs_in' in layer for layer in layers))
    self.assertTrue(0 <= coverage.get('int8_macs_share', 0) <= 1)
    for layer in coverage['stayed_float']:
      self.assertEqual(list(layer), ['name', 'op', 'reason'])
      self.assertTrue(layer['reason'])
    for pair in coverage['cancelling_pairs']:
      self.assertEqual(list(pair), ['dequantize', 'quantize'])

  def check_verdict(self, verdict, names):
    self.assertEqual([key for key in verdict
                      if key not in ('layer', 'culprits', 'explained_share',
                                     'cure')], ['kind', 'cause', 'sentences'])
    self.assertEqual(verdict['cause'], verdict['kind'])
    self.assertEqual(verdict.get('culprits', [None])[0], verdict.get('layer'))
    of_model = verdict['kind'] in ('reduced-range', 'training-mode',
                                   'rescaled') or (
        verdict['kind'] == 'axis-order' and 'layer' not in verdict)
    self.assertEqual('cure' in verdict, 'layer' in verdict or of_model)
    if 'cure' in verdict:
      self.assertTrue(verdict['cure']['sentence'])
      self.assertTrue(verdict['cure'].get('command', 'ns ').startswith('ns '))
    self.assertEqual('layer' in verdict,
                     verdict['kind'] != 'none' and not of_model)
    self.assertIn(verdict.get('layer', names[0]), names)
    self.assertIn(verdict['kind'],
                  ('none', 'non-finite', 'swapped', 'bias', 'weight',
                   'clipping', 'range', 'rounding', 'kernel', 'saturation',
                   'unpaired', 'never-calibrated', 'unbalanced-inputs',
                   'outlier-channel', 'dead-channels', 'axis-order',
                   'coarse-squares',
                   'shared-scale', 'shared-weight',
                   'input-mismatch', 'unexplained', 'reduced-range',
                   'training-mode', 'rescaled', 'recurrent-state'))
    self.assertIn(len(verdict['sentences']), (1, 2, 3, 4))

  def check_second_data(self, result):
    data, shift = result['second_data'], result['data_shift']
    self.assertEqual(list(data), ['inputs', 'batches', 'outputs_of_model'])
    self.assertLessEqual({'sentence', 'layers'}, set(shift))
    for layer in shift['layers']:
      self.assertEqual(list(layer), ['name', 'beyond', 'width',
                                     'clipped_on_first', 'clipped_on_second'])
    for layer in result['layers']:
      self.check_activation(layer['second_data'], data['batches'])

  def check_task(self, result):
    if 'agreement' in result:
      agreement = result['agreement']
      self.assertEqual([key for key in agreement if key != 'top5'],
                       ['samples', 'classes', 'flipped', 'top1',
                        'float_confidence', 'quantized_confidence',
                        'confidence_drift'])
      self.assertEqual('top5' in agreement, agreement['classes'] > 5)
      for key in ('samples', 'classes', 'flipped'):
        self.assertIsInstance(agreement[key], int)
      self.assertLessEqual(agreement['top1'], agreement.get('top5', 1))
      self.check_number(agreement['confidence_drift'])
    for score in result.get('scores', []):
      self.assertEqual(list(score), ['name', 'float', 'quantized',
                                     'difference'])
    if 'samples' in result:
      self.assertEqual(list(result['samples']), ['chosen', 'samples', 'total'])

  def check(self, result):
    self.assertEqual([key for key in result
                      if key not in ('worst_offender', 'no_reference',
                                     'first_unexplained_fall', 'emulated',
                                     'not_emulated', 'verdict', 'inputs',
                                     'outputs_of_model',
                                     'coverage', 'agreement', 'scores',
                                     'samples', 'second_data',
                                     'data_shift')],
                     ['schema', 'float', 'quantized', 'matching', 'batches',
                      'layers', 'unmatched', 'not_shadowed'])
    self.assertEqual(result['schema'], 'ns.compare/1')
    self.assertIn(result['matching'], ('aligned', 'strict'))
    self.assertIsInstance(result['batches'], int)
    names = [layer['name'] for layer in result['layers']]
    self.assertEqual(len(names), len(set(names)), names)
    for layer in result['layers']:
      self.assertLessEqual({'name', 'float', 'quantized'}, set(layer))
      self.assertLessEqual(set(layer), {'name', 'float', 'quantized', 'output',
                                        'weight', 'activation', 'shadow',
                                        'inherited', 'kernel', 'error',
                                        'output_share',
                                        'outputs', 'saturation', 'bias',
                                        'has_weight_of', 'qparams', 'source',
                                        'runs_in', 'second_data', 'in_float',
                                        'tried_changes'})
      self.check_parameters(layer)
      self.check_source(layer.get('source', {}))
      self.assertIn(layer.get('runs_in', 'float'),
                    ('int8', 'int8 weights', 'float16 weights', 'float'))
      self.check_breakdown(layer)
      self.assertTrue(layer['name'])
      self.check_side(layer['float'])
      self.check_side(layer['quantized'])
      self.assertIn(layer['quantized']['op'], layer['quantized']['subgraph'])
      for weight in layer.get('weight', []):
        self.assertEqual(set(weight), FIGURES | {'name', 'shape'})
        self.check_figures(weight)
        self.check_shape(weight['shape'])
      for kind in {'activation', 'shadow', 'kernel'} & set(layer):
        self.check_activation(layer[kind], result['batches'])
      self.check_outputs(layer, result['batches'])
    for node in result['unmatched']:
      self.assertEqual(list(node), ['model', 'fqn', 'op', 'reason'])
      self.assertIn(node['model'], ('float', 'quantized'))
      self.assertTrue(node['reason'])
    self.assertEqual(result['not_shadowed'], [])
    self.check_task(result)
    if 'second_data' in result:
      self.check_second_data(result)
    if 'coverage' in result:
      self.check_coverage(result['coverage'], result['layers'])
    if 'verdict' in result:
      self.check_verdict(result['verdict'], names)

  def test_every_pair_of_models_follows_the_schema(self):
    for name, inputs in (('net', 'images'), ('mlp', 'rows'), ('two', 'pairs'),
                         ('log', 'rows'), ('by_zero', 'rows'),
                         ('unknown_op', 'rows'), ('dict', 'rows'),
                         ('tuple', 'rows'), ('twice', 'rows'),
                         ('loop', 'rows'), ('branch', 'rows'),
                         ('lstm', 'sequences')):
      with self.subTest(name):
        self.check(self.json(
            'compare', f'--float={name}_float.pt',
            f'--quantized={name}_quantized.pt', f'--inputs={inputs}.pt'))

  def test_a_second_data_set_and_measured_gains_follow_it(self):
    result = self.json(*cli.COMPARE, '--inputs=images.pt', '--suggest',
                       '--inputs-b=more_images.pt')
    self.check(result)
    self.assertIn('second_data', result)
    gains = [layer['in_float'] for layer in result['layers']
             if 'in_float' in layer]
    self.assertTrue(gains)
    for gain in gains:
      self.assertEqual(list(gain),
                       ['output', 'before_db', 'after_db', 'gain_db'])

  def test_the_same_model_twice_follows_the_schema(self):
    for name in ('net_float', 'net_quantized'):
      self.check(self.json('compare', f'--float={name}.pt',
                           f'--quantized={name}.pt', '--inputs=images.pt'))

  def test_results_without_inputs_and_matches_follow_it_too(self):
    self.check(self.json(*cli.COMPARE))
    self.check(self.json('match', *cli.COMPARE[1:]))

  def test_an_lstm_has_three_outputs(self):
    result = self.json('compare', '--float=lstm_float.pt',
                       '--quantized=lstm_quantized.pt',
                       '--inputs=sequences.pt')
    lstm, = [layer for layer in result['layers'] if layer['name'] == 'lstm']
    self.assertEqual(lstm['output'], 'output')
    self.assertEqual([(o['index'], o['name']) for o in lstm['outputs']],
                     [(1, 'h_n'), (2, 'c_n')])
    self.assertEqual(lstm['outputs'][1]['activation']['shape'], [1, 3, 5])

  def test_kernels_and_channels_follow_it_too(self):
    result = self.json(*cli.COMPARE, '--inputs=images.pt', '--per-channel',
                       '--what=activations,kernel')
    self.check(result)
    self.assertEqual(result['no_reference'], [])
    by_name = {layer['name']: layer for layer in result['layers']}
    # A kernel errs by single steps, in few places.
    self.assertNotIn('kernel', by_name['x.quantize'])
    for name in ('conv', 'fc'):
      sqnr_db = by_name[name]['kernel']['sqnr_db']
      self.assertGreater(float(sqnr_db), 50)
    worst = by_name['conv']['activation']['worst_channels']
    self.assertEqual(len(worst), 8)
    self.assertEqual(sorted(channel['channel'] for channel in worst),
                     list(range(8)))
    figures = [float(channel['sqnr_db']) for channel in worst]
    self.assertEqual(figures, sorted(figures))

  def test_some_samples_follow_it_too(self):
    result = self.json(*cli.COMPARE, '--inputs=images.pt', '--samples=worst:2')
    self.check(result)
    self.assertEqual(result['samples']['chosen'], 'worst:2')
    self.assertEqual(result['agreement']['samples'], 2)

  def test_strange_inputs_follow_it_too(self):
    for name in ('nan', 'inf', 'zeros', 'no_rows'):
      with self.subTest(name):
        self.check(self.json(*cli.COMPARE, f'--inputs={name}.pt'))

  def test_frozen_models_follow_it_too(self):
    for a in ('net_float', 'net_float_frozen'):
      self.check(self.json('compare', f'--float={a}.pt',
                           '--quantized=net_quantized_frozen.pt'))

  def test_the_layers_of_a_small_net_are_these(self):
    result = self.json(*cli.COMPARE, '--inputs=images.pt')
    self.assertEqual(result['float'], 'net_float.pt')
    self.assertEqual(result['quantized'], 'net_quantized.pt')
    self.assertEqual((result['matching'], result['batches']), ('aligned', 3))
    self.assertEqual([layer['name'] for layer in result['layers']],
                     ['x.quantize', 'conv', 'flatten', 'fc'])
    conv = result['layers'][1]
    self.assertEqual(conv['float'], {
        'fqn': 'conv', 'op': 'aten::conv2d',
        'subgraph': ['aten::conv2d', 'aten::batch_norm', 'aten::relu']})
    self.assertEqual(conv['quantized'], {
        'fqn': 'conv', 'op': 'quantized::conv2d_relu',
        'subgraph': ['quantized::conv2d_relu']})
    self.assertEqual(conv['weight'][0]['name'], 'weight')
    self.assertEqual(conv['weight'][0]['shape'], [8, 3, 3, 3])
    self.assertEqual(conv['activation']['shape'], [2, 8, 8, 8])
    self.assertEqual(result['unmatched'], [])


class QuantizeSchemaTest(cli.CliTest):
  """ns.quantize/1."""

  def check_value(self, value):
    self.assertEqual([key for key in value if key != 'headroom'],
                     ['scale', 'zero_point', 'min', 'max'])
    self.assertGreater(value.get('headroom', 1), 0)
    self.assertIsInstance(value['zero_point'], int)
    for key in ('scale', 'min', 'max'):
      self.assertIsInstance(value[key], float)

  def check_layer(self, layer):
    optional = ('output', 'weight', 'activation_bits', 'weight_bits')
    self.assertEqual([key for key in layer if key not in optional],
                     ['name', 'op', 'qconfig', 'rule', 'inputs'])
    for key in ('activation_bits', 'weight_bits'):
      self.assertIn(layer.get(key, 8), range(2, 9), key)
    for key in ('name', 'qconfig', 'rule'):
      self.assertTrue(layer[key])
    self.assertRegex(layer['op'], r'^\w+::\w+$')
    for value in layer['inputs']:
      self.check_value(value)
    if 'output' in layer:
      self.check_value(layer['output'])
    if 'weight' in layer:
      self.assertEqual(list(layer['weight']), ['scheme', 'scales'])
      self.assertRegex(layer['weight']['scheme'], r'^per_(tensor|channel)_')
      self.assertTrue(layer['weight']['scales'])
      for scale in layer['weight']['scales']:
        self.assertIsInstance(scale, float)

  def check(self, result):
    self.assertEqual([key for key in result
                      if key not in ('output_sqnr_db', 'advice', 'headroom')],
                     ['schema', 'float', 'out', 'mode', 'backend', 'batches',
                      'layers', 'stayed_float', 'tried', 'unused_rules',
                      'warnings'])
    for line in result.get('advice', ['--flag: none']):
      self.assertRegex(line, r'^--[a-z]+(=[a-z0-9-]+)?\b')
    self.assertEqual(result['schema'], 'ns.quantize/1')
    names = [one['name'] for one in result['layers'] + result['stayed_float']]
    self.assertEqual(len(names), len(set(names)), names)
    for layer in result['layers']:
      self.check_layer(layer)
    for layer in result['stayed_float']:
      self.assertEqual(list(layer), ['name', 'op', 'reason'])
      self.assertTrue(layer['reason'])
    for tried in result['tried']:
      self.assertEqual([key for key in tried if key != 'reason'],
                       ['layer', 'method', 'sqnr_db_without', 'sqnr_db_with',
                        'kept'])
      self.assertEqual('reason' in tried, not tried['kept'])
      self.assertIn(tried['layer'], names)
      self.assertIsInstance(tried['kept'], bool)
    if 'headroom' in result:
      self.assertEqual(list(result['headroom']),
                       ['factor', 'batch', 'sqnr_db_without', 'sqnr_db_with',
                        'kept'])
    for text in result['unused_rules'] + result['warnings']:
      self.assertIsInstance(text, str)
    self.assertEqual('output_sqnr_db' in result, result['batches'] > 0)
    for output in result.get('output_sqnr_db', []):
      self.assertEqual([key for key in output if key not in
                        ('channels', 'channels_below_3db')],
                       ['name', 'sqnr_db'])
      if isinstance(output['sqnr_db'], str):
        self.assertIn(output['sqnr_db'], ('inf', '-inf', 'nan'))
      else:
        self.assertIsInstance(output['sqnr_db'], float)

  def test_every_model_follows_it(self):
    out = f'--out={self.path("q.pt")}'
    for name, inputs in (('net', 'images'), ('mlp', 'rows'), ('two', 'pairs'),
                         ('log', 'rows'), ('by_zero', 'rows'),
                         ('unknown_op', 'rows'), ('dict', 'rows'),
                         ('tuple', 'rows'), ('twice', 'rows'),
                         ('loop', 'rows'), ('branch', 'rows'),
                         ('lstm', 'sequences')):
      with self.subTest(name):
        model = f'--float={name}_float.pt'
        self.check(self.json('quantize', model, f'--inputs={inputs}.pt', out))
        self.check(self.json('quantize', model, '--mode=dynamic', out))


if __name__ == '__main__':
  unittest.main()
