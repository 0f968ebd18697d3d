"""`ns quantize`: methods to lose less, which are kept where they help."""

import re
import unittest

import torch
from torch import nn

from quantizing import HAS_VNNI
from quantizing import QuantizeTest
from quantizing import sqnr


class Uneven(nn.Module):
  """One channel has a range far beyond that of the others, whose weights are
  coarse where there is one scale for all."""

  def __init__(self):
    super().__init__()
    self.conv = nn.Conv2d(3, 16, 3)
    self.fc = nn.Linear(16, 5)
    with torch.no_grad():
      self.conv.weight[0] *= 40
      self.fc.weight[:, 0] /= 40

  def forward(self, x):
    return self.fc(torch.relu(self.conv(x)).mean((2, 3)))


class Difference(nn.Module):
  """Two layers that make the same errors, of which one is corrected: transposed
  convolutions are not. They make up for each other."""

  def __init__(self):
    super().__init__()
    self.a = nn.Conv2d(3, 16, 1, bias=False)
    self.b = nn.ConvTranspose2d(3, 16, 1, bias=False)
    with torch.no_grad():
      self.a.weight[0] *= 60
      self.b.weight.copy_(self.a.weight.transpose(0, 1))

  def forward(self, x):
    return (self.a(x) - self.b(x) * 0.9)[:, 1:]


