"""PyTorch's attention modules: what is reported of them is what runs."""

import collections
import unittest

import torch
from torch import nn
from torch.ao import quantization as tq

import cli
from quantizing import QuantizeTest
from quantizing import run
from quantizing import sqnr

FEATURES, HEADS, HIDDEN = 16, 2, 32


class SelfAttention(nn.Module):

  def __init__(self, need_weights: bool = False, **options):
    super().__init__()
    self.attention = nn.MultiheadAttention(FEATURES, HEADS, **options)
    self.need_weights = need_weights

  def forward(self, x):
    y, _ = self.attention(x, x, x, need_weights=self.need_weights)
    return y


class Padded(nn.Module):

  def __init__(self):
    super().__init__()
    layer = nn.TransformerEncoderLayer(FEATURES, HEADS, HIDDEN,
                                       batch_first=True)
    self.encoder = nn.TransformerEncoder(layer, 1)

  def forward(self, x, padding):
    return self.encoder(x, src_key_padding_mask=padding)


class CrossAttention(nn.Module):

  def __init__(self, **options):
    super().__init__()
    self.attention = nn.MultiheadAttention(FEATURES, HEADS, **options)

  def forward(self, x, memory):
    return self.attention(x, memory, memory)[0]


class Decoder(nn.Module):

  def __init__(self):
    super().__init__()
    layer = nn.TransformerDecoderLayer(FEATURES, HEADS, HIDDEN,
                                       batch_first=True)
    self.decoder = nn.TransformerDecoder(layer, 1)

  def forward(self, x, memory):
    return self.decoder(x, memory)


class Unsqueezed(nn.Module):
  """Its attention gets the same view three times."""

  def __init__(self):
    super().__init__()
    self.first = nn.Linear(FEATURES, FEATURES)
    self.attention = nn.MultiheadAttention(FEATURES, HEADS, batch_first=True)

  def forward(self, x):
    z = self.first(x)
    return self.attention(z.unsqueeze(1), z.unsqueeze(1), z.unsqueeze(1))[0]


class Stubbed(nn.Module):
  """For eager quantization."""

  def __init__(self, **options):
    super().__init__()
    self.quant = tq.QuantStub()
    self.attention = nn.MultiheadAttention(FEATURES, HEADS, **options)
    self.dequant = tq.DeQuantStub()

  def forward(self, x):
    x = self.quant(x)
    return self.dequant(self.attention(x, x, x)[0])


def encoder_layer(**options):
  return nn.TransformerEncoderLayer(FEATURES, HEADS, HIDDEN, batch_first=True,
                                    **options)


def call(model, batch):
  return model(*batch) if isinstance(batch, tuple) else model(batch)


def executed(model, batch):
  """How often which quantized ops and fast paths run."""
  with torch.no_grad(), torch.autograd.profiler.profile() as profile:
    call(model, batch)
  return collections.Counter(event.name for event in profile.function_events)


