"""`ns fuse` and `ns quantize --eager`: hierarchies, as torch.quantization's."""

import copy
import json
import math
from typing import Tuple
import unittest
import warnings

warnings.filterwarnings('ignore')

import torch
from torch import nn
from torch.ao import quantization as tq

import cli

with open('/proc/cpuinfo', encoding='utf-8') as cpuinfo:
  # How many times as far as elsewhere outputs may be from those in float, where
  # sums of oneDNN saturate with activations and weights of 8 bits.
  SLACK = 1 if 'vnni' in cpuinfo.read() else 4

torch.backends.quantized.engine = 'onednn'


class Net(nn.Module):

  def __init__(self):
    super().__init__()
    self.quant = tq.QuantStub()
    self.conv = nn.Conv2d(3, 8, 3)
    self.bn = nn.BatchNorm2d(8)
    self.relu = nn.ReLU()
    self.fc = nn.Linear(8, 4)
    self.dequant = tq.DeQuantStub()

  def forward(self, x):
    x = self.relu(self.bn(self.conv(self.quant(x))))
    return self.dequant(self.fc(x.mean((2, 3))))


class Repeated(nn.Module):
  """A chain that a loop runs, and a norm that one runs by itself."""

  def __init__(self):
    super().__init__()
    self.stem = nn.Conv2d(3, 3, 1)
    self.norm = nn.BatchNorm2d(3)
    self.conv = nn.Conv2d(3, 3, 1)
    self.bn = nn.BatchNorm2d(3)
    self.relu = nn.ReLU()

  def forward(self, x):
    x = self.stem(x)
    for _ in range(2):
      x = self.norm(x)
    for _ in range(3):
      x = self.relu(self.bn(self.conv(x)))
    return x


class Bag(nn.Module):

  def __init__(self):
    super().__init__()
    self.bag = nn.EmbeddingBag(10, 12, mode='mean')

  def forward(self, indices: torch.Tensor, offsets: torch.Tensor):
    return self.bag(indices, offsets)


class Attention(nn.Module):
  """Attention between stubs, or behind them."""

  def __init__(self, is_quantized: bool):
    super().__init__()
    self.quant = tq.QuantStub()
    self.fc = nn.Linear(8, 8)
    self.attention = nn.MultiheadAttention(8, 2)
    self.dequant = tq.DeQuantStub()
    self.is_quantized = is_quantized

  def forward(self, x):
    x = self.fc(self.quant(x))
    if not self.is_quantized:
      x = self.dequant(x)
    y, _ = self.attention(x, x, x)
    return self.dequant(y) if self.is_quantized else y


class Encoder(nn.Module):
  """A layer whose code reads the weights of the modules inside."""

  def __init__(self):
    super().__init__()
    self.quant = tq.QuantStub()
    self.fc = nn.Linear(8, 8)
    self.dequant = tq.DeQuantStub()
    self.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

  def forward(self, x):
    return self.encoder(self.dequant(self.fc(self.quant(x))))


class Streaming(nn.Module):
  """A convolution that goes on where the batch before has ended."""

  def __init__(self):
    super().__init__()
    self.quant = tq.QuantStub()
    self.conv = nn.Conv1d(4, 4, 3)
    self.fc = nn.Linear(6, 3)
    self.dequant = tq.DeQuantStub()
    self.register_buffer('context', torch.zeros(1, 4, 2))
    self.register_buffer('calls', torch.zeros(1, dtype=torch.long))

  def forward(self, x):
    y = torch.cat([self.context, x], 2)
    self.context.copy_(y[:, :, -2:])
    self.calls += 1
    return self.dequant(self.fc(self.conv(self.quant(y))))


def clip(self, input: Tuple[torch.Tensor],
          output: torch.Tensor) -> torch.Tensor:
  return output.clamp(-0.5, 0.5)


@torch.jit.script
def three() -> int:
  return 3


class Hooked(nn.Module):
  """Hooks on a layer, a stub and the model, and a function of no arguments."""

  def __init__(self):
    super().__init__()
    self.quant = tq.QuantStub()
    self.conv = nn.Conv2d(3, 8, 3)
    self.relu = nn.ReLU()
    self.dequant = tq.DeQuantStub()
    for module in (self.quant, self.relu, self):
      module.register_forward_hook(clip)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.dequant(self.relu(self.conv(self.quant(x)))) * three()


