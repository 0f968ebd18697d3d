"""What the flags of `ns compare` change."""

import csv
import io
import json
import os
import unittest

import cli

WITH_INPUTS = (*cli.COMPARE, '--inputs=images.pt')


class CompareTest(cli.CliTest):

  def figures(self, layers):
    """Which figures any layer has."""
    return {key for layer in layers.values() for key in layer} & {
        'weight', 'activation', 'shadow'}

  def test_a_shadow_that_fails_is_listed_and_the_rest_is_compared(self):
    result = self.json('compare', '--float=splits_float.pt',
                       '--quantized=splits_quantized.pt', '--inputs=rows.pt')
    layers = {layer['name']: layer for layer in result['layers']}
    self.assertEqual([layer['name'] for layer in result['not_shadowed']],
                     ['split'])
    self.assertIn('fails on values of the quantized model: split_with_sizes',
                  result['not_shadowed'][0]['reason'])
    self.assertEqual(len(layers['inner.first']['shadow']['batch_sqnr_db']),
                     result['batches'])
    self.assertNotIn('shadow', layers['split'])

  def test_what_is_forked_is_compared(self):
    layers = self.layers('compare', '--float=forks_float.pt',
                         '--quantized=forks_quantized.pt', '--inputs=rows.pt')
    first = layers['inner.first']
    self.assertIn('weight', first)
    self.assertIn('shadow', first)
    self.assertGreater(len(first['activation']['trips']), 1)

  def test_weights_alone_without_inputs(self):
    self.assertEqual(self.figures(self.layers(*cli.COMPARE)), {'weight'})

  def test_all_three_with_inputs(self):
    self.assertEqual(self.figures(self.layers(*WITH_INPUTS)),
                     {'weight', 'activation', 'shadow'})

  def test_what_selects_the_figures(self):
    for what in ({'weight'}, {'activation'}, {'shadow'},
                 {'activation', 'weight'}, {'shadow', 'weight'}):
      flag = '--what=' + ','.join(sorted(name + 's' for name in what))
      self.assertEqual(self.figures(self.layers(*WITH_INPUTS, flag)), what)

  def test_max_batches_stops_early(self):
    all_batches = self.json(*WITH_INPUTS)
    for n, expected in ((1, 1), (2, 2), (3, 3), (99, 3)):
      result = self.json(*WITH_INPUTS, f'--max-batches={n}')
      self.assertEqual(result['batches'], expected)
      for some, every in zip(result['layers'], all_batches['layers']):
        self.assertEqual(some['activation']['batch_sqnr_db'],
                         every['activation']['batch_sqnr_db'][:expected])

  def test_several_input_files_are_read_in_order(self):
    def batch_sqnr(inputs, *flags):
      layer = self.layers(*cli.COMPARE, '--inputs=' + inputs, *flags)['fc']
      return layer['activation']['batch_sqnr_db']
    a, b = batch_sqnr('images.pt'), batch_sqnr('more_images.pt')
    self.assertEqual(batch_sqnr('images.pt,more_images.pt'), a + b)
    self.assertEqual(batch_sqnr('more_images.pt,images.pt'), b + a)
    self.assertEqual(
        batch_sqnr('images.pt,more_images.pt', '--max-batches=4'), a + b[:1])

  def test_kinds_of_batches_that_hold_the_same_agree(self):
    expected = self.layers(*WITH_INPUTS)
    for name in ('keyword', 'strided', 'channels_last'):
      layers = self.layers(*cli.COMPARE, f'--inputs={name}.pt')
      for layer, values in expected.items():
        self.assertAlmostEqual(layers[layer]['activation']['sqnr_db'],
                               values['activation']['sqnr_db'], 4, name)
    two = ('compare', '--float=two_float.pt', '--quantized=two_quantized.pt')
    self.assertEqual(self.layers(*two, '--inputs=pairs.pt'),
                     self.layers(*two, '--inputs=pair_keywords.pt'))

  def test_a_tensor_alone_is_one_batch(self):
    self.assertEqual(
        self.json(*cli.COMPARE, '--inputs=one_image.pt')['batches'], 1)

  def test_json_and_csv_tell_the_same(self):
    paths = [self.path('a.json'), self.path('a.csv')]
    self.succeed(*WITH_INPUTS, f'--json={paths[0]}', f'--csv={paths[1]}',
                 '--quiet')
    self.assertEqual(sorted(os.listdir(self.folder)), ['a.csv', 'a.json'])
    with open(paths[0], encoding='utf-8') as file:
      layers = json.load(file)['layers']
    with open(paths[1], encoding='utf-8', newline='') as file:
      rows = list(csv.DictReader(file))
    expected = []
    for layer in layers:
      expected += [(layer['name'], 'weight', w['sqnr_db'])
                   for w in layer.get('weight', [])]
      expected += [(layer['name'], kind, float(layer[kind]['sqnr_db']))
                   for kind in ('activation', 'shadow', 'inherited')]
    self.assertEqual([(row['name'], row['kind'], float(row['sqnr_db']))
                      for row in rows], expected)
    self.assertEqual({row['batches'] for row in rows}, {'', '3'})

  def test_a_dash_is_standard_output_without_the_table(self):
    output, error = self.succeed(*WITH_INPUTS, '--csv=-')
    rows = list(csv.reader(io.StringIO(output)))
    self.assertEqual({len(row) for row in rows}, {33})
    self.assertEqual(error, '')
    self.assertEqual(json.loads(self.succeed(*WITH_INPUTS, '--json=-')[0]),
                     self.json(*WITH_INPUTS))

  def test_quiet_prints_nothing(self):
    self.assertEqual(self.succeed(*WITH_INPUTS, '--quiet'), ('', ''))

  def test_quiet_still_writes_to_a_dash(self):
    self.assertEqual(self.succeed(*WITH_INPUTS, '--quiet', '--json=-'),
                     self.succeed(*WITH_INPUTS, '--json=-'))

  def test_shadows_do_not_depend_on_what_else_is_asked(self):
    together = self.layers(*WITH_INPUTS)
    for name, layer in self.layers(*WITH_INPUTS, '--what=shadows').items():
      self.assertEqual(layer['shadow'], together[name]['shadow'])

  def test_a_shadow_is_the_float_layer_on_the_quantized_models_input(self):
    layers = self.layers(*WITH_INPUTS, '--what=activations,shadows')
    # The first row quantizes the input, which both models are given.
    first = layers['x.quantize']
    self.assertEqual(first['shadow'], first['activation'])
    # Flattening changes no number: no error of its own.
    self.assertEqual(layers['flatten']['shadow']['sqnr_db'], 'inf')
    self.assertNotEqual(layers['flatten']['activation']['sqnr_db'], 'inf')

  def rows(self, *flags):
    """Layers in the order of the table."""
    output, _ = self.succeed(*WITH_INPUTS, *flags)
    body = output.split('─\n')[1].split('\n\n')[0]
    return [line.split()[0] for line in body.splitlines()]

  def test_rows_are_in_order_of_execution(self):
    names = ['x.quantize', 'conv', 'flatten', 'fc']
    self.assertEqual(self.rows(), names)
    self.assertEqual(self.rows('--sort=graph'), names)

  def test_sorting_by_error_puts_the_worst_first(self):
    layers = self.layers(*WITH_INPUTS)
    order = sorted(layers, key=lambda n: layers[n]['activation']['sqnr_db'])
    self.assertEqual(self.rows('--sort=error'), order)

  def test_sorting_leaves_the_json_alone(self):
    self.assertEqual(self.json(*WITH_INPUTS, '--sort=error'),
                     self.json(*WITH_INPUTS))

  def test_threads_do_not_change_quantized_results(self):
    one = self.layers(*WITH_INPUTS, '--threads=1')
    for name, layer in self.layers(*WITH_INPUTS, '--threads=2').items():
      self.assertAlmostEqual(layer['activation']['sqnr_db'],
                             one[name]['activation']['sqnr_db'], 4)

  def test_both_engines_run_the_model(self):
    default = self.layers(*WITH_INPUTS)
    self.assertEqual(self.layers(*WITH_INPUTS, '--engine=onednn'), default)
    for name, layer in self.layers(*WITH_INPUTS, '--engine=qnnpack').items():
      # Engines lay weights out differently: sums round differently.
      for ours, theirs in zip(layer.get('weight', []),
                              default[name].get('weight', []), strict=True):
        self.assertAlmostEqual(ours['sqnr_db'], theirs['sqnr_db'], 5)
      self.assertGreater(layer['activation']['sqnr_db'], 25)

  def test_strict_matching_is_named_in_the_result(self):
    result = self.json(*WITH_INPUTS, '--matching=strict')
    self.assertEqual(result['matching'], 'strict')
    self.assertIn('fc', [layer['name'] for layer in result['layers']])

  def test_relative_paths_are_the_callers_under_bazel_run(self):
    env = cli.environment(BUILD_WORKING_DIRECTORY=cli.CASES)
    path = self.path('a.json')
    self.succeed(*WITH_INPUTS, f'--json={path}', cwd='/', env=env)
    env = cli.environment(BUILD_WORKING_DIRECTORY=self.folder)
    self.succeed('compare', f'--float={cli.CASES}/net_float.pt',
                 f'--quantized={cli.CASES}/net_quantized.pt', '--json=b.json',
                 cwd='/', env=env)
    self.assertEqual(sorted(os.listdir(self.folder)), ['a.json', 'b.json'])

  def test_the_same_call_twice_writes_the_same_bytes(self):
    for flag in ('--json=-', '--csv=-', '--sort=graph'):
      self.assertEqual(self.succeed(*WITH_INPUTS, flag, '--threads=1'),
                       self.succeed(*WITH_INPUTS, flag, '--threads=1'))

  def test_a_model_without_quantized_ops_is_compared_with_a_warning(self):
    output, error = self.succeed('compare', '--float=net_float.pt',
                                 '--quantized=net_perturbed.pt', '--json=-')
    layers = {layer['name']: layer for layer in json.loads(output)['layers']}
    self.assertEqual(error,
                     'ns: warning: the quantized model has no quantized op\n')
    self.assertEqual(layers['conv']['weight'][0]['sqnr_db'], 'inf')
    self.assertLess(layers['fc']['weight'][0]['sqnr_db'], 20)

  def test_branches_that_differ_are_warned_of(self):
    output, error = self.succeed(
        'compare', '--float=branch_float.pt',
        '--quantized=branch_quantized.pt', '--inputs=rows.pt', '--json=-')
    layers = {layer['name']: layer for layer in json.loads(output)['layers']}
    for name in ('high.first', 'high.second'):
      self.assertNotIn('activation', layers[name])
      self.assertIn('weight', layers[name])
      self.assertRegex(error, f'(?m)^ns: warning: {name}: .*control flow')
    self.assertIn('activation', layers['inner.second'])

  def test_another_method_can_be_compared(self):
    encoder = ('compare', '--float=encoder_float.pt', '--inputs=rows.pt',
               '--quantized=encoder_quantized.pt')
    forward = self.layers(*encoder)
    encode = self.layers(*encoder, '--method=encode')
    self.assertIn('sigmoid', forward)
    self.assertNotIn('sigmoid', encode)
    self.assertIn('mul', encode)


if __name__ == '__main__':
  unittest.main()