class BiasCorrectionTest(QuantizeTest):

  def setUp(self):
    super().setUp()
    torch.manual_seed(3)
    self.model = Uneven().eval()
    torch.jit.script(self.model).save(self.path('uneven.pt'))
    self.save_batches('bright.pt', [2] * 4)

  def save_batches(self, name, means):
    torch.save([torch.rand(8, 3, 12, 12) + mean for mean in means],
               self.path(name))

  def quantize_uneven(self, *flags, inputs='bright.pt'):
    """The report, and the SQNR of the output on images of other batches."""
    report = self.json(
        'quantize', f'--float={self.path("uneven.pt")}',
        f'--inputs={self.path(inputs)}', f'--out={self.path("q.pt")}',
        '--backend=qnnpack', *flags)
    x = torch.rand(16, 3, 12, 12) + 2
    torch.backends.quantized.engine = 'qnnpack'
    with torch.no_grad():
      y = torch.jit.load(self.path('q.pt'))(x)
      return report, sqnr([y], [self.model(x)])

  def test_it_helps_and_says_by_how_much(self):
    plain, without = self.quantize_uneven('--bias-correction=none')
    report, corrected = self.quantize_uneven('--bias-correction=fast')
    self.assertEqual(plain['tried'], [])
    self.assertGreater(corrected, without + 3)
    conv, = (t for t in report['tried'] if t['layer'] == 'conv')
    self.assertEqual((conv['method'], conv['kept']), ('bias correction', True))
    self.assertGreater(conv['sqnr_db_with'], conv['sqnr_db_without'] + 1)
    output, _ = self.succeed(
        'quantize', f'--float={self.path("uneven.pt")}',
        f'--inputs={self.path("bright.pt")}', f'--out={self.path("q.pt")}',
        '--backend=qnnpack', '--bias-correction=fast')
    self.assertRegex(output, r'bias correction kept in \d of 2 layers, SQNR on '
                     r'batches held back:\n  conv +\d+\.\d -> \d+\.\d dB')

  def test_it_is_not_kept_where_batches_held_back_get_worse(self):
    self.save_batches('turning.pt', [2, 2, 2, -3])
    both, _ = self.quantize_uneven(inputs='turning.pt')
    self.assertLessEqual({'bias correction', 'sequential bias correction'},
                         {t['method'] for t in both['tried']})
    self.assertFalse(any(t['kept'] for t in both['tried']
                         if 'bias correction' in t['method']))
    report, _ = self.quantize_uneven('--bias-correction=fast',
                                     inputs='turning.pt')
    conv, = (t for t in report['tried'] if t['layer'] == 'conv')
    self.assertFalse(conv['kept'])
    self.assertLess(conv['sqnr_db_with'], conv['sqnr_db_without'])

  def test_it_is_not_kept_where_outputs_get_worse(self):
    torch.jit.script(Difference().eval()).save(self.path('difference.pt'))
    tried, = self.json(
        'quantize', f'--float={self.path("difference.pt")}',
        f'--inputs={self.path("bright.pt")}', f'--out={self.path("q.pt")}',
        '--backend=qnnpack', '--bias-correction=fast')['tried']
    self.assertGreater(tried['sqnr_db_with'], tried['sqnr_db_without'] + 1)
    self.assertEqual((tried['kept'], tried['reason']),
                     (False, 'the outputs of the model get worse'))

  def test_one_batch_is_too_few(self):
    report, _ = self.quantize_uneven('--max-batches=1')
    self.assertEqual(report['tried'], [])
    self.assertIn('there is one batch', report['warnings'][0])

  def test_flags_that_make_no_sense_are_wrong_usage(self):
    quantize = ('quantize', f'--float={self.path("uneven.pt")}',
                f'--inputs={self.path("bright.pt")}',
                f'--out={self.path("q.pt")}')
    self.fail_with(2, *quantize, '--bias-correction=slow',
                   names=['--bias-correction', 'slow', 'fast'])
    for other in ('--compat=torch-1.13', '--reference', '--eager',
                  '--mode=dynamic', f'--prepared={self.path("p.pt")}'):
      for method in ('--bias-correction=fast', '--adaround=10', '--equalize',
                     '--smooth'):
        self.fail_with(2, *quantize, method, other,
                       names=[f'{method} has no use with', other.split('=')[0]])
    self.fail_with(2, *quantize, '--adaround=0', names=['--adaround'])

  def test_by_default_the_better_correction_is_kept(self):
    report, best = self.quantize_uneven()
    _, without = self.quantize_uneven('--bias-correction=none')
    self.assertGreater(best, without + 10)
    for layer in ('conv', 'fc'):
      tried = {t['method']: t for t in report['tried'] if t['layer'] == layer}
      self.assertEqual(set(tried),
                       {'bias correction', 'sequential bias correction'})
      # A layer has one correction.
      self.assertLessEqual(sum(t['kept'] for t in tried.values()), 1)
    self.assertTrue(any(t['kept'] for t in report['tried']))

  def test_other_methods_help_too(self):
    _, without = self.quantize_uneven('--bias-correction=none')
    for flags, method, gain in (
        (['--bias-correction=sequential'], 'sequential bias correction', 10),
        (['--bias-correction=none', '--equalize'], 'equalization', 10),
        (['--bias-correction=none', '--adaround=200'], 'adaptive rounding', 1)):
      report, helped = self.quantize_uneven(*flags)
      self.assertEqual({t['method'] for t in report['tried'] if t['kept']},
                       {method})
      self.assertGreater(helped, without + gain, method)

  def test_what_cannot_be_rescaled_is_said(self):
    report, _ = self.quantize_uneven('--smooth')
    self.assertIn('the model has no layer norm', report['warnings'][0])
    report, _ = self.quantize_uneven('--equalize', '--max-batches=1')
    self.assertIn('there is one batch', report['warnings'][0])


class Separable(nn.Module):
  """Convolutions of both kinds that saturate on fbgemm."""

  def __init__(self):
    super().__init__()
    self.widen = nn.Conv2d(3, 16, 1)
    self.filter = nn.Conv2d(16, 16, 3, padding=1, groups=16)
    self.mix = nn.Conv2d(16, 8, 1)

  def forward(self, x):
    x = torch.relu(self.widen(x))
    return self.mix(torch.relu(self.filter(x)))


class Block(nn.Module):
  """A part of a transformer with a large channel in its sum, as trained ones
  have it; its norm makes little of that channel."""

  def __init__(self):
    super().__init__()
    self.up = nn.Linear(16, 32)
    self.down = nn.Linear(32, 16)
    self.norm = nn.LayerNorm(16)
    self.head = nn.Linear(16, 8)
    self.down.weight.data[3] *= 100
    self.norm.weight.data[3] /= 100

  def forward(self, x):
    return self.head(self.norm(x + self.down(torch.relu(self.up(x)))))