class EagerTest(cli.CliTest):

  def setUp(self):
    super().setUp()
    torch.manual_seed(1)
    self.model = Net().eval()
    self.model.bn.running_mean.uniform_(-1, 1)
    self.batches = [torch.randn(2, 3, 8, 8) for _ in range(3)]
    torch.jit.script(self.model).save(self.path('float.pt'))
    torch.save(self.batches, self.path('inputs.pt'))

  def quantize(self, *flags, float_path='float.pt'):
    return self.succeed('quantize', '--eager', f'--float={float_path}',
                        '--inputs=inputs.pt', '--out=quantized.pt',
                        '--backend=onednn', *flags, cwd=self.folder)

  def outputs(self, name):
    model = torch.jit.load(self.path(name))
    with torch.no_grad():
      return [model(batch) for batch in self.batches]

  def expected(self):
    """What Python makes of the model."""
    model = tq.fuse_modules(copy.deepcopy(self.model), ['conv', 'bn', 'relu'])
    model.qconfig = tq.get_default_qconfig('onednn')
    quantized = tq.quantize(
        model, lambda m, batches: [m(batch) for batch in batches],
        [self.batches])
    with torch.no_grad():
      return [quantized(batch) for batch in self.batches]

  def quantize_sequences(self, model, *flags):
    """Quantizes `model` on batches of sequences; returns it and stdout."""
    torch.jit.script(model.eval()).save(self.path('sequences.pt'))
    self.batches = [torch.randn(5, 2, 8) for _ in range(3)]
    torch.save(self.batches, self.path('inputs.pt'))
    output, _ = self.quantize(*flags, float_path='sequences.pt')
    for x, y in zip(self.outputs('sequences.pt'),
                    self.outputs('quantized.pt')):
      self.assertLess(float((x - y).norm()), 0.25 * SLACK * float(x.norm()))
    return torch.jit.load(self.path('quantized.pt')), output

  def test_attention_is_quantized_by_its_parts(self):
    model = Attention(is_quantized=True).eval()
    quantized, _ = self.quantize_sequences(model, '--compat=torch-1.13')
    self.assertEqual(quantized.attention.linear_Q.original_name, 'Linear')
    self.assertIn('_packed_params',
                  dict(quantized.attention.out_proj.named_modules()))
    model.qconfig = tq.get_default_qconfig('onednn')
    expected = tq.quantize(model, lambda m, xs: [m(x) for x in xs],
                           [self.batches])
    with torch.no_grad():
      for x, y in zip(self.batches, self.outputs('quantized.pt')):
        self.assertTrue(expected(x).equal(y))

  def test_says_where_a_stub_is_missing(self):
    model = Attention(is_quantized=False).eval()
    torch.jit.script(model).save(self.path('sequences.pt'))
    torch.save([torch.randn(5, 2, 8)], self.path('inputs.pt'))
    self.fail_with(3, 'quantize', '--eager', '--float=sequences.pt',
                   '--inputs=inputs.pt', '--out=quantized.pt', cwd=self.folder,
                   names=["sequences.pt: module 'attention.linear_Q' "
                          '(quantized::linear) is given values in float',
                          'QuantStub', '--keep'])
    quantized, _ = self.quantize_sequences(model, '--keep=attention')
    self.assertEqual(quantized.attention.out_proj.original_name,
                     'NonDynamicallyQuantizableLinear')
    self.assertIn('_packed_params', dict(quantized.fc.named_modules()))

  def test_modules_whose_weights_others_read_stay_float(self):
    for flags in ([], ['--mode=dynamic']):
      quantized, output = self.quantize_sequences(Encoder(), *flags)
      self.assertEqual(quantized.encoder.linear1.original_name, 'Linear')
      self.assertIn("the code of 'encoder' reads its weight", output)
      self.assertIn('encoder.linear1 (Linear)', output)
      self.assertIn('_packed_params', dict(quantized.fc.named_modules()))

  def test_files_have_the_state_of_the_float_model(self):
    torch.jit.script(Streaming().eval()).save(self.path('streaming.pt'))
    # Batches before would change what the first ones are computed with.
    self.batches = [torch.randn(1, 4, 6) * size for size in (1, 1, 20)]
    torch.save(self.batches, self.path('inputs.pt'))
    for mode in ('static', 'dynamic', 'qat'):
      report = json.loads(self.quantize(
          f'--mode={mode}', '--json=-', '--quiet',
          float_path='streaming.pt')[0])
      quantized = torch.jit.load(self.path('quantized.pt'))
      self.assertEqual(float(quantized.context.norm()), 0, mode)
      self.assertEqual(int(quantized.calls), 0, mode)
      x = torch.cat(self.outputs('streaming.pt')).double()
      y = torch.cat(self.outputs('quantized.pt')).double()
      self.assertAlmostEqual(
          report['output_sqnr_db'][0]['sqnr_db'],
          20 * math.log10(float(x.norm() / (x - y).norm())), places=2,
          msg=mode)

  def test_hooks_are_in_the_files(self):
    torch.jit.script(Hooked().eval()).save(self.path('hooked.pt'))
    self.quantize(float_path='hooked.pt')
    self.succeed('fuse', '--in=hooked.pt', '--out=fused.pt', cwd=self.folder)
    for x, fused, quantized in zip(self.outputs('hooked.pt'),
                                   self.outputs('fused.pt'),
                                   self.outputs('quantized.pt')):
      self.assertEqual(float(x.max()), 0.5)
      self.assertTrue(torch.allclose(x, fused, atol=1e-5))
      self.assertLess(float((x - quantized).norm()),
                      0.1 * SLACK * float(x.norm()))

  def test_hooks_of_the_model_are_refused_for_flat_graphs(self):
    torch.jit.script(Hooked().eval()).save(self.path('hooked.pt'))
    self.fail_with(3, 'quantize', '--float=hooked.pt', '--inputs=inputs.pt',
                   '--out=quantized.pt', cwd=self.folder,
                   names=['hooked.pt', 'forward hooks of its own'])

  def test_fuse_finds_chains_and_changes_no_output(self):
    output, _ = self.succeed('fuse', '--in=float.pt', '--out=fused.pt',
                             cwd=self.folder)
    self.assertEqual(output, 'fused.pt: fused 1 chain of modules\n'
                             '  conv + bn + relu: ConvReLU2d\n')
    for x, y in zip(self.outputs('fused.pt'), self.outputs('float.pt')):
      self.assertTrue(torch.allclose(x, y, atol=1e-5))
    fused = torch.jit.load(self.path('fused.pt'))
    self.assertEqual(fused.conv.original_name, 'ConvReLU2d')
    self.assertEqual(fused.bn.original_name, 'Identity')

  def test_fuse_finds_chains_in_loops(self):
    model = Repeated().eval()
    for norm in (model.norm, model.bn):
      norm.running_mean.uniform_(-1, 1)
      norm.running_var.uniform_(0.5, 2)
    torch.jit.script(model).save(self.path('repeated.pt'))
    output, _ = self.succeed('fuse', '--in=repeated.pt', '--out=fused.pt',
                             cwd=self.folder)
    self.assertEqual(output, 'fused.pt: fused 1 chain of modules\n'
                             '  conv + bn + relu: ConvReLU2d\n')
    x = torch.randn(2, 3, 5, 5)
    with torch.no_grad():
      fused = torch.jit.load(self.path('fused.pt'))(x)
      self.assertTrue(torch.allclose(fused, model(x), atol=1e-5))

  def test_fuse_takes_chains_by_name_and_keeps_norms_for_training(self):
    output, _ = self.succeed('fuse', '--in=float.pt', '--out=fused.pt',
                             '--modules=conv+bn', '--qat', cwd=self.folder)
    self.assertIn('conv + bn: ConvBn2d', output)
    self.assertTrue(torch.jit.load(self.path('fused.pt')).training)
    output, _ = self.succeed('fuse', '--in=float.pt', '--out=fused.pt',
                             '--modules=conv+bn', '--quiet', cwd=self.folder)
    self.assertEqual(output, '')

  def test_fuse_says_what_is_wrong(self):
    fuse = ('fuse', '--in=float.pt', '--out=fused.pt')
    self.fail_with(3, *fuse, '--modules=conv+norm', cwd=self.folder,
                   names=['float.pt', "no module 'norm'"])
    self.fail_with(3, *fuse, '--modules=bn+conv', cwd=self.folder,
                   names=['[bn, conv]', 'cannot be fused'])
    self.fail_with(2, 'fuse', '--in=float.pt', '--out=float.pt',
                   cwd=self.folder, names='float.pt')
    self.succeed(*fuse, cwd=self.folder)
    self.fail_with(3, 'fuse', '--in=fused.pt', '--out=again.pt',
                   cwd=self.folder, names='nothing to fuse')

  def test_fuses_what_pytorch_refuses(self):
    chains = {
        'ConvTranspose2d': [nn.ConvTranspose2d(4, 6, 3, groups=2),
                            nn.BatchNorm2d(6)],
        'LinearReLU': [nn.Linear(8, 5), nn.BatchNorm1d(5), nn.ReLU()],
        'ConvTranspose1d': [nn.ConvTranspose1d(4, 6, 3), nn.BatchNorm1d(6),
                            nn.ReLU()],
    }
    shapes = {'ConvTranspose2d': (2, 4, 5, 5), 'LinearReLU': (3, 8),
              'ConvTranspose1d': (2, 4, 9)}
    for name, parts in chains.items():
      model = nn.Sequential(*parts).eval()
      model[1].running_mean.uniform_(-1, 1)
      model[1].running_var.uniform_(0.5, 2)
      torch.jit.script(model).save(self.path('chain.pt'))
      output, _ = self.succeed('fuse', '--in=chain.pt', '--out=fused.pt',
                               '--modules=' + '+'.join(
                                   str(i) for i in range(len(parts))),
                               cwd=self.folder)
      self.assertIn(': ' + name, output)
      x = torch.randn(shapes[name])
      fused = torch.jit.load(self.path('fused.pt'))
      with torch.no_grad():
        self.assertTrue(torch.allclose(fused(x), model(x), atol=1e-5), name)

  def relative_error(self, model, inputs, *flags):
    """Of what `ns quantize --eager` makes of `model`."""
    torch.jit.script(model).save(self.path('layer.pt'))
    torch.save([inputs], self.path('layer_inputs.pt'))
    self.succeed('quantize', '--eager', '--float=layer.pt', '--out=q.pt',
                 '--inputs=layer_inputs.pt', '--backend=onednn', '--quiet',
                 *flags, cwd=self.folder)
    quantized = torch.jit.load(self.path('q.pt'))
    with torch.no_grad():
      x, y = model(*inputs), quantized(*inputs)
    return (x - y).norm() / x.norm()

  def test_mends_defects_of_pytorch(self):
    # PyTorch makes a slope of 0 of 0.25.
    self.assertLess(self.relative_error(
        tq.QuantWrapper(nn.PReLU()).eval(), (torch.randn(4, 8),)), 0.02)
    # It makes a sum of a mean.
    indices, offsets = torch.tensor([1, 4, 2, 7, 0]), torch.tensor([0, 3])
    self.assertLess(self.relative_error(
        Bag(), (indices, offsets), '--mode=weight-only'), 0.02)
    # It stops at a scale for each channel of a transposed convolution.
    self.assertLess(self.relative_error(
        tq.QuantWrapper(nn.ConvTranspose2d(3, 4, 3)).eval(),
        (torch.randn(1, 3, 6, 6),)), 0.05 * SLACK)

  def test_compat_gives_what_python_gives(self):
    self.quantize('--compat=torch-1.13')
    for x, y in zip(self.outputs('quantized.pt'), self.expected()):
      self.assertTrue(torch.equal(x, y))

  def test_the_table_has_the_modules(self):
    output, _ = self.quantize()
    self.assertRegex(output, r'conv +ConvReLU2d +1 .* 8, channel')
    self.assertRegex(output, r'fc +Linear +1 .* 8, channel')
    self.assertIn('rule 1  global: ', output)
    quantized = torch.jit.load(self.path('quantized.pt'))
    self.assertEqual(quantized.fc.original_name, 'Linear')
    self.assertIn('quant.scale', quantized.state_dict())

  def test_json_has_the_schema_of_flat_models(self):
    report = json.loads(self.quantize('--json=-', '--quiet')[0])
    self.assertEqual(report['schema'], 'ns.quantize/1')
    self.assertEqual([layer['name'] for layer in report['layers']],
                     ['quant', 'conv', 'fc'])
    self.assertGreater(report['output_sqnr_db'][0]['sqnr_db'], 20)

  def test_what_is_kept_stays_float(self):
    # Between float and quantized modules, stubs are needed.
    self.fail_with(3, 'quantize', '--eager', '--float=float.pt',
                   '--inputs=inputs.pt', '--out=quantized.pt', '--keep=conv',
                   cwd=self.folder, names='quantized')
    output, _ = self.succeed('quantize', '--eager', '--float=float.pt',
                             '--inputs=inputs.pt', '--out=quantized.pt',
                             '--mode=dynamic', cwd=self.folder)
    self.assertRegex(output, r'fc +Linear +1')
    self.assertIn('conv (Conv2d)', output)

  def test_it_says_what_is_wrong(self):
    torch.jit.script(nn.Sequential(nn.Linear(3, 3))).save(self.path('bare.pt'))
    eager = ('quantize', '--eager', '--inputs=inputs.pt', '--out=quantized.pt')
    self.fail_with(3, *eager, '--float=bare.pt', cwd=self.folder,
                   names=['bare.pt', 'no QuantStub'])
    torch.jit.trace(self.model, self.batches[0]).save(self.path('traced.pt'))
    self.fail_with(3, *eager, '--float=traced.pt', cwd=self.folder,
                   names=['traced.pt', "'quant' was traced"])
    self.fail_with(2, *eager, '--float=float.pt', '--reference',
                   cwd=self.folder, names=['--reference', '--eager'])
    self.fail_with(2, *eager, '--prepared=p.pt', cwd=self.folder,
                   names='--eager needs --float')


if __name__ == '__main__':
  unittest.main()