class AttentionTest(QuantizeTest):

  def save(self, model, make_batch):
    """Writes float.pt and inputs.pt; returns the scripted model and batches."""
    torch.manual_seed(1)
    scripted = torch.jit.script(model.eval())
    scripted.save(self.path('float.pt'))
    batches = [make_batch() for _ in range(3)]
    torch.save(batches, self.path('inputs.pt'))
    return torch.jit.load(self.path('float.pt')), batches

  def flags(self, command, *more):
    return (command, '--float=' + self.path('float.pt'),
            '--inputs=' + self.path('inputs.pt'), '--threads=1', *more)

  def assert_runs_in_int8(self, linears, batches, mode):
    """All linear layers are listed and run; returns the report."""
    report = self.report(f'--mode={mode}', command=self.flags('quantize'))
    listed = [x for x in report['layers'] if x['op'] == 'aten::linear']
    self.assertEqual(len(listed), linears)
    self.assertEqual(
        [x for x in report['stayed_float'] if x['op'] == 'aten::linear'], [])
    torch.backends.quantized.engine = 'onednn'
    events = executed(torch.jit.load(self.path('q.pt')), batches[0])
    suffix = '_dynamic' if mode == 'dynamic' else ''
    self.assertEqual(
        sum(events['quantized::' + op + suffix]
            for op in ('linear', 'linear_relu')), linears)
    for fast in ('_native_multi_head_attention',
                 '_transformer_encoder_layer_fwd'):
      self.assertEqual(events['aten::' + fast], 0)
    return report

  def check(self, model, make_batch, linears, least_db=25):
    model, batches = self.save(model, make_batch)
    references = run(lambda batch: call(model, batch), batches)
    for mode in ('static', 'dynamic'):
      report = self.assert_runs_in_int8(linears, batches, mode)
      quantized = torch.jit.load(self.path('q.pt'))
      outputs = run(lambda batch, q=quantized: call(q, batch), batches)
      self.assertGreater(sqnr(outputs, references), least_db)
      self.assertGreater(float(report['output_sqnr_db'][0]['sqnr_db']),
                         least_db)
      self.assert_explained(sqnr(outputs, references))
    self.assert_exact()

  def assert_explained(self, output_db):
    """Some layer has an error as great as that of the output."""
    result = self.json(*self.flags('compare',
                                   '--quantized=' + self.path('q.pt')))
    lowest = min(float(layer['activation']['sqnr_db'])
                 for layer in result['layers'] if 'activation' in layer)
    self.assertLess(lowest, output_db + 1)

  def assert_exact(self):
    """The float model equals itself."""
    result = self.json(*self.flags('compare',
                                   '--quantized=' + self.path('float.pt')))
    self.assertEqual(result['unmatched'], [])
    for layer in result['layers']:
      if 'activation' in layer:
        self.assertEqual(layer['activation']['sqnr_db'], 'inf', layer['name'])

  def batch(self):
    return torch.randn(2, 5, FEATURES)

  def test_self_attention(self):
    self.check(SelfAttention(batch_first=True), self.batch, 2)

  def test_self_attention_with_weights_and_sequences_first(self):
    self.check(SelfAttention(need_weights=True), self.batch, 2)

  def test_encoder_layers(self):
    self.check(encoder_layer(), self.batch, 4)
    self.check(encoder_layer(norm_first=True, activation='gelu'), self.batch, 4)

  def test_cross_attention_in_dynamic_mode(self):
    _, batches = self.save(CrossAttention(), lambda: (
        torch.randn(5, 2, FEATURES), torch.randn(7, 2, FEATURES)))
    report = self.report('--mode=dynamic', command=self.flags('quantize'))
    self.assertEqual(
        [x for x in report['stayed_float'] if x['op'] == 'aten::linear'], [])
    events = executed(torch.jit.load(self.path('q.pt')), batches[0])
    self.assertEqual(events['quantized::linear_dynamic'], 3)

  def test_decoders(self):
    self.check(Decoder(), lambda: (self.batch(), torch.randn(2, 7, FEATURES)),
               7)

  def test_padding_gives_what_nested_tensors_give(self):
    padding = torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 0, 1]]).bool()
    model, batches = self.save(Padded(), lambda: (self.batch(), padding))
    self.assert_runs_in_int8(4, batches, 'static')
    quantized = torch.jit.load(self.path('q.pt'))
    expected = run(lambda batch: call(model, batch), batches)
    outputs = run(lambda batch: call(quantized, batch), batches)
    # The longest sequence has four steps.
    self.assertEqual(expected[0].shape, (2, 4, FEATURES))
    self.assertEqual(outputs[0].shape, expected[0].shape)
    self.assertTrue(torch.equal(outputs[0][0, 3:], expected[0][0, 3:]))
    self.assertGreater(sqnr(outputs, expected), 25)

  def test_traced_layers(self):
    model = encoder_layer().eval()
    with torch.no_grad():
      traced = torch.jit.trace(model, self.batch())
    self.assertIn('_transformer_encoder_layer_fwd', str(traced.graph))
    traced.save(self.path('float.pt'))
    batches = [self.batch() for _ in range(3)]
    torch.save(batches, self.path('inputs.pt'))
    self.assert_runs_in_int8(4, batches, 'static')
    self.assert_exact()

  def test_instrumented_models_take_the_same_branch(self):
    _, batches = self.save(Unsqueezed(), lambda: torch.randn(4, FEATURES))
    self.quantize(command=self.flags('quantize'))
    self.succeed('instrument', '--float=' + self.path('float.pt'),
                 '--quantized=' + self.path('q.pt'),
                 '--out-float=' + self.path('logged_float.pt'),
                 '--out-quantized=' + self.path('logged.pt'))
    torch.ops.load_library(cli.OPS)
    outputs = run(torch.jit.load(self.path('logged.pt')), batches)
    expected = run(torch.jit.load(self.path('q.pt')), batches)
    for output, same in zip(outputs, expected):
      self.assertTrue(torch.equal(output, same))
    # The float model takes its slow branch, which rounds otherwise.
    outputs = run(torch.jit.load(self.path('logged_float.pt')), batches)
    expected = run(torch.jit.load(self.path('float.pt')), batches)
    self.assertGreater(sqnr(outputs, expected), 120)

  def quantized_eagerly(self, **options):
    """Saves a model and what eager quantization makes of it, to q.pt."""
    float_model = Stubbed(**options)
    _, batches = self.save(float_model, self.batch)
    torch.backends.quantized.engine = 'onednn'
    # With 7 bits: no kernel saturates.
    float_model.qconfig = tq.get_default_qconfig('fbgemm')
    prepared = tq.prepare(float_model)
    run(prepared, batches)
    quantized = tq.convert(prepared)
    torch.jit.script(quantized).save(self.path('q.pt'))
    return sqnr(run(quantized, batches), run(float_model, batches))

  def compared(self, *flags):
    return self.json(*self.flags('compare',
                                 '--quantized=' + self.path('q.pt'), *flags))

  # PyTorch's quantized attention takes its inputs to have sequences first.
  def test_attention_without_a_comparable_op_is_one_op(self):
    error_db = self.quantized_eagerly(batch_first=True)
    self.assertLess(error_db, 5)
    result = self.compared()
    self.assertEqual([layer['name'] for layer in result['layers']],
                     ['quant', 'attention'])
    self.assertEqual(result['worst_offender']['name'], 'attention')
    self.assertLess(
        abs(result['layers'][1]['activation']['sqnr_db'] - error_db), 1)
    weights = self.compared('--what=weights')
    self.assertIn('attention.out_proj',
                  [layer['name'] for layer in weights['layers']])

  def test_ops_of_attention_are_compared_where_they_can_be(self):
    self.assertGreater(self.quantized_eagerly(), 20)
    self.assertIn('attention.softmax',
                  [layer['name'] for layer in self.compared()['layers']])


if __name__ == '__main__':
  unittest.main()
