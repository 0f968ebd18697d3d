"""`ns match`: pairs, and what stayed unmatched with reasons."""

import os
import unittest

import cli

MATCH = ('match', *cli.COMPARE[1:])


class MatchTest(cli.CliTest):

  def test_the_table_shows_both_subgraphs(self):
    output, error = self.succeed(*MATCH)
    self.assertRegex(
        output,
        r'(?m)^conv +conv2d\+batch_norm\+relu \(conv\) +conv2d_relu \(conv\)')
    self.assertRegex(output, r'(?m)^fc +linear \(fc\) +linear \(fc\)')
    self.assertIn('4 layers matched (aligned)', output)
    self.assertEqual(error, '')

  def test_the_json_has_the_layers_of_compare(self):
    def pairs(result):
      return [(layer['name'], layer['float'], layer['quantized'])
              for layer in result['layers']]
    self.assertEqual(pairs(self.json(*MATCH)), pairs(self.json(*cli.COMPARE)))

  def test_no_figures_are_computed(self):
    for layer in self.json(*MATCH)['layers']:
      self.assertEqual(set(layer), {'name', 'float', 'quantized'})

  def test_an_op_unknown_to_the_table_is_no_obstacle(self):
    names = [layer['name'] for layer in self.json(
        'match', '--float=unknown_op_float.pt',
        '--quantized=unknown_op_quantized.pt')['layers']]
    for name in ('inner.first', 'inner.second', 'inner.first@1',
                 'inner.second@1'):
      self.assertIn(name, names)

  def test_unmatched_ops_have_a_reason_each(self):
    result = self.json('match', '--float=unknown_op_float.pt',
                       '--quantized=mlp_quantized.pt')
    unmatched = {(n['model'], n['op']) for n in result['unmatched']}
    self.assertIn(('float', 'aten::logcumsumexp'), unmatched)
    for node in result['unmatched']:
      self.assertTrue(node['reason'])

  def test_the_matching_can_be_strict(self):
    result = self.json(*MATCH, '--matching=strict')
    self.assertEqual(result['matching'], 'strict')

  def test_layers_in_branches_that_never_run_are_matched(self):
    names = [layer['name'] for layer in self.json(
        'match', '--float=branch_float.pt',
        '--quantized=branch_quantized.pt')['layers']]
    self.assertLessEqual({'high.first', 'inner.first'}, set(names))

  def test_quiet_writes_the_json_only(self):
    path = self.path('pairs.json')
    self.assertEqual(self.succeed(*MATCH, '--quiet', f'--json={path}'),
                     ('', ''))
    self.assertEqual(os.listdir(self.folder), ['pairs.json'])

  def test_bad_input_leaves_no_file(self):
    path = self.path('pairs.json')
    for model in ('empty', 'random', 'state_dict', 'missing'):
      self.fail_with(3, 'match', f'--float={model}.pt',
                     '--quantized=net_quantized.pt', f'--json={path}',
                     names=model + '.pt')
    self.fail_with(3, 'match', '--float=net_quantized.pt',
                   '--quantized=net_float.pt', f'--json={path}', names='swap')
    self.assertEqual(os.listdir(self.folder), [])


if __name__ == '__main__':
  unittest.main()
