"""`ns compare --fingerprints`, and `ns diff` of bits, scales and models."""

import json
import os
import unittest

import torch
from torch import nn

import cli


class Net(nn.Module):

  def __init__(self):
    super().__init__()
    self.first = nn.Conv2d(3, 8, 3)
    self.second = nn.Conv2d(8, 8, 3)
    self.third = nn.Conv2d(8, 4, 1)

  def forward(self, x):
    return self.third(torch.relu(self.second(torch.relu(self.first(x)))))


class FingerprintsTest(cli.CliTest):

  def setUp(self):
    super().setUp()
    self.net = Net().eval()
    self.save_float('float.pt')
    batches = [torch.randn(4, 3, 12, 12) for _ in range(3)]
    torch.save(batches, self.path('inputs.pt'))
    torch.save(batches[::-1], self.path('reversed.pt'))
    self.quantize('float.pt', 'quantized.pt')

  def save_float(self, name):
    torch.jit.script(self.net).save(self.path(name))

  def quantize(self, model, out):
    self.succeed('quantize', model, 'inputs.pt', '-o', out,
                 '--compat=torch-1.13', cwd=self.folder)

  def compare(self, out, *arguments, quantized='quantized.pt',
              inputs='inputs.pt', model='float.pt'):
    self.succeed('compare', model, quantized, inputs, '--fingerprints',
                 '--json=' + out, '--quiet', *arguments, cwd=self.folder)
    with open(self.path(out), encoding='utf-8') as file:
      return json.load(file)

  def diff(self, *arguments):
    return self.succeed('diff', *arguments, cwd=self.folder)[0]

  def prints(self, result):
    return {layer['name']: layer['fingerprint'] for layer in result['layers']}

  def change_second(self):
    """Changes one bit of the weight of the second layer."""
    with torch.no_grad():
      bits = self.net.second.weight.view(-1).view(torch.int32)
      bits[0] ^= 1
    self.save_float('changed.pt')

  def test_equal_runs_have_equal_fingerprints(self):
    first = self.prints(self.compare('a.json'))
    self.assertEqual(self.prints(self.compare('b.json')), first)
    self.assertEqual(len({f['quantized'] for f in first.values()}), len(first))
    for fingerprint in first.values():
      self.assertRegex(fingerprint['float'], '^[0-9a-f]{16}$')
    other = self.prints(self.compare('c.json', inputs='reversed.pt'))
    for name in first:
      self.assertNotEqual(other[name], first[name])
    text = self.diff('a.json', 'b.json')
    self.assertRegex(text, r'bits of \d+ layers: the float models agree; '
                           'the quantized models agree\n')

  def test_the_first_layer_with_other_bits_is_named(self):
    self.change_second()
    before = self.prints(self.compare('a.json'))
    after = self.prints(self.compare('b.json', model='changed.pt'))
    changed = [name for name in before
               if before[name]['float'] != after[name]['float']]
    self.assertEqual(changed[0], 'second')
    self.assertNotIn('first', changed)
    for name in before:
      self.assertEqual(before[name]['quantized'], after[name]['quantized'])
    text = self.diff('a.json', 'b.json')
    self.assertIn(f'the float models differ in {len(changed)} layers, first '
                  'in second; the quantized models agree\n', text)
    result = json.loads(self.diff('a.json', 'b.json', '--json=-'))
    self.assertFalse(result['equal'])
    self.assertEqual(result['different_bits'], {
        'layers': len(before), 'float': changed, 'quantized': []})

  def test_shards_have_the_fingerprints_of_one_process(self):
    whole = self.prints(self.compare('a.json'))
    for i in 0, 1:
      self.succeed('compare', 'float.pt', 'quantized.pt', 'inputs.pt',
                   '--fingerprints', f'--shard={i}/2', '--quiet',
                   f'--save-shard={i}.ns-shard', cwd=self.folder)
    output, _ = self.succeed('merge', '1.ns-shard', '0.ns-shard', '--json=-',
                             cwd=self.folder)
    self.assertEqual(self.prints(json.loads(output)), whole)

  def test_the_other_figures_are_those_of_exact(self):
    with_bits = self.compare('a.json')
    exact, _ = self.succeed('compare', 'float.pt', 'quantized.pt', 'inputs.pt',
                            '--exact', '--json=-', cwd=self.folder)
    for layer in with_bits['layers']:
      del layer['fingerprint']
    self.assertEqual(with_bits, json.loads(exact))

  def test_diff_lists_scales_that_differ(self):
    with torch.no_grad():
      self.net.third.weight *= 2
    self.save_float('changed.pt')
    self.quantize('changed.pt', 'changed_q.pt')
    self.compare('a.json')
    self.compare('b.json', model='changed.pt', quantized='changed_q.pt')
    text = self.diff('a.json', 'b.json')
    self.assertIn('\n1 layer with another scale or zero point:\n  third  ',
                  text)
    self.assertIn('first in third', text)
    result = json.loads(self.diff('a.json', 'b.json', '--json=-'))
    change, = result['qparams']
    self.assertEqual(change['name'], 'third')
    self.assertNotEqual(change['a']['scale'], change['b']['scale'])

  def test_models_are_compared_without_a_run(self):
    self.assertIn('no difference', self.diff('quantized.pt', 'quantized.pt'))
    with torch.no_grad():
      self.net.third.weight *= 2
    self.save_float('changed.pt')
    self.quantize('changed.pt', 'changed_q.pt')
    text = self.diff('quantized.pt', 'changed_q.pt')
    self.assertRegex(text, r'conv2d\S* +output +quint8, scale \S+, zero point')
    self.assertRegex(text, r'\d layers in both: 2 differences\n')
    result = json.loads(self.diff('quantized.pt', 'changed_q.pt', '--json=-'))
    self.assertEqual(result['schema'], 'ns.model-diff/1')
    self.assertFalse(result['equal'])
    self.assertEqual({d['part'] for d in result['differences']},
                     {'output', 'weight'})
    self.assertEqual(len({d['layer'] for d in result['differences']}), 1)
    text = self.diff('float.pt', 'quantized.pt')
    self.assertIn('new, only in B:\n', text)

  def test_what_cannot_be_done(self):
    def fail(code, names, *arguments):
      self.fail_with(code, *arguments, cwd=self.folder, names=names)
    pair = ('compare', 'float.pt', 'quantized.pt')
    fail(2, ['--fingerprints', '--inputs'], *pair, '--fingerprints')
    fail(2, ['--fingerprints', 'activations'], *pair, 'inputs.pt',
         '--fingerprints', '--what=shadows')
    os.mkdir(self.path('reference'))
    fail(2, ['--fingerprints', '--reference'], *pair, 'inputs.pt',
         '--fingerprints', '--reference=reference')
    self.compare('a.json')
    fail(3, ['a.json', 'is not a model'], 'diff', 'a.json', 'quantized.pt')
    fail(2, ['--max-drop'], 'diff', 'quantized.pt', 'quantized.pt',
         '--max-drop=1')


if __name__ == '__main__':
  unittest.main()
