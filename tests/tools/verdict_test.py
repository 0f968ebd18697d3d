"""The verdict names what was planted in a quantized model, and the layer."""

import copy
import json
import unittest

import torch
import torch.ao.quantization as tq

import cli
import planted_models as planted

# What a mistake does to a layer, and what the verdict calls it.
MISTAKES = {
    'range': planted.widen,
    'weight': planted.scale_channel,
    'bias': planted.drop_bias,
}


class Noisy(torch.nn.Module):
  """Adds noise of its own."""

  def __init__(self):
    super().__init__()
    self.fc, self.head = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

  def forward(self, x):
    y = self.fc(x)
    return self.head(y + torch.randn_like(y))


class Attends(torch.nn.Module):
  """Attention between linear layers."""

  def __init__(self):
    super().__init__()
    self.quant, self.dequant = tq.QuantStub(), tq.DeQuantStub()
    self.inp, self.fc = torch.nn.Linear(16, 16), torch.nn.Linear(16, 4)
    self.attention = torch.nn.MultiheadAttention(16, 4, batch_first=True)

  def forward(self, x):
    x = self.inp(self.quant(x))
    return self.dequant(self.fc(self.attention(x, x, x)[0]))


class VerdictTest(cli.CliTest):

  def compare(self, model, quantized, batches, *flags):
    """Writes the three files and returns what ns compare prints."""
    torch.jit.script(model).save(self.path('float.pt'))
    torch.jit.script(quantized).save(self.path('quantized.pt'))
    torch.save(batches, self.path('inputs.pt'))
    return self.succeed(
        'compare', '--float=float.pt', '--quantized=quantized.pt',
        '--inputs=inputs.pt', '--engine=qnnpack', '--threads=1', *flags,
        cwd=self.folder)[0]

  def verdict(self, *models):
    """The verdict, which must be the same where more was measured."""
    estimated, measured = (
        json.loads(self.compare(*models, '--json=-', *flags))['verdict']
        for flags in ((), ('--parts',)))
    for key in ('layer', 'kind'):
      self.assertEqual(estimated.get(key), measured.get(key))
    return measured

  # The module returns a tuple, and its float twin is compared as one op: the
  # layer after it takes all of its error, and has none of its own.
  def test_attention_over_another_axis_is_to_blame(self):
    torch.backends.quantized.engine = 'qnnpack'
    model = Attends().eval()
    batches = [torch.randn(6, 10, 16) for _ in range(4)]
    prepared = copy.deepcopy(model)
    prepared.qconfig = tq.get_default_qconfig('qnnpack')
    quantizable = torch.nn.quantizable.MultiheadAttention
    prepared = tq.prepare(prepared, prepare_custom_config_dict={
        'float_to_observed_custom_module_class': {
            torch.nn.MultiheadAttention: quantizable}})
    prepared.attention.batch_first = False
    for batch in batches:
      prepared(batch)
    quantized = tq.convert(prepared, convert_custom_config_dict={
        'observed_to_quantized_custom_module_class': {
            quantizable: torch.nn.quantized.MultiheadAttention}})
    self.assertRegex(
        self.compare(model, quantized, batches),
        r'\nverdict +attention makes \d+ % of the output.*\nhelp +see what the '
        r'layer does by itself\n +ns repro .*--layer=attention ')
    report = json.loads(self.compare(model, quantized, batches, '--json=-'))
    layers = {layer['name']: layer for layer in report['layers']}
    self.assertLess(layers['attention']['shadow']['sqnr_db'], 3)
    self.assertEqual(report['verdict']['layer'], 'attention')
    self.assertLess(abs(layers['fc'].get('output_share', 0)), 0.2)

  def warnings(self, model, quantized, batches):
    """What ns compare warns of, one line each."""
    torch.jit.script(model).save(self.path('float.pt'))
    torch.jit.script(quantized).save(self.path('quantized.pt'))
    torch.save(batches, self.path('inputs.pt'))
    return self.succeed(
        'compare', '--float=float.pt', '--quantized=quantized.pt',
        '--inputs=inputs.pt', '--json=-', '--threads=1',
        cwd=self.folder)[1].splitlines()

  def assert_blamed(self, verdict, layers, kind):
    self.assertIn(verdict['layer'], layers, verdict)
    self.assertEqual(verdict['kind'], kind, verdict)
    self.assertTrue(verdict['sentences'][0].startswith(verdict['layer']))
    self.assertEqual(len(verdict['sentences']), 3)

  def assert_mistakes_are_found(self, model_class, mistakes):
    """`mistakes` are pairs of a layer and the kind of mistake."""
    for layer, kind in mistakes:
      with self.subTest(layer=layer, kind=kind):
        model, quantized, batches = planted.make(model_class)
        MISTAKES[kind](quantized.get_submodule(layer))
        self.assert_blamed(self.verdict(model, quantized, batches), [layer],
                           kind)

  def assert_inputs_clip(self, model_class):
    model, quantized, batches = planted.make(model_class)
    planted.enlarge(batches)
    self.assert_blamed(self.verdict(model, quantized, batches), ['quant'],
                       'input-mismatch')

  def assert_swapped(self, model_class, parent, *layers):
    model, quantized, batches = planted.make(model_class)
    planted.swap(quantized.get_submodule(parent), *layers)
    paths = [f'{parent}.{layer}'.lstrip('.') for layer in layers]
    self.assert_blamed(self.verdict(model, quantized, batches), paths,
                       'swapped')

  def test_mistakes_in_linear_layers(self):
    self.assert_mistakes_are_found(planted.Mlp, [
        ('quant', 'range'), ('fc2', 'weight'), ('head', 'weight'),
        ('fc1', 'bias')])

  def test_mistakes_in_a_residual_network(self):
    self.assert_mistakes_are_found(planted.Residual, [
        ('quant', 'range'), ('layer1.add', 'range'),
        ('layer2.conv1', 'weight'), ('layer1.conv2', 'bias')])

  def test_mistakes_in_a_transformer(self):
    self.assert_mistakes_are_found(planted.Transformer, [
        ('attention.quant_out', 'range'), ('quant_up', 'range'),
        ('attention.v', 'weight'), ('up', 'bias')])

  def test_inputs_that_clip(self):
    for model_class in (planted.Mlp, planted.Residual, planted.Transformer):
      with self.subTest(model=model_class.__name__):
        self.assert_inputs_clip(model_class)

  def test_swapped_layers(self):
    self.assert_swapped(planted.Mlp, '', 'fc2', 'fc3')
    self.assert_swapped(planted.Transformer, 'attention', 'q', 'v')

  def test_swapped_blocks(self):
    model, quantized, batches = planted.make(planted.Residual)
    planted.swap(quantized, 'layer1', 'layer2')
    verdict = self.verdict(model, quantized, batches)
    self.assertRegex(verdict['layer'], r'^layer[12]\.conv[12]$')
    self.assertEqual(verdict['kind'], 'swapped')

  def test_layers_that_run_in_the_other_order(self):
    model, quantized, batches = planted.make(planted.Mlp)

    class Reordered(torch.nn.Module):

      def __init__(self):
        super().__init__()
        for name, module in quantized.named_children():
          setattr(self, name, module)

      def forward(self, x):
        x = self.fc1(self.quant(x))
        return self.dequant(self.head(self.fc2(self.fc3(x))))

    self.assert_blamed(self.verdict(model, Reordered(), batches),
                       ['fc2', 'fc3'], 'swapped')

  def test_sound_models_have_no_culprit(self):
    for model_class in (planted.Mlp, planted.Residual, planted.Transformer):
      verdict = self.verdict(*planted.make(model_class))
      self.assertNotIn('layer', verdict)
      self.assertEqual(verdict['kind'], 'none')
      self.assertIn('No layer stands out', verdict['sentences'][0])

  def test_random_numbers_are_warned_of(self):
    model, batches = Noisy().eval(), [torch.randn(4, 8)]
    self.assertIn('aten::randn_like',
                  ' '.join(self.warnings(model, model, batches)))

  def test_files_in_training_mode_are_warned_of(self):
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout())
    batches = [torch.randn(4, 8)]
    self.assertIn("float.pt was saved in training mode ('1' (Dropout))",
                  ' '.join(self.warnings(model, model, batches)))
    # A linear layer computes the same in both modes.
    self.assertNotIn('training', ' '.join(
        self.warnings(model[:1], model[:1], batches)))

  def test_the_table_ends_with_the_verdict(self):
    model, quantized, batches = planted.make(planted.Mlp)
    planted.drop_bias(quantized.fc1)
    self.assertRegex(self.compare(model, quantized, batches),
                     r'(?m)^verdict +fc1 (is to blame|makes \d+ %) .*no bias')


if __name__ == '__main__':
  unittest.main()
