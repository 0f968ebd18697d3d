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


class Encoder(nn.Module):
  """Feed-forward blocks with residuals and layer norms."""

  def __init__(self, gain):
    super().__init__()
    self.norms = nn.ModuleList([nn.LayerNorm(32) for _ in range(2)])
    self.ups = nn.ModuleList([nn.Linear(32, 64) for _ in range(2)])
    self.downs = nn.ModuleList([nn.Linear(64, 32) for _ in range(2)])
    self.head = nn.Linear(32, 10)
    with torch.no_grad():
      self.norms[1].weight[5] *= gain
      # What reads the channel was trained with it.
      self.ups[1].weight[:, 5] /= gain

  def forward(self, x):
    for norm, up, down in zip(self.norms, self.ups, self.downs):
      x = x + down(torch.relu(up(norm(x))))
    return self.head(x)


class Convolutions(nn.Module):
  """One channel between two convolutions is larger than the others."""

  def __init__(self, gain):
    super().__init__()
    self.first, self.second = nn.Conv2d(3, 16, 3), nn.Conv2d(16, 8, 3)
    self.head = nn.Linear(8, 10)
    with torch.no_grad():
      self.first.weight[5] *= gain
      self.first.bias[5] = 0.1 * gain
      self.second.weight[:, 5] /= gain

  def forward(self, x):
    x = torch.relu(self.second(torch.relu(self.first(x))))
    return self.head(x.mean([2, 3]))


class Detector(nn.Module):
  """Its last convolution gives boxes in pixels, and scores."""

  def __init__(self, pixels):
    super().__init__()
    self.stem, self.head = nn.Conv2d(3, 16, 3), nn.Conv2d(16, 12, 1)
    with torch.no_grad():
      self.head.weight[:4] *= max(pixels / 20, 1)
      self.head.bias[:4] += pixels

  def forward(self, x):
    return self.head(torch.relu(self.stem(x)))


class TwoNorms(nn.Module):
  """A convolution that is called twice, with a norm behind each call."""

  def __init__(self):
    super().__init__()
    self.stem, self.conv = nn.Conv2d(3, 8, 1), nn.Conv2d(8, 8, 3, padding=1)
    self.norm1, self.norm2 = nn.BatchNorm2d(8), nn.BatchNorm2d(8)
    for norm in (self.norm1, self.norm2):
      nn.init.uniform_(norm.weight, 0.3, 3)
      norm.running_var.uniform_(0.3, 3)

  def forward(self, x):
    x = self.norm1(self.conv(self.stem(x)))
    return self.norm2(self.conv(x))


class TwoLinearNorms(nn.Module):

  def __init__(self):
    super().__init__()
    self.stem, self.fc = nn.Linear(16, 16), nn.Linear(16, 16)
    self.norm1, self.norm2 = nn.BatchNorm1d(16), nn.BatchNorm1d(16)
    for norm in (self.norm1, self.norm2):
      nn.init.uniform_(norm.weight, 0.3, 3)
      norm.running_var.uniform_(0.3, 3)

  def forward(self, x):
    x = self.norm1(self.fc(self.stem(x)))
    return self.norm2(self.fc(x))


class Recurrence(nn.Module):
  """A state that goes through the same int8 layers again and again."""

  def __init__(self, growth):
    super().__init__()
    self.quant, self.dequant = tq.QuantStub(), tq.DeQuantStub()
    self.fc, self.add = nn.Linear(16, 16), nn.quantized.FloatFunctional()
    self.steps = 12
    with torch.no_grad():
      # Each trip makes errors larger, and the sigmoid keeps the state small.
      nn.init.orthogonal_(self.fc.weight, growth)
      self.fc.bias.copy_(-self.fc.weight.sum(1) / 2)

  def forward(self, x):
    x = self.quant(x)
    state = x
    for _ in range(self.steps):
      state = torch.sigmoid(self.fc(state))
    return self.dequant(state)


