"""Causes are named where they were planted, and the printed cure mends them."""

import copy
import json
import shlex
import unittest
import warnings

import torch
from torch import nn
import torch.ao.quantization as tq
from torch.ao.quantization import quantize_fx as fx

import cli
import faulty_models as faulty

warnings.simplefilter('ignore')

ENGINE = 'qnnpack'
# What a cure gains at least, in dB, at the output.
LEAST_GAIN = 6


def quantized_by_fx(model, batches, engine=ENGINE):
  prepared = fx.prepare_fx(copy.deepcopy(model),
                           tq.get_default_qconfig_mapping(engine),
                           (batches[0],))
  for batch in batches:
    prepared(batch)
  return fx.convert_fx(prepared)


def quantized_eagerly(model, batches):
  model = copy.deepcopy(model)
  # A range with all values, so that nothing is clipped.
  model.qconfig = tq.QConfig(
      activation=tq.MinMaxObserver.with_args(reduce_range=False),
      weight=tq.default_weight_observer)
  tq.prepare(model, inplace=True)
  for batch in batches:
    model(batch)
  return tq.convert(model, inplace=True)


def images(channels=3):
  return [torch.rand(4, channels, 16, 16) for _ in range(4)]


def tokens(decades):
  """Sequences whose tokens are of sizes that so many decades are between."""
  sizes = torch.logspace(-decades, 0, 12)[:, None]
  return [torch.randn(8, 12, 16) * sizes for _ in range(4)]


def deep(layer, *first):
  """Twelve layers, none of which is worse than another."""
  layers = [layer() for _ in range(12)]
  for one in layers:
    nn.init.kaiming_normal_(one.weight, nonlinearity='relu')
  return nn.Sequential(*first, *[
      module for one in layers for module in (one, nn.ReLU())]).eval()