class CostlyLayersTest(QuantizeTest):
  """Layers that cost the outputs much and gain little time."""

  def test_they_are_changed_and_say_why(self):
    torch.manual_seed(7)
    model = Block().eval()
    torch.jit.script(model).save(self.path('f.pt'))
    batches = [torch.randn(32, 16) for _ in range(8)]
    torch.save(batches[:4], self.path('i.pt'))
    command = ('quantize', f'--float={self.path("f.pt")}',
               f'--inputs={self.path("i.pt")}', '--backend=onednn',
               '--threads=1')
    first = self.report('--allow-dead', command=command)
    before = self.error_db(model, batches[4:])
    self.assertRegex(
        '\n'.join(first['advice']),
        r'^--mode=dynamic: [23]\d\.\d dB in the worst output, for 1\d\.\d dB '
        r'here; 3 layers in int8, for 5 here$')
    self.assertEqual([tried for tried in first['tried']
                      if 'bias correction' not in tried['method']], [])
    report = self.report(f'--emit-qconfig={self.path("m.json")}',
                         command=command)
    after = self.error_db(model, batches[4:])
    self.assertLess(before, 20)
    self.assertGreater(after, before + 8)
    reasons = {layer['name']: layer['reason']
               for layer in report['stayed_float']}
    self.assertRegex(reasons['add'],
                     r"^in int8, it would make \d+ % of the outputs' error$")
    self.assertEqual(reasons['norm'], 'in int8, it would round the values of '
                     'add all the same')
    layers = {layer['name']: layer for layer in report['layers']}
    self.assertEqual(layers['down']['inputs'], [])
    self.assertIn('per_channel', layers['down']['weight']['scheme'])
    self.assertEqual(set(layers), {'up', 'down', 'head'})
    kept = {tried['layer']: tried for tried in report['tried'] if tried['kept']
            and tried['method'] in ('computing in float',
                                    'dynamic activations')}
    self.assertLessEqual({'add', 'norm', 'down'}, set(kept))
    self.assertAlmostEqual(kept['down']['sqnr_db_without'],
                           first['output_sqnr_db'][0]['sqnr_db'], delta=0.01)
    self.assertEqual(report['unused_rules'], first['unused_rules'])
    table, _ = self.quantize(command=command)
    self.assertRegex(table, r'dynamic activations kept in \d of \d layers?, '
                     r'SQNR of the worst output:\n')
    # The rules that were written make the same model.
    self.quantize(f'--qconfig={self.path("m.json")}', command=command)
    self.assertAlmostEqual(self.error_db(model, batches[4:]), after, delta=0.01)


