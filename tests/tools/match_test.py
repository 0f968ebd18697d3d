"""`ns match`: pairs, and what stayed unmatched with reasons."""

import os
import unittest

import torch

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

  def gated(self, *flags):
    """Pairs of ops of a model that holds modules and functions of its own."""
    result = self.json('match', '--float=gated_float.pt',
                       '--quantized=gated_quantized.pt', *flags)
    return {layer['name']: (layer['float']['op'], layer['quantized']['op'])
            for layer in result['layers']}

  def test_modules_and_functions_can_be_one_op(self):
    whole = self.gated('--leaf=Gate,CheapGate,squash')
    self.assertEqual(whole['squash'], ('squash', 'squash'))
    self.assertNotIn('gate', whole)
    related = self.gated('--leaf=Gate,CheapGate,squash',
                         '--relate=CheapGate=Gate')
    self.assertEqual([op.rsplit('.', 1)[-1] for op in related['gate']],
                     ['Gate', 'CheapGate'])

  def test_unmatchable_ops_are_neither_matched_nor_listed(self):
    usual = self.json(*MATCH)
    without = self.json(*MATCH, '--unmatchable=Linear,aten::relu')
    kept = [layer for layer in usual['layers']
            if layer['float']['op'] != 'aten::linear']
    self.assertLess(len(kept), len(usual['layers']))
    self.assertEqual(without['layers'], kept)
    self.assertEqual(without['unmatched'], usual['unmatched'])
    self.fail_with(2, *MATCH, '--unmatchable=aten::no_such',
                   names='--unmatchable=aten::no_such')
    self.fail_with(3, *MATCH, '--unmatchable=Missing', names="'Missing'")

  def test_leaves_are_compared_as_one_op(self):
    result = self.json('compare', '--float=gated_float.pt',
                       '--quantized=gated_quantized.pt', '--inputs=rows.pt',
                       '--leaf=Gate,CheapGate', '--relate=CheapGate=Gate')
    gate = {layer['name']: layer for layer in result['layers']}['gate']
    batches = torch.load(os.path.join(cli.CASES, 'rows.pt'))
    models = [torch.jit.load(os.path.join(cli.CASES, f'gated_{side}.pt'))
              for side in ('float', 'quantized')]
    with torch.no_grad():
      inputs = [models[1].inner(x) for x in batches]
      x, y = (torch.cat([model.gate(x) for x in inputs]).double()
              for model in models)
    expected = 20 * torch.log10(x.norm() / (x - y).norm())
    self.assertAlmostEqual(gate['shadow']['sqnr_db'], float(expected), 3)
    self.assertEqual(result['not_shadowed'], [])

  def test_bad_relations_are_named(self):
    self.fail_with(2, *MATCH, '--relate=aten::relu', names='A=B')
    self.fail_with(2, *MATCH, '--relate=aten::no_such=aten::relu',
                   names='aten::no_such')
    self.fail_with(3, *MATCH, '--relate=Missing=aten::relu',
                   names=("'Missing'", 'leaf'))
    self.fail_with(2, *MATCH, '--leaf=Gate,', names='--leaf')

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