class CausesTest(cli.CliTest):

  def setUp(self):
    super().setUp()
    torch.backends.quantized.engine = ENGINE

  def save(self, model, quantized, batches):
    torch.jit.script(model).save(self.path('float.pt'))
    torch.jit.script(quantized).save(self.path('quantized.pt'))
    torch.save(batches, self.path('inputs.pt'))

  def compare(self, quantized='quantized.pt'):
    """The JSON of a comparison, and the SQNR of its last layer; None where its
    shapes differ."""
    report = json.loads(self.succeed(
        'compare', '--float=float.pt', f'--quantized={quantized}',
        '--inputs=inputs.pt', '--json=-', f'--engine={ENGINE}',
        cwd=self.folder)[0])
    return report, report['layers'][-1].get('activation', {}).get('sqnr_db')

  def assert_named(self, model, quantized, batches, layers, kind):
    """Returns the verdict, which names one of `layers` and `kind`."""
    self.save(model, quantized, batches)
    verdict = self.compare()[0]['verdict']
    self.assertEqual((verdict['kind'], verdict['layer'] in layers),
                     (kind, True), verdict)
    return verdict

  def assert_mended(self, verdict):
    """Types the cure, and looks at what became of the output."""
    before = self.compare()[1]
    program, *arguments = shlex.split(verdict['cure']['command'])
    self.assertEqual(program, 'ns')
    self.succeed(*arguments, cwd=self.folder)
    report, after = self.compare('mended.pt')
    self.assertGreater(after, before + LEAST_GAIN, verdict)
    self.assertNotEqual(report['verdict']['kind'], verdict['kind'])

  def assert_healthy(self, model, quantized, batches):
    self.save(model, quantized, batches)
    verdict = self.compare()[0]['verdict']
    self.assertIn(verdict['kind'], ('none', 'rounding'), verdict)

  def test_outlier_channels(self):
    sequences = [torch.randn(4, 12, 32) for _ in range(4)]
    for make, batches, layers in (
        (faulty.Encoder, sequences, ['norms.1']),
        (faulty.Convolutions, images(), ['first']),
        (faulty.Detector, images(), ['head'])):
      with self.subTest(model=make.__name__):
        model = make(200).eval()
        verdict = self.assert_named(model, quantized_by_fx(model, batches),
                                    batches, layers, 'outlier-channel')
        if make is not faulty.Detector:
          self.assert_mended(verdict)
        model = make(1).eval()
        self.assert_healthy(model, quantized_by_fx(model, batches), batches)

  def test_shared_scales(self):
    for layer, batches in (
        (lambda: nn.Conv2d(3, 3, 1), images()),
        (lambda: nn.Linear(16, 16), [torch.randn(8, 16) for _ in range(4)]),
        (lambda: nn.Linear(8, 8), [torch.randn(4, 6, 8) for _ in range(4)])):
      model = faulty.SharedAdd(layer).eval()
      verdict = self.assert_named(model, quantized_eagerly(model, batches),
                                  batches, ['large@1'], 'shared-scale')
      self.assertIn('is that of large,', verdict['sentences'][0])
      self.assert_mended(verdict)
      model = faulty.OwnAdds(layer).eval()
      self.assert_healthy(model, quantized_eagerly(model, batches), batches)

  def test_shared_weights(self):
    for make, batches, layer in (
        (faulty.TwoNorms, images(), 'conv'),
        (faulty.TwoLinearNorms, [torch.randn(64, 16) for _ in range(4)], 'fc')):
      model = make().eval()
      verdict = self.assert_named(model, quantized_by_fx(model, batches),
                                  batches, [layer], 'shared-weight')
      self.assertIn(f'{layer}@1', verdict['sentences'][0])
      self.assert_mended(verdict)

  def compare_reduced(self, model, batches):
    """The verdict on a model by PyTorch's default for fbgemm, and on what the
    cure makes of it, with the SQNR of both outputs."""
    torch.backends.quantized.engine = 'onednn'
    self.save(model, quantized_by_fx(model, batches, 'fbgemm'), batches)
    reports = []
    for name in ('quantized.pt', 'mended.pt'):
      if reports:
        program, *arguments = shlex.split(
            reports[0]['verdict']['cure']['command'])
        self.assertEqual(program, 'ns')
        self.succeed(*arguments, cwd=self.folder)
      reports.append(json.loads(self.succeed(
          'compare', '--float=float.pt', f'--quantized={name}',
          '--inputs=inputs.pt', '--json=-', cwd=self.folder)[0]))
    return [(report['verdict']['kind'],
             report['outputs_of_model'][0]['sqnr_db']) for report in reports]

  def test_reduced_ranges(self):
    for model, batches in (
        (deep(lambda: nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(3, 8, 1)),
         images()),
        (deep(lambda: nn.Linear(32, 32)),
         [torch.randn(16, 32) for _ in range(4)]),
        (deep(lambda: nn.Conv1d(8, 8, 3, padding=1)),
         [torch.randn(4, 8, 32) for _ in range(4)])):
      (kind, before), (_, after) = self.compare_reduced(model, batches)
      self.assertEqual(kind, 'reduced-range')
      self.assertGreater(after, before + 1)

  def test_rescaled_models(self):
    batches = [torch.randn(4, 12, 32) for _ in range(8)]
    for model, flag in ((faulty.Encoder(60).eval(), '--smooth'),
                        (faulty.Encoder(20).eval(), '--smooth')):
      torch.jit.script(model).save(self.path('float.pt'))
      torch.save(batches, self.path('inputs.pt'))
      self.succeed('quantize', '--float=float.pt', '--inputs=inputs.pt',
                   '--out=quantized.pt', '--out-float=rescaled.pt', flag,
                   f'--backend={ENGINE}', cwd=self.folder)
      verdict = self.compare()[0]['verdict']
      self.assertEqual(verdict['kind'], 'rescaled', verdict)
      self.assertIn('--out-float', verdict['cure']['sentence'])
      report = json.loads(self.succeed(
          'compare', '--float=rescaled.pt', '--quantized=quantized.pt',
          '--inputs=inputs.pt', '--json=-', f'--engine={ENGINE}',
          cwd=self.folder)[0])
      self.assertIn(report['verdict']['kind'], ('none', 'rounding'))

  def test_where_no_factors_can_move_there_is_no_rescaled_model(self):
    command = ('quantize', '--float=net_float.pt', '--inputs=images.pt',
               '--out=' + self.path('q.pt'), '--out-float=' + self.path('f.pt'))
    self.fail_with(2, *command, '--compat=torch-1.13',
                   names=('--out-float', '--compat'))
    self.fail_with(2, *command, '--reference',
                   names=('--out-float', '--reference'))
    self.fail_with(2, *command, '--mode=dynamic',
                   names='--out-float needs --float and --mode=static')
    # Where none have moved, it is the float model.
    self.succeed(*command)
    result = json.loads(self.succeed(
        'compare', '--float=net_float.pt',
        '--quantized=' + self.path('f.pt'), '--inputs=images.pt', '--json=-',
        '--what=outputs')[0])
    self.assertEqual(result['outputs'][0]['sqnr_db'], 'inf')

  def assert_outputs_mended(self, verdict, least=25):
    """Types the cure; the output is then healthy in all channels."""
    program, *arguments = shlex.split(verdict['cure']['command'])
    self.assertEqual(program, 'ns')
    self.succeed(*arguments, cwd=self.folder)
    report = self.compare('mended.pt')[0]
    output = report['outputs_of_model'][0]
    self.assertGreater(output['sqnr_db'], least)
    self.assertEqual(output['channels_below_3db'], 0)
    self.assertIn(report['verdict']['kind'], ('none', 'rounding'))

  def test_axes_in_another_order(self):
    for make, batches, flag, layers, axes in (
        (faulty.SequenceAttention, [torch.randn(12, 12, 16) for _ in range(4)],
         {'batch_first': False}, ['q'], (0, 1)),
        (faulty.SequenceAttention, [torch.randn(6, 10, 16) for _ in range(4)],
         {'batch_first': False}, ['q'], (0, 1)),
        (faulty.Heatmap, images(), {'is_wide_first': True}, [None], (2, 3))):
      with self.subTest(model=make.__name__, shape=batches[0].shape):
        model = make().eval()
        quantized = quantized_eagerly(model, batches)
        self.assert_healthy(model, quantized, batches)
        for name, value in flag.items():
          setattr(quantized, name, value)
        self.save(model, quantized, batches)
        verdict = self.compare()[0]['verdict']
        self.assertEqual((verdict['kind'], verdict.get('layer')),
                         ('axis-order', layers[0]), verdict)
        self.assertIn(f'axes {axes[0]} and {axes[1]} exchanged',
                      verdict['sentences'][0])
        self.assert_outputs_mended(verdict)

  def test_dead_channels(self):
    for layer, batches in (
        (nn.Linear, [torch.randn(64, 24) for _ in range(4)]),
        (lambda inputs, outputs: nn.Conv2d(inputs, outputs, 3), images(24))):
      model = faulty.TwoSmallScores(layer, 1e-4).eval()
      verdict = self.assert_named(model, quantized_by_fx(model, batches),
                                  batches, ['head'], 'dead-channels')
      self.assertIn('2 of its 12 channels have one value',
                    verdict['sentences'][0])
      self.assert_outputs_mended(verdict)
      model = faulty.TwoSmallScores(layer, 1).eval()
      self.assert_healthy(model, quantized_by_fx(model, batches), batches)

  def test_coarse_squares(self):
    for make, batches, least in ((faulty.RootMeanSquare, tokens(1.3), 18),
                                 (faulty.Energies, images(), 25)):
      with self.subTest(model=make.__name__):
        model = make().eval()
        verdict = self.assert_named(model, quantized_by_fx(model, batches),
                                    batches, ['mul', 'mul@1'],
                                    'coarse-squares')
        self.assertRegex(verdict['sentences'][0],
                         r' after it has -?[0-9a-z.]+ dB, and what flows into ')
        self.assert_outputs_mended(verdict, least)
    # Squares of one size lose nothing.
    model, batches = faulty.RootMeanSquare().eval(), tokens(0)
    self.assert_healthy(model, quantized_by_fx(model, batches), batches)

  def test_training_mode(self):
    for model, batches in (
        (nn.Sequential(nn.Linear(16, 16), nn.Dropout(0.5)),
         [torch.randn(8, 16)]),
        (nn.Sequential(nn.Conv2d(3, 4, 3), nn.Dropout(0.1)), images())):
      quantized = quantized_by_fx(model.eval(), batches)
      self.save(model.train(), quantized, batches)
      verdict = self.compare()[0]['verdict']
      self.assertEqual(verdict['kind'], 'training-mode')
      self.assertIn('float.pt was saved', verdict['sentences'][0])
      self.assert_healthy(model.eval(), quantized, batches)

  def test_recurrent_states(self):
    batches = [torch.rand(8, 16) for _ in range(4)]
    model = faulty.Recurrence(12).eval()
    verdict = self.assert_named(model, quantized_eagerly(model, batches),
                                batches, ['fc', 'sigmoid'], 'recurrent-state')
    self.assertIn('--mode=dynamic', verdict['cure']['command'])
    model = faulty.Recurrence(1).eval()
    self.assert_healthy(model, quantized_eagerly(model, batches), batches)

  def test_quantize_keeps_layers_that_lose_channels_of_an_output(self):
    model, batches = faulty.Detector(200).eval(), images()
    torch.jit.script(model).save(self.path('float.pt'))
    torch.save(batches, self.path('inputs.pt'))
    for flags in ((), ('--allow-dead',)):
      report = json.loads(self.succeed(
          'quantize', '--float=float.pt', '--inputs=inputs.pt', '--out=q.pt',
          '--json=-', f'--backend={ENGINE}', *flags, cwd=self.folder)[0])
      output = report['output_sqnr_db'][0]
      self.assertEqual(output['channels'], 12)
      self.assertEqual(output['channels_below_3db'] > 3, bool(flags), output)
      stayed = [layer['name'] for layer in report['stayed_float']
                if 'would be lost' in layer['reason']]
      self.assertEqual(stayed, [] if flags else ['head'])

  def test_inputs_of_another_size(self):
    for make, batches, factor in (
        (faulty.Convolutions, images(), 255), (faulty.Detector, images(), 255),
        (faulty.Encoder, [torch.randn(4, 12, 32) for _ in range(4)], 0.01)):
      with self.subTest(model=make.__name__):
        model = make(1).eval()
        quantized = quantized_by_fx(model, batches)
        verdict = self.assert_named(
            model, quantized, [batch * factor for batch in batches],
            ['x.quantize'], 'input-mismatch')
        self.assertNotIn('command', verdict['cure'])

  def test_the_table_ends_with_the_cure_and_the_page(self):
    model, batches = faulty.SharedAdd(lambda: nn.Linear(16, 16)).eval(), [
        torch.randn(8, 16)]
    self.save(model, quantized_eagerly(model, batches), batches)
    output = self.succeed(
        'compare', '--float=float.pt', '--quantized=quantized.pt',
        '--inputs=inputs.pt', f'--engine={ENGINE}', cwd=self.folder)[0]
    self.assertRegex(
        output, r'(?m)^verdict  +large@1 (is to blame|makes \d+ %) .*\n'
        r'^help  +give each place a scale of its own.*\n'
        r'^ +ns quantize --float=float.pt --inputs=inputs.pt --out=mended.pt '
        r'--backend=qnnpack\n'
        r'^ +ns explain shared-scale$')

  def test_every_cause_has_a_page(self):
    listed = [line for line in self.succeed('explain')[0].splitlines()
              if not line.startswith(' ')]
    self.assertIn('outlier-channel', listed)
    for cause in listed:
      page = self.succeed('explain', cause)[0]
      self.assertEqual(page.splitlines()[0], cause)
      for heading in ('How to recognize it', 'What to do', 'Example'):
        self.assertIn(f'\n{heading}\n  ', page)
      self.assertLessEqual(max(map(len, page.splitlines())), 80)

  def test_unknown_causes(self):
    self.assertIn("did you mean 'range'?", self.fail_with(2, 'explain', 'rang'))


if __name__ == '__main__':
  unittest.main()