class TargetTest(QuantizeTest):

  def setUp(self):
    super().setUp()
    torch.manual_seed(5)
    torch.jit.script(Separable().eval()).save(self.path('separable.pt'))
    torch.save([torch.randn(4, 3, 16, 16) for _ in range(4)],
               self.path('images.pt'))
    self.command = ('quantize', f'--float={self.path("separable.pt")}',
                    f'--inputs={self.path("images.pt")}')

  def quantize_for(self, target, name='q.pt', *flags):
    return self.json(*self.command, self.out(name), f'--target={target}',
                     *flags)

  def compare(self, name, emulated):
    """Figures of the outputs' layer, and the layers that saturate."""
    result = self.json(
        'compare', f'--float={self.path("separable.pt")}',
        f'--quantized={self.path(name)}', f'--inputs={self.path("images.pt")}',
        f'--emulate={emulated}')
    layers = {layer['name']: layer for layer in result['layers']}
    return (layers['mix']['activation']['sqnr_db'],
            [name for name, layer in layers.items()
             if layer.get('saturation', {}).get('saturated', 0) > 0])

  def test_nothing_saturates_where_the_model_is_to_run(self):
    self.quantize_for('fbgemm-avx2', 'avx2.pt')
    self.quantize_for('fbgemm-vnni', 'vnni.pt')
    self.assertEqual(self.compare('avx2.pt', 'fbgemm-avx2')[1], [])
    self.assertEqual(self.compare('vnni.pt', 'fbgemm-vnni')[1], [])
    self.assertGreater(self.compare('vnni.pt', 'fbgemm-vnni')[0],
                       self.compare('avx2.pt', 'fbgemm-avx2')[0])

  def test_a_model_to_be_lowered_has_the_errors_of_the_lowered_one(self):
    report = self.quantize_for('ns')
    for layer in report['layers']:
      self.assertIn('0..255', layer['qconfig'])
      self.assertIn('int8', layer['qconfig'])
    given = (f'--float={self.path("separable.pt")}',
             f'--inputs={self.path("images.pt")}')
    output, _ = self.succeed(
        'lower', f'--in={self.path("q.pt")}', f'--out={self.path("l.pt")}',
        '--fewer-roundings', *given)
    match = re.search(r'  output  ([\d.]+) -> ([\d.]+) dB',
                      output)
    before, lowered = float(match[1]), float(match[2])
    self.assertGreater(lowered, before)
    self.assertAlmostEqual(report['output_sqnr_db'][0]['sqnr_db'], lowered,
                           delta=0.06)
    # Corrections count on it.
    self.quantize_for('fbgemm-vnni', 'vnni.pt')
    output, _ = self.succeed(
        'lower', f'--in={self.path("vnni.pt")}', f'--out={self.path("l.pt")}',
        '--fewer-roundings', *given)
    self.assertGreaterEqual(
        lowered, float(re.search(r'-> ([\d.]+) dB', output)[1]) - 0.1)

  def test_the_rules_say_what_is_narrowed(self):
    report = self.quantize_for('fbgemm-vnni')
    qconfigs = {layer['name']: layer['qconfig'] for layer in report['layers']}
    self.assertEqual(qconfigs, {
        'widen': 'static 0..255 mse, int8 weight per channel',
        'filter': 'static 0..255 mse, int7 weight per channel',
        'mix': 'static 0..255 mse, int8 weight per channel'})
    layers = {layer['name']: layer
              for layer in self.quantize_for('fbgemm-avx2')['layers']}
    # No layer takes what the last one gives.
    self.assertIn('0..255', layers['mix']['qconfig'])
    self.assertEqual(layers['mix']['rule'], "module name 'mix'")
    for taken, taker in (('widen', 'filter'), ('filter', 'mix')):
      self.assertNotEqual('0..255' in layers[taken]['qconfig'],
                          'int8' in layers[taker]['qconfig'])

  def test_the_mapping_that_is_written_does_the_same(self):
    for flags in (('--target=fbgemm-vnni',), ('--target=fbgemm-avx2',),
                  ('--target=fbgemm-avx2', '--observer=auto')):
      expected = self.json(*self.command, self.out('first.pt'), *flags,
                           f'--emit-qconfig={self.path("m.json")}')
      report = self.json(*self.command, self.out('mapped.pt'), flags[0],
                         f'--qconfig={self.path("m.json")}')
      self.assertEqual(report['layers'], expected['layers'])
      images = torch.randn(4, 3, 16, 16)
      with torch.no_grad():
        first, mapped = (torch.jit.load(self.path(name))(images)
                         for name in ('first.pt', 'mapped.pt'))
      self.assertTrue(first.equal(mapped))

  def test_with_a_mapping_the_target_says_where_errors_are_measured(self):
    self.quantize_for('fbgemm-vnni', 'q.pt',
                      f'--emit-qconfig={self.path("m.json")}')

    def output_db(*flags):
      report = self.json(*self.command, self.out('mapped.pt'),
                         f'--qconfig={self.path("m.json")}',
                         '--bias-correction=none', *flags)
      return report['output_sqnr_db'][0]['sqnr_db']

    # Weights and activations of 8 bits saturate on a server without VNNI.
    self.assertGreater(output_db('--target=fbgemm-vnni'), output_db() + 5)
    self.assertEqual(output_db('--target=fbgemm-avx2'), output_db())

  def test_nothing_saturates_in_libtorch_without_vnni(self):
    images = torch.load(self.path('images.pt'))
    model = torch.jit.load(self.path('separable.pt'))
    for target, saturates in (('onednn', True), ('onednn-avx2', False)):
      self.quantize_for(target, 'q.pt', '--backend=onednn')
      errors = [self.error_db(model, images, isa=isa)
                for isa in ('AVX2', 'AVX512_CORE', 'AVX512_CORE_VNNI')]
      self.assertEqual(errors[0] < 30, saturates, (target, errors))
      self.assertEqual(errors[1] < 30, saturates, (target, errors))
      if HAS_VNNI:
        self.assertGreater(errors[2], 35, target)

  def test_onednn_narrows_what_it_saturates(self):
    layers = {layer['name']: layer['qconfig'] for layer in self.quantize_for(
        'onednn-avx2', 'q.pt', '--backend=onednn')['layers']}
    # The depthwise convolution between them saturates nowhere.
    self.assertIn('0..255', layers['widen'])
    self.assertIn('int8', layers['filter'])
    self.assertNotEqual('0..255' in layers['filter'], 'int8' in layers['mix'])

  def test_targets_of_other_backends_are_wrong_usage(self):
    for flags, names in (
        (('--target=avx512',), ['--target', 'avx512', 'fbgemm-vnni']),
        (('--target=onednn',), ['--backend=fbgemm', 'fbgemm-avx2']),
        (('--target=fbgemm-vnni', '--backend=qnnpack'), ['use qnnpack']),
        (('--target=fbgemm-avx2', '--backend=onednn'),
         ['use onednn or onednn-avx2']),
        (('--target=fbgemm-vnni', '--compat=torch-1.13'), ['--compat']),
        (('--target=fbgemm-vnni', '--mode=weight-only'),
         ['--mode=static', 'dynamic'])):
      self.fail_with(2, *self.command, self.out(), *flags, names=names)
    self.json(*self.command, self.out(), '--target=qnnpack',
              '--backend=qnnpack')


