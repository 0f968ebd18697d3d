"""`ns lower`: lowered models run elsewhere, and compare like quantized ones."""

import os
import re
import subprocess
import sys
import unittest

import torch
from torch import nn

import cli

torch.backends.quantized.engine = 'onednn'


def case(name):
  return os.path.join(cli.CASES, name + '.pt')


class Cell(nn.Module):

  def __init__(self):
    super().__init__()
    self.cell = nn.LSTMCell(8, 8)

  def forward(self, x):
    return self.cell(x)[0]


class LowerTest(cli.CliTest):

  def lower(self, model='net_quantized', *flags):
    output, error = self.succeed('lower', f'--in={model}.pt',
                                 f'--out={self.path("lowered.pt")}', *flags)
    self.assertEqual(error, '')
    return output

  def test_the_library_of_our_ops_may_be_named(self):
    self.assertEqual(self.lower('net_quantized', f'--load-library={cli.OPS}'),
                     self.lower('net_quantized'))

  def outputs(self, module, inputs='images', ops=cli.OPS, **env):
    """Of a fresh process."""
    script = os.path.join(os.environ['PYTHONPATH'], 'run_logged.py')
    process = subprocess.run(
        [sys.executable, '-W', 'ignore', script, module, case(inputs),
         self.path('out.pt'), '', ops], env=cli.environment(**env),
        capture_output=True, timeout=cli.TIMEOUT, check=False)
    self.assertEqual(process.returncode, 0, process.stderr.decode())
    return torch.load(self.path('out.pt'))['outputs']

  def assert_same(self, a, b):
    self.assertEqual(len(a), len(b))
    for x, y in zip(a, b):
      self.assertTrue(torch.equal(x, y))

  def test_the_report_counts_ops(self):
    self.assertRegex(self.lower(), r'lowered\.pt: lowered \d+ ops? to ns kernels \([A-Z0-9_]+\)')

  def test_it_reports_what_the_outputs_gain(self):
    given = (f'--float={case("net_float")}', f'--inputs={case("images")}')
    output = self.lower('net_quantized', '--fewer-roundings', *given)
    match = re.search(
        r'\nSQNR of the outputs before and after, 3 batches:\n'
        r'  output  ([\d.]+) -> ([\d.]+) dB \([+-][\d.]+\)\n$', output)
    self.assertTrue(match, output)
    for index, quantized in ((1, case('net_quantized')),
                             (2, self.path('lowered.pt'))):
      report = self.json('compare', given[0], f'--quantized={quantized}',
                         given[1], '--what=outputs', '--exact')
      self.assertAlmostEqual(report['outputs'][-1]['sqnr_db'],
                             float(match[index]), delta=0.06)

  def test_what_the_outputs_gain_needs_data(self):
    arguments = ('lower', '--in=net_quantized.pt',
                 f'--out={self.path("lowered.pt")}')
    self.fail_with(2, *arguments, f'--float={case("net_float")}',
                   names=['--float', '--inputs'])
    self.fail_with(3, *arguments, f'--float={case("net_float")}',
                   f'--inputs={case("rows")}', names=['batch 0'])
    self.assertFalse(os.path.exists(self.path('lowered.pt')))

  def test_quiet_prints_nothing(self):
    self.assertEqual(self.lower('net_quantized', '--quiet'), '')

  def test_a_lowered_model_runs_in_python_as_the_quantized_one(self):
    self.lower()
    ours = self.outputs(self.path('lowered.pt'))
    theirs = self.outputs(case('net_quantized'), ops='')
    for x, y in zip(ours, theirs):
      # One step of the last layer's codes, for ties.
      self.assertLess((x - y).abs().max(), 0.02 * y.abs().max())

  def test_every_instruction_set_gives_the_same_bits(self):
    self.lower()
    fastest = self.outputs(self.path('lowered.pt'))
    for isa in ('scalar', 'avx2', 'avx512', 'avx512_vnni'):
      self.assert_same(fastest, self.outputs(self.path('lowered.pt'),
                                             NS_KERNEL_ISA=isa))

  def test_lowered_layers_have_the_names_and_figures_of_quantized_ones(self):
    self.lower()
    flags = ('compare', '--float=net_float.pt', '--inputs=images.pt')
    plain = self.layers(*flags, '--quantized=net_quantized.pt')
    lowered = self.layers(*flags, f'--quantized={self.path("lowered.pt")}')
    self.assertEqual(list(plain), list(lowered))
    for name, layer in plain.items():
      self.assertEqual(layer.get('weight'), lowered[name].get('weight'), name)
      for kind in ('activation', 'shadow'):
        self.assertEqual(kind in layer, kind in lowered[name], name)
        if kind in layer and layer[kind]['sqnr_db'] != 'inf':
          self.assertAlmostEqual(layer[kind]['sqnr_db'],
                                 lowered[name][kind]['sqnr_db'], delta=0.2)

  def test_lowered_ops_have_reference_kernels(self):
    self.lower()
    layers = self.layers('compare', '--float=net_float.pt',
                         '--inputs=images.pt', '--what=kernel',
                         f'--quantized={self.path("lowered.pt")}')
    self.assertTrue(any('kernel' in layer for layer in layers.values()))

  def test_numerics_are_kept_in_the_file(self):
    for numerics in ('exact', 'fbgemm-vnni', 'fbgemm-avx2'):
      self.lower('net_quantized', '--numerics=' + numerics)
      with open(self.path('lowered.pt'), 'rb') as file:
        self.assertIn(numerics.encode(), file.read())

  def test_fewer_roundings_are_counted_and_bring_outputs_nearer(self):
    rounded = self.lower()
    self.assertNotIn('roundings', rounded)
    before = self.outputs(self.path('lowered.pt'))
    output = self.lower('net_quantized', '--fewer-roundings')
    self.assertTrue(output.startswith(rounded), output)
    self.assertRegex(output, r'\ndropped roundings: [1-9]\d* of layer '
                     r'outputs, \d+ of other outputs, \d+ before sums\n')
    after = self.outputs(self.path('lowered.pt'))
    floats = self.outputs(case('net_float'), ops='')
    errors = [sum((x - y).square().sum() for x, y in zip(some, floats))
              for some in (before, after)]
    self.assertLess(errors[1], errors[0])

  def test_a_model_of_fewer_roundings_is_compared_like_others(self):
    self.lower('net_quantized', '--fewer-roundings')
    layers = self.layers('compare', '--float=net_float.pt',
                         '--inputs=images.pt',
                         f'--quantized={self.path("lowered.pt")}')
    plain = self.layers('compare', '--float=net_float.pt', '--inputs=images.pt',
                        '--quantized=net_quantized.pt')
    self.assertEqual(list(layers), list(plain))

  def test_a_lowered_model_is_lowered_again_to_itself(self):
    self.lower()
    once = self.outputs(self.path('lowered.pt'))
    self.succeed('lower', f'--in={self.path("lowered.pt")}',
                 f'--out={self.path("again.pt")}')
    self.assert_same(once, self.outputs(self.path('again.pt')))

  def dynamic_model(self, model, inputs):
    """What `ns quantize` makes of `model`."""
    torch.jit.script(model.eval()).save(self.path('float.pt'))
    torch.save(inputs, self.path('inputs.pt'))
    self.succeed('quantize', '--mode=dynamic', '--float=float.pt',
                 '--out=quantized.pt', '--backend=onednn', cwd=self.folder)
    return self.path('quantized')

  def test_dynamic_layers_round_their_inputs_as_onednn_does(self):
    """So many values that some are near enough to a tie in most batches."""
    torch.manual_seed(2)
    quantized = self.dynamic_model(
        nn.Linear(1536, 8), [torch.randn(64, 1536) for _ in range(40)])
    theirs = self.outputs(quantized + '.pt', self.path('inputs'), ops='')
    self.lower(quantized)
    for x, y in zip(self.outputs(self.path('lowered.pt'), self.path('inputs')),
                    theirs):
      self.assertLess((x - y).abs().max(), 2e-6 * y.abs().max())
    self.lower(quantized, '--numerics=fbgemm-vnni')
    steps = [(x - y).abs().max() / y.abs().max() for x, y in
             zip(self.outputs(self.path('lowered.pt'), self.path('inputs')),
                 theirs)]
    self.assertGreater(max(steps), 1e-5)

  def test_recurrent_layers_stay_with_libtorch(self):
    quantized = self.dynamic_model(Cell(), [])
    self.fail_with(
        3, 'lower', f'--in={quantized}.pt', f'--out={self.path("lowered.pt")}',
        names=': none of its quantized ops can be lowered: '
        'quantized::quantized_lstm_cell_dynamic stays with LibTorch, as there '
        'is no ns kernel for recurrent layers; run the model as it is')

  def test_a_float_model_is_refused(self):
    self.fail_with(3, 'lower', '--in=net_float.pt',
                   f'--out={self.path("out.pt")}',
                   names=('net_float.pt', 'quantized ops'))
    self.assertEqual(os.listdir(self.folder), [])

  def test_wrong_usage_names_the_flag(self):
    out = f'--out={self.path("out.pt")}'
    self.fail_with(2, 'lower', out, names='--in')
    self.fail_with(2, 'lower', '--in=net_quantized.pt', names='--out')
    self.fail_with(2, 'lower', '--in=net_quantized.pt', '--out=-',
                   names='--out=- is no file')
    self.fail_with(2, 'lower', '--in=net_quantized.pt', out,
                   '--numerics=fast', names=('--numerics', 'fbgemm-avx2'))
    self.fail_with(2, 'lower', f'--in={self.path("out.pt")}', out,
                   names=('--out', '--in'))

  def test_unreadable_files_are_named(self):
    out = f'--out={self.path("out.pt")}'
    self.fail_with(3, 'lower', '--in=absent.pt', out, names='absent.pt')
    self.fail_with(3, 'lower', '--in=truncated.pt', out, names='truncated.pt')
    self.fail_with(3, 'lower', '--in=net_quantized.pt',
                   '--out=/absent/folder/out.pt', names='/absent/folder')


if __name__ == '__main__':
  unittest.main()
