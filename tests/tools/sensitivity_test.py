"""`ns sensitivity`: the table, the JSON, budgets, and what is refused."""

import json
import math
import os
import unittest

import cli

NET = ('sensitivity', '--float=net_float.pt', '--inputs=images.pt')
ALL = ['int8 per tensor', 'int8 per channel', 'dynamic', 'fp16',
       'int4 weights']


class SensitivityTest(cli.CliTest):

  def test_the_table_has_a_row_for_each_layer(self):
    output, error = self.succeed(*NET)
    self.assertEqual(error, '')
    self.assertRegex(
        output, r'(?m)^layer +op +per tensor +per channel +dynamic +fp16 '
        r'+weights$')
    self.assertRegex(output, r'(?m)^conv +conv2d( +\d+\.\d){5}$')
    self.assertRegex(output, r'(?m)^fc +linear( +\d+\.\d){5}$')
    self.assertNotIn('keep in float', output)

  def test_the_json_has_every_figure(self):
    result = self.json(*NET)
    self.assertEqual(result['schema'], 'ns.sensitivity/1')
    self.assertEqual(result['float'], 'net_float.pt')
    self.assertEqual(result['candidates'], ALL)
    self.assertEqual([layer['name'] for layer in result['layers']],
                     ['conv', 'fc'])
    for layer in result['layers']:
      self.assertEqual(set(layer), {'name', 'fqn', 'op', 'candidates'})
      self.assertEqual([c['name'] for c in layer['candidates']], ALL)
      for candidate in layer['candidates']:
        self.assertEqual(set(candidate), {
            'name', 'sqnr_db', 'normalized_l2', 'cosine', 'max_abs_error',
            'mean_error', 'bias_share', 'call_sqnr_db'})
        self.assertEqual(len(candidate['call_sqnr_db']), result['batches'])
        self.assertAlmostEqual(
            candidate['sqnr_db'],
            -20 * math.log10(candidate['normalized_l2']), places=6)
    self.assertNotIn('budget', result)
    self.assertEqual(result['never_ran'], [])

  def test_more_bits_lose_less(self):
    for layer in self.json(*NET)['layers']:
      sqnr = {c['name']: c['sqnr_db'] for c in layer['candidates']}
      self.assertGreater(sqnr['fp16'], sqnr['int8 per channel'] + 10)
      self.assertGreater(sqnr['int8 per channel'], sqnr['int4 weights'] + 3)

  def test_candidates_are_chosen_and_ordered(self):
    result = self.json(*NET, '--candidates=dynamic,int8-per-channel')
    self.assertEqual(result['candidates'], ['dynamic', 'int8 per channel'])
    for layer in result['layers']:
      self.assertEqual([c['name'] for c in layer['candidates']],
                       ['dynamic', 'int8 per channel'])

  def test_a_budget_in_decibels_keeps_what_cannot_reach_it_in_float(self):
    best = {
        layer['name']: max(c['sqnr_db'] for c in layer['candidates']
                           if c['name'] != 'fp16')
        for layer in self.json(*NET)['layers']}
    worst, other = sorted(best, key=best.get)
    budget = (best[worst] + best[other]) / 2
    result = self.json(*NET, f'--budget={budget}dB',
                       '--candidates=int8-per-tensor,int8-per-channel,dynamic')
    self.assertEqual(result['budget'],
                     {'sqnr_db': budget, 'keep_in_float': [worst]})
    uses = {layer['name']: layer['use'] for layer in result['layers']}
    self.assertEqual(uses[worst], 'float')
    self.assertNotEqual(uses[other], 'float')

  def test_a_budget_of_layers_keeps_the_worst_in_float(self):
    result = self.json(*NET, '--budget=1layer',
                       '--candidates=int8-per-channel')
    figures = {layer['name']: layer['candidates'][0]['sqnr_db']
               for layer in result['layers']}
    worst = min(figures, key=figures.get)
    self.assertEqual(result['budget'], {
        'sqnr_db': max(figures.values()), 'keep_in_float': [worst]})
    self.assertEqual(
        self.json(*NET, '--budget=50%',
                  '--candidates=int8-per-channel')['budget'],
        result['budget'])
    none = self.json(*NET, '--budget=0layers')
    self.assertEqual(none['budget']['keep_in_float'], [])

  def test_a_candidate_that_quantize_refuses_is_not_planned(self):
    """A convolution has no dynamic form: the budget gets the next candidate."""
    result = self.json(*NET, '--budget=0layers',
                       '--candidates=dynamic,int8-per-channel')
    self.assertEqual(result['budget']['keep_in_float'], [])

  def test_the_table_says_what_to_keep(self):
    output, _ = self.succeed(*NET, '--budget=200dB')
    self.assertRegex(output, r'(?m)^keep in float: conv, fc$')
    output, _ = self.succeed(*NET, '--budget=5dB')
    self.assertRegex(output, r'(?m)^keep in float: none$')
    self.assertRegex(output, r'(?m)^conv .* int8 per tensor$')

  def test_loops_and_branches_are_measured(self):
    result = self.json('sensitivity', '--float=loop_float.pt',
                       '--inputs=rows.pt')
    calls = [len(c['call_sqnr_db']) for layer in result['layers']
             for c in layer['candidates']]
    self.assertGreater(max(calls), result['batches'])
    result = self.json('sensitivity', '--float=branch_float.pt',
                       '--inputs=rows.pt')
    self.assertGreater(len(result['layers']), 0)

  def test_observers_are_named(self):
    for observer in ('moving-average', 'histogram', 'mse', 'percentile',
                     'entropy'):
      result = self.json(*NET, f'--observer={observer}')
      self.assertEqual(result['candidates'], [
          f'int8 per tensor {observer}', f'int8 per channel {observer}',
          'dynamic', 'fp16', 'int4 weights'])
      for layer in result['layers']:
        self.assertGreater(layer['candidates'][0]['sqnr_db'], 10, observer)

  def test_minmax_is_the_default_observer(self):
    self.assertEqual(self.json(*NET, '--observer=minmax'), self.json(*NET))

  def test_engines_give_the_same(self):
    results = [self.json(*NET, f'--engine={engine}')
               for engine in ('onednn', 'qnnpack')]
    self.assertEqual(results[0], results[1])

  def test_batches_can_be_limited(self):
    self.assertEqual(self.json(*NET, '--max-batches=1')['batches'], 1)

  def test_nan_and_inf_in_a_batch_are_no_obstacle(self):
    for inputs in ('nan.pt', 'inf.pt', 'zeros.pt'):
      result = self.json('sensitivity', '--float=net_float.pt',
                         f'--inputs={inputs}')
      self.assertEqual(len(result['layers']), 2, inputs)

  def test_nan_and_inf_in_a_batch_are_said(self):
    for inputs, what in (('nan.pt', 'NaN'), ('inf.pt', 'infinity')):
      _, error = self.succeed('sensitivity', '--float=net_float.pt',
                              f'--inputs={inputs}')
      self.assertRegex(error, rf'(?m)^ns: warning: inputs hold {what}: .*'
                       r"batch 0, argument 'x'")

  def test_a_layer_of_zeros_is_exact(self):
    arguments = ('sensitivity', '--float=zeros_float.pt', '--inputs=rows.pt')
    layers = {layer['name']: layer for layer in self.json(*arguments)['layers']}
    for candidate in layers['second']['candidates']:
      self.assertEqual((candidate['sqnr_db'], candidate['normalized_l2'],
                        candidate['cosine']), ('inf', 0, 1), candidate['name'])
    table, _ = self.succeed(*arguments)
    self.assertRegex(table, '(?m)^second .*exact')
    self.assertNotIn('nan', table)

  def test_quiet_writes_the_json_only(self):
    path = self.path('sensitivity.json')
    self.assertEqual(self.succeed(*NET, '--quiet', f'--json={path}'), ('', ''))
    with open(path, encoding='utf-8') as file:
      self.assertIn('ns.sensitivity/1', file.read())

  def mapping(self, *flags):
    """The mapping that is emitted, and the results beside it."""
    path = self.path('mapping.json')
    result = self.json(*flags, f'--emit-qconfig={path}')
    with open(path, encoding='utf-8') as file:
      return json.load(file), result

  def test_the_advice_is_a_mapping(self):
    mapping, result = self.mapping(*NET, '--budget=1layer',
                                   '--candidates=int8-per-channel,dynamic')
    self.assertEqual(list(mapping), [
        'schema', 'global', 'object_type', 'module_name_regex', 'module_name',
        'module_name_object_type_order'])
    self.assertEqual(mapping['schema'], 'ns.qconfig/1')
    names = {'int8 per channel': 'int8-per-channel', 'dynamic': 'dynamic',
             'float': None}
    self.assertEqual(mapping['module_name'],
                     [[layer['name'], names[layer['use']]]
                      for layer in result['layers']])
    self.assertIn(None, [qconfig for _, qconfig in mapping['module_name']])
    for section in ('global', 'object_type', 'module_name_regex',
                    'module_name_object_type_order'):
      self.assertFalse(mapping[section], section)

  def test_the_mapping_has_the_observers(self):
    mapping, _ = self.mapping(*NET, '--budget=0layers', '--observer=mse',
                              '--candidates=int8-per-tensor')
    self.assertEqual(mapping['module_name'][0], ['conv', {
        'activation': {'kind': 'mse'},
        'weight': {'kind': 'minmax', 'dtype': 'qint8',
                   'qscheme': 'per_tensor_symmetric'}}])

  def test_ops_without_a_module_of_their_own_are_numbered(self):
    mapping, result = self.mapping(
        'sensitivity', '--float=two_float.pt', '--inputs=pairs.pt',
        '--budget=0layers', '--candidates=int8-per-channel')
    self.assertEqual([layer['name'] for layer in result['layers']],
                     ['left', 'right', 'add'])
    self.assertEqual(mapping['module_name'], [['left', 'int8-per-channel'],
                                              ['right', 'int8-per-channel']])
    self.assertEqual(mapping['module_name_object_type_order'],
                     [['', 'aten::add', 0, 'int8-per-channel']])

  def test_calls_of_one_module_are_numbered(self):
    mapping, result = self.mapping(
        'sensitivity', '--float=twice_float.pt', '--inputs=rows.pt',
        '--budget=0layers')
    orders = mapping['module_name_object_type_order']
    self.assertEqual(len(orders) + len(mapping['module_name']),
                     len(result['layers']))
    for number in (0, 1):
      self.assertIn(['inner.first', 'aten::linear', number],
                    [row[:3] for row in orders])

  def test_the_mapping_may_go_to_standard_output(self):
    output, _ = self.succeed(*NET, '--budget=30dB', '--emit-qconfig=-')
    self.assertEqual(json.loads(output)['schema'], 'ns.qconfig/1')
    self.fail_with(2, *NET, '--budget=30dB', '--json=-', '--emit-qconfig=-',
                   names=('--json', '--emit-qconfig'))

  def test_a_mapping_needs_a_budget(self):
    path = self.path('mapping.json')
    self.fail_with(2, *NET, f'--emit-qconfig={path}',
                   names=('--emit-qconfig', '--budget=30dB'))
    self.fail_with(2, *NET, '--budget=30dB', '--emit-qconfig=',
                   names='--emit-qconfig')
    self.fail_with(2, *NET, '--budget=30dB', '--emit-qconfig=net_float.pt',
                   names='--float')
    self.fail_with(2, *NET, '--budget=30dB', f'--emit-qconfig={path}',
                   f'--json={path}', names='--json')
    self.fail_with(3, *NET, '--budget=30dB', '--emit-qconfig=no/such/folder/m',
                   names='no/such/folder/m')
    self.assertFalse(os.path.exists(path))

  def test_wrong_usage_names_the_flag(self):
    self.fail_with(2, 'sensitivity', '--float=net_float.pt', names='--inputs')
    self.fail_with(2, 'sensitivity', '--inputs=images.pt', names='--float')
    self.fail_with(2, *NET, '--candidates=int7',
                   names=('--candidates=int7', 'int8-per-tensor'))
    self.fail_with(2, *NET, '--budget=', names='--budget=BUDGET')
    for budget in ('much', '-3', '200%', '1.5layers'):
      self.fail_with(2, *NET, f'--budget={budget}',
                     names=('budget', f"'{budget}'", '30dB'))
    self.fail_with(2, *NET, '--observer=best', names=('--observer=best', 'minmax', 'entropy'))
    self.fail_with(2, *NET, '--engine=none', names='--engine=none')
    self.fail_with(2, *NET, '--json=net_float.pt', names='--float')

  def test_bad_input_leaves_no_file(self):
    path = self.path('sensitivity.json')
    for model in ('empty', 'random', 'state_dict', 'missing'):
      self.fail_with(3, 'sensitivity', f'--float={model}.pt',
                     '--inputs=images.pt', f'--json={path}',
                     names=model + '.pt')
    self.fail_with(3, 'sensitivity', '--float=net_float.pt',
                   '--inputs=pairs.pt', f'--json={path}', names='pairs.pt')
    self.fail_with(3, 'sensitivity', '--float=net_float.pt',
                   '--inputs=pairs.pt', '--budget=30dB',
                   f'--emit-qconfig={path}', names='pairs.pt')
    self.fail_with(3, *NET, '--method=backward', f'--json={path}',
                   names='backward')


if __name__ == '__main__':
  unittest.main()