class OwnAdds(nn.Module):
  """Sums of two sizes, each with a FloatFunctional of its own."""

  def __init__(self, layer):
    super().__init__()
    self.quant, self.dequant = tq.QuantStub(), tq.DeQuantStub()
    self.first, self.second, self.third = layer(), layer(), layer()
    self.large = nn.quantized.FloatFunctional()
    self.small = nn.quantized.FloatFunctional()
    with torch.no_grad():
      self.first.weight *= 40
      self.second.weight /= 40

  def forward(self, x):
    x = self.first(self.quant(x))
    x = self.second(self.large.add(x, x))
    return self.dequant(self.third(self.small.add(x, x)))


class SharedAdd(OwnAdds):
  """The same with one for both."""

  def forward(self, x):
    x = self.first(self.quant(x))
    x = self.second(self.large.add(x, x))
    return self.dequant(self.third(self.large.add(x, x)))


class SequenceAttention(nn.Module):
  """Attention of sequences [N, T, C], which it computes as [T, N, C]."""

  __constants__ = ['batch_first']

  def __init__(self):
    super().__init__()
    self.quant, self.quant_out = tq.QuantStub(), tq.QuantStub()
    self.dequant = tq.DeQuantStub()
    self.q, self.k = nn.Linear(16, 16), nn.Linear(16, 16)
    self.v, self.out = nn.Linear(16, 16), nn.Linear(16, 16)
    self.batch_first = True
    with torch.no_grad():
      # Attention that looks at few places.
      self.q.weight *= 6

  def forward(self, x):
    x = self.quant(x)
    if self.batch_first:
      x = x.transpose(0, 1)
    q, k = self.dequant(self.q(x)), self.dequant(self.k(x))
    v = self.dequant(self.v(x)).transpose(0, 1)
    weights = q.transpose(0, 1) @ k.permute(1, 2, 0) / 4
    y = (torch.softmax(weights, -1) @ v).transpose(0, 1)
    y = self.dequant(self.out(self.quant_out(y)))
    return y.transpose(0, 1) if self.batch_first else y


class Heatmap(nn.Module):
  """An image to an image."""

  __constants__ = ['is_wide_first']

  def __init__(self):
    super().__init__()
    self.quant, self.dequant = tq.QuantStub(), tq.DeQuantStub()
    self.first = nn.Conv2d(3, 8, 3, padding=1)
    self.relu = nn.ReLU()
    self.second = nn.Conv2d(8, 2, 3, padding=1)
    self.is_wide_first = False

  def forward(self, x):
    x = self.second(self.relu(self.first(self.quant(x))))
    return self.dequant(x.transpose(2, 3) if self.is_wide_first else x)


class TwoSmallScores(nn.Module):
  """Two of its twelve outputs are far smaller than the others."""

  def __init__(self, layer, factor):
    super().__init__()
    self.stem, self.head = layer(24, 16), layer(16, 12)
    with torch.no_grad():
      self.head.weight[5:7] *= factor
      self.head.bias[5:7] *= factor

  def forward(self, x):
    return self.head(torch.relu(self.stem(x)))


class RootMeanSquare(nn.Module):
  """Divides by the root of the mean of squares."""

  def __init__(self):
    super().__init__()
    self.first, self.second = nn.Linear(16, 16), nn.Linear(16, 8)
    with torch.no_grad():
      self.first.bias.zero_()

  def forward(self, x):
    x = self.first(x)
    x = x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6)
    return self.second(x)