class HeadroomTest(QuantizeTest):

  def test_batches_that_grow_get_a_headroom(self):
    batches = [torch.randn(4, 3, 8, 8) * size for size in (1, 1.2, 1.44)]
    inputs = self.path('growing.pt')
    torch.save(batches, inputs)
    command = ('quantize', '--float=net_float.pt', f'--inputs={inputs}')
    report = self.report(command=command)
    headroom = report['headroom']
    self.assertEqual(headroom['batch'], 2)
    self.assertAlmostEqual(headroom['factor'], 1.44, delta=0.2)
    self.assertEqual('headroom' in report['layers'][0]['qconfig'],
                     headroom['kept'])
    table, _ = self.quantize(command=command)
    self.assertIn(f'headroom of {headroom["factor"]:g}', table)
    self.assertIn('models that have not seen batch 2, the largest: ', table)
    self.assertNotIn('headroom', self.report('--headroom=1', command=command))


class ObserverTest(QuantizeTest):
  """--observer=auto: ranges by what they cost the layers that take them."""

  def setUp(self):
    super().setUp()
    torch.manual_seed(6)
    torch.jit.script(Separable().eval()).save(self.path('separable.pt'))
    # Few values are large, and those decide what the first layer gives.
    batches = [torch.randn(4, 3, 16, 16) ** 5 for _ in range(4)]
    torch.save(batches, self.path('peaks.pt'))
    self.command = ('quantize', f'--float={self.path("separable.pt")}',
                    f'--inputs={self.path("peaks.pt")}', self.out(),
                    '--target=fbgemm-vnni')

  def test_what_is_kept_costs_less(self):
    report = self.json(*self.command, '--observer=auto')
    ranges = [t for t in report['tried'] if t['method'].startswith('by ')]
    self.assertEqual({t['method'] for t in ranges},
                     {'by minmax', 'by percentile'})
    for tried in ranges:
      self.assertEqual(
          tried['kept'], tried.get('reason') is None, tried)
      if tried['kept']:
        self.assertGreater(tried['sqnr_db_with'], tried['sqnr_db_without'])
    with_auto, = (o['sqnr_db'] for o in report['output_sqnr_db'])
    for observer in ('mse', 'percentile'):
      other = self.json(*self.command, f'--observer={observer}')
      self.assertFalse([t for t in other['tried']
                        if t['method'].startswith('by ')])
      self.assertGreaterEqual(with_auto,
                              other['output_sqnr_db'][0]['sqnr_db'] - 0.3)

  def test_flags_that_make_no_sense_are_wrong_usage(self):
    for other in ('--compat=torch-1.13', '--reference', '--eager',
                  '--qconfig=m.json', '--mode=dynamic'):
      self.fail_with(2, *self.command[:4], '--observer=auto', other,
                     names=['--observer', other.split('=')[0]])


if __name__ == '__main__':
  unittest.main()
