"""Changes that gain in a layer: what --suggest says of them comes true."""

import unittest

import torch
import torch.ao.quantization as tq

import cli
import planted_models as planted


class SuggestTest(cli.CliTest):

  def compare(self, model, quantized, batches, *flags):
    """The arguments that compare the three."""
    torch.jit.script(model).save(self.path('float.pt'))
    torch.jit.script(quantized).save(self.path('quantized.pt'))
    torch.save(batches, self.path('inputs.pt'))
    return ('compare', f'--float={self.path("float.pt")}',
            f'--quantized={self.path("quantized.pt")}',
            f'--inputs={self.path("inputs.pt")}', '--engine=qnnpack', *flags)

  def best(self, layer):
    return max(layer['tried_changes'], key=lambda change: change['gain_db'])

  def assert_comes_true(self, model_class, name, plant, kind, make):
    """Plants a mistake in a layer; `make` makes the change that is suggested."""
    model, quantized, batches = planted.make(model_class)
    plant(quantized.get_submodule(name))
    layer = self.layers(
        *self.compare(model, quantized, batches, '--suggest'))[name]
    change = self.best(layer)
    self.assertEqual(change['change'], kind)
    self.assertGreater(change['gain_db'], 5)
    self.assertAlmostEqual(
        change['sqnr_db'] - change['gain_db'], layer['shadow']['sqnr_db'], 6)
    make(model.get_submodule(name), quantized.get_submodule(name), change)
    changed = self.layers(*self.compare(model, quantized, batches))[name]
    self.assertAlmostEqual(changed['shadow']['sqnr_db'], change['sqnr_db'], 2)

  def set_range(self, _, layer, change):
    layer.scale = torch.full_like(torch.as_tensor(layer.scale),
                                  change['scale'])
    layer.zero_point = torch.full_like(torch.as_tensor(layer.zero_point),
                                       change['zero_point'])
    if not isinstance(layer, torch.nn.quantized.Quantize):
      layer.scale, layer.zero_point = float(layer.scale), int(layer.zero_point)

  def set_weight(self, of_float, layer, _):
    observer = tq.default_per_channel_weight_observer()
    observer(of_float.weight)
    scales, zero_points = observer.calculate_qparams()
    layer.set_weight_bias(
        torch.quantize_per_channel(of_float.weight.detach(), scales,
                                   zero_points, 0, torch.qint8), layer.bias())

  def set_bias(self, of_float, layer, _):
    layer.set_weight_bias(layer.weight(), of_float.bias.detach())

  def test_layers_in_float_gain_what_keeping_them_does(self):
    model, _, batches = planted.make(planted.Mlp)
    with torch.no_grad():
      model.fc2.weight[0, 0] = 30 * model.fc2.weight.abs().max()
    torch.jit.script(model).save(self.path('float.pt'))
    torch.save(batches, self.path('inputs.pt'))

    def quantize(*flags):
      out = self.path('quantized.pt')
      self.succeed('quantize', f'--float={self.path("float.pt")}',
                   f'--inputs={self.path("inputs.pt")}', f'--out={out}',
                   '--compat=torch-1.13', '--backend=qnnpack', *flags)
      return ('compare', f'--float={self.path("float.pt")}',
              f'--quantized={out}', f'--inputs={self.path("inputs.pt")}',
              '--engine=qnnpack')

    compare = quantize()
    layers = self.layers(*compare, '--suggest')
    gain = layers['fc2']['in_float']
    self.assertGreater(gain['gain_db'], 3)
    table, _ = self.succeed(*compare, '--suggest')
    self.assertRegex(
        table, r'\nmeasured gain           fc2  in float: output [\d.]+ -> '
        r'[\d.]+ dB \(\+[\d.]+\)\n')
    kept = self.json(*quantize('--keep=fc2'))
    self.assertAlmostEqual(kept['outputs_of_model'][0]['sqnr_db'],
                           gain['after_db'], delta=0.5)

  def test_a_range_of_a_point(self):
    self.assert_comes_true(planted.Mlp, 'quant', planted.widen, 'range',
                           self.set_range)

  def test_a_range_of_a_layer(self):
    self.assert_comes_true(planted.Mlp, 'fc2', planted.widen, 'range',
                           self.set_range)
    self.assert_comes_true(planted.Transformer, 'attention.v', planted.widen,
                           'range', self.set_range)

  def test_a_weight(self):
    self.assert_comes_true(planted.Mlp, 'fc2', planted.scale_channel, 'weight',
                           self.set_weight)

  def test_a_bias(self):
    self.assert_comes_true(planted.Mlp, 'fc1', planted.drop_bias, 'bias',
                           self.set_bias)

  # Convolutions, with norms that are folded.
  def test_a_weight_of_a_convolution(self):
    model, quantized, batches = planted.make(planted.Residual)
    planted.scale_channel(quantized.layer2.conv1)
    layer = self.layers(*self.compare(model, quantized, batches,
                                      '--suggest'))['layer2.conv1']
    change = self.best(layer)
    self.assertEqual(change['change'], 'weight')
    self.assertGreater(change['sqnr_db'], 30)

  def test_the_table_says_what_gains(self):
    model, quantized, batches = planted.make(planted.Mlp)
    planted.widen(quantized.quant)
    table, _ = self.succeed(
        *self.compare(model, quantized, batches, '--suggest'))
    self.assertRegex(
        table, r'(?m)^measured gain +quant  scale \S+ -> \S+(, zero point \d+ '
        r'-> \d+)?: \d+\.\d -> \d+\.\d dB \(\+\d+\.\d\)$')
    without, _ = self.succeed(*self.compare(model, quantized, batches))
    self.assertNotIn('measured gain', without)

  # It is as accurate as it gets: nothing is suggested.
  def test_a_sound_model(self):
    model, _, batches = planted.make(planted.Mlp)
    torch.jit.script(model).save(self.path('f.pt'))
    torch.save(batches, self.path('i.pt'))
    self.succeed('quantize', f'--float={self.path("f.pt")}',
                 f'--inputs={self.path("i.pt")}', f'--out={self.path("q.pt")}',
                 '--backend=qnnpack')
    table, _ = self.succeed(
        'compare', f'--float={self.path("f.pt")}', '--suggest',
        f'--quantized={self.path("q.pt")}', f'--inputs={self.path("i.pt")}',
        '--engine=qnnpack')
    self.assertNotRegex(table, r'measured gain.*scale.*\(\+[1-9]')

  def test_bad_flags(self):
    self.fail_with(2, *cli.COMPARE, '--suggest', names=['--suggest', '--what'])
    self.fail_with(2, *cli.COMPARE, '--inputs=images.pt', '--suggest',
                   '--emulate=fbgemm-avx2', names=['--suggest', '--emulate'])


if __name__ == '__main__':
  unittest.main()