class Energies(nn.Module):
  """The logarithm of a sum of squares."""

  def __init__(self):
    super().__init__()
    self.first, self.second = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 1)

  def forward(self, x):
    x = self.first(x)
    y = self.second(x)
    return torch.log(x * x + y * y + 1e-4)


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
        (Encoder, sequences, ['norms.1']),
        (Convolutions, images(), ['first']),
        (Detector, images(), ['head'])):
      with self.subTest(model=make.__name__):
        model = make(200).eval()
        verdict = self.assert_named(model, quantized_by_fx(model, batches),
                                    batches, layers, 'outlier-channel')
        if make is not Detector:
          self.assert_mended(verdict)
        model = make(1).eval()
        self.assert_healthy(model, quantized_by_fx(model, batches), batches)

  def test_shared_scales(self):
    for layer, batches in (
        (lambda: nn.Conv2d(3, 3, 1), images()),
        (lambda: nn.Linear(16, 16), [torch.randn(8, 16) for _ in range(4)]),
        (lambda: nn.Linear(8, 8), [torch.randn(4, 6, 8) for _ in range(4)])):
      model = SharedAdd(layer).eval()
      verdict = self.assert_named(model, quantized_eagerly(model, batches),
                                  batches, ['large@1'], 'shared-scale')
      self.assertIn('is that of large,', verdict['sentences'][0])
      self.assert_mended(verdict)
      model = OwnAdds(layer).eval()
      self.assert_healthy(model, quantized_eagerly(model, batches), batches)

  def test_shared_weights(self):
    for make, batches, layer in (
        (TwoNorms, images(), 'conv'),
        (TwoLinearNorms, [torch.randn(64, 16) for _ in range(4)], 'fc')):
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
    for model, flag in ((Encoder(60).eval(), '--smooth'),
                        (Encoder(20).eval(), '--smooth')):
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
        (SequenceAttention, [torch.randn(12, 12, 16) for _ in range(4)],
         {'batch_first': False}, ['q'], (0, 1)),
        (SequenceAttention, [torch.randn(6, 10, 16) for _ in range(4)],
         {'batch_first': False}, ['q'], (0, 1)),
        (Heatmap, images(), {'is_wide_first': True}, [None], (2, 3))):
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
      model = TwoSmallScores(layer, 1e-4).eval()
      verdict = self.assert_named(model, quantized_by_fx(model, batches),
                                  batches, ['head'], 'dead-channels')
      self.assertIn('2 of its 12 channels have one value',
                    verdict['sentences'][0])
      self.assert_outputs_mended(verdict)
      model = TwoSmallScores(layer, 1).eval()
      self.assert_healthy(model, quantized_by_fx(model, batches), batches)

  def test_coarse_squares(self):
    for make, batches, least in ((RootMeanSquare, tokens(1.3), 18),
                                 (Energies, images(), 25)):
      with self.subTest(model=make.__name__):
        model = make().eval()
        verdict = self.assert_named(model, quantized_by_fx(model, batches),
                                    batches, ['mul', 'mul@1'],
                                    'coarse-squares')
        self.assertRegex(verdict['sentences'][0],
                         r' after it has -?[0-9a-z.]+ dB, and what flows into ')
        self.assert_outputs_mended(verdict, least)
    # Squares of one size lose nothing.
    model, batches = RootMeanSquare().eval(), tokens(0)
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
    model = Recurrence(12).eval()
    verdict = self.assert_named(model, quantized_eagerly(model, batches),
                                batches, ['fc', 'sigmoid'], 'recurrent-state')
    self.assertIn('--mode=dynamic', verdict['cure']['command'])
    model = Recurrence(1).eval()
    self.assert_healthy(model, quantized_eagerly(model, batches), batches)

  def test_quantize_keeps_layers_that_lose_channels_of_an_output(self):
    model, batches = Detector(200).eval(), images()
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
        (Convolutions, images(), 255), (Detector, images(), 255),
        (Encoder, [torch.randn(4, 12, 32) for _ in range(4)], 0.01)):
      with self.subTest(model=make.__name__):
        model = make(1).eval()
        quantized = quantized_by_fx(model, batches)
        verdict = self.assert_named(
            model, quantized, [batch * factor for batch in batches],
            ['x.quantize'], 'input-mismatch')
        self.assertNotIn('command', verdict['cure'])

  def test_the_table_ends_with_the_cure_and_the_page(self):
    model, batches = SharedAdd(lambda: nn.Linear(16, 16)).eval(), [
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
