"""ns inspect: what one model file holds."""

import hashlib
import json
import pathlib
import unittest

import torch

import cli


class Net(torch.nn.Module):

  def __init__(self):
    super().__init__()
    self.conv = torch.nn.Conv2d(3, 8, 3)
    self.pool = torch.nn.MaxPool2d(2)
    self.fc = torch.nn.Linear(8 * 3 * 3, 5)

  def forward(self, x, scale: float = 1.0):
    x = torch.relu(self.conv(x))
    x = torch.flatten(self.pool(x), 1)
    return self.fc(x) * scale


class InspectTest(cli.CliTest):

  def setUp(self):
    super().setUp()
    self.net = Net().eval()
    torch.jit.script(self.net).save(self.path('net.pt'))
    torch.save([torch.randn(4, 3, 8, 8) for _ in range(2)],
               self.path('inputs.pt'))

  def quantize(self, *flags):
    self.succeed('quantize', 'net.pt', 'inputs.pt', '-o', 'q.pt', '--quiet',
                 '--backend=onednn', *flags, cwd=self.folder)

  def inspect(self, name, *flags):
    output, error = self.succeed('inspect', name, '--json=-', *flags,
                                 cwd=self.folder)
    self.assertEqual(error, '')
    return json.loads(output)

  def test_layers_of_a_float_model(self):
    found = self.inspect('net.pt')
    self.assertEqual(found['schema'], 'ns.inspection/1')
    self.assertEqual(found['kind'], 'float')
    self.assertFalse(found['frozen'])
    self.assertEqual(found['methods'], [
        {'name': 'forward', 'arguments': ['x: Tensor', 'scale: float = ...'],
         'returns': 'Tensor'}])
    layers = {layer['name']: layer for layer in found['layers']}
    self.assertEqual(layers['conv']['weights'][0]['shape'], [8, 3, 3, 3])
    self.assertEqual(layers['conv']['weights'][0]['dtype'], 'float32')
    self.assertEqual(layers['fc']['op'], 'aten::linear')
    self.assertEqual(layers['fc']['runs_in'], 'float')
    self.assertNotIn('output', layers['fc'])

  def test_files_say_how_they_were_made(self):
    self.assertNotIn('provenance', self.inspect('net.pt'))
    self.quantize()
    found = self.inspect('q.pt')['provenance']
    self.assertRegex(found['tool'], r'^ns \d+\.\d+\.\d+$')
    self.assertEqual(found['engine'], 'onednn')
    self.assertTrue(torch.__version__.startswith(found['libtorch'][:4]))
    self.assertIn('ns quantize net.pt inputs.pt -o q.pt --quiet '
                  '--backend=onednn', found['command'])
    self.assertEqual(
        found['files'],
        [{'path': name, 'sha256': hashlib.sha256(
            pathlib.Path(self.path(name)).read_bytes()).hexdigest()}
         for name in ('net.pt', 'inputs.pt')])
    # Python reads it, too.
    extra = {'ns_provenance.json': ''}
    torch.jit.load(self.path('q.pt'), _extra_files=extra)
    self.assertEqual(json.loads(extra['ns_provenance.json']), found)
    table, _ = self.succeed('inspect', 'q.pt', cwd=self.folder)
    self.assertRegex(table, r'\nmade by ns [0-9.]+ on LibTorch [0-9.]+, engine '
                     r'onednn: ns quantize net\.pt ')
    # A model that is made of it names it.
    self.succeed('lower', 'q.pt', 'it is lowered.pt', cwd=self.folder)
    found = self.inspect('it is lowered.pt')['provenance']
    self.assertEqual(found['command'], "ns lower q.pt 'it is lowered.pt'")
    self.assertEqual([file['path'] for file in found['files']], ['q.pt'])

  def test_equal_commands_write_equal_files(self):
    texts = []
    for _ in range(2):
      self.quantize()
      texts.append(pathlib.Path(self.path('q.pt')).read_bytes())
    self.assertEqual(texts[0], texts[1])

  def test_scales_are_those_of_the_model(self):
    self.quantize('--compat=torch-1.13')
    found = self.inspect('q.pt')
    self.assertEqual(found['kind'], 'static int8')
    conv, = [layer for layer in found['layers']
             if layer['op'] == 'quantized::conv2d']
    # As PerChannelMinMaxObserver has it for symmetric int8 weights.
    largest = self.net.conv.weight.detach().flatten(1).abs().max(1).values
    scales = largest / 127.5
    scale = conv['weights'][0]['scale']
    self.assertTrue(scale['per_channel'])
    self.assertAlmostEqual(scale['lowest'], scales.min().item(), places=6)
    self.assertAlmostEqual(scale['highest'], scales.max().item(), places=6)
    self.assertEqual(scale['zero_point'], 0)
    self.assertEqual(conv['weights'][0]['dtype'], 'qint8')
    self.assertEqual(conv['runs_in'], 'int8')

  def test_layers_with_one_scale_have_one_number(self):
    self.quantize()
    layers = {layer['name']: layer for layer in self.inspect('q.pt')['layers']}
    self.assertIn('x.quantize', layers)
    # Pooling hands the scale of the convolution on. The file has no modules any
    # more.
    conv, pool = layers['conv2d_relu'], layers['max_pool2d']
    self.assertEqual(pool['output'], conv['output'])
    self.assertEqual(pool['scale_group'], conv['scale_group'])
    self.assertNotIn('scale_group', layers['linear'])

  def test_each_kind_is_told(self):
    for flags, kind in ((('--mode=dynamic',), 'dynamic int8'),
                        (('--reference',), 'reference'),
                        ((), 'static int8')):
      self.quantize(*flags)
      with self.subTest(kind):
        self.assertEqual(self.inspect('q.pt')['kind'], kind)
    self.succeed('lower', 'q.pt', 'l.pt', '--quiet', cwd=self.folder)
    self.assertEqual(self.inspect('l.pt')['kind'], 'lowered')
    self.quantize('--prepared=p.pt')
    self.assertEqual(self.inspect('p.pt')['kind'], 'prepared')

  def test_a_model_of_embeddings_is_weight_only(self):
    words = torch.nn.Sequential(torch.nn.Embedding(10, 16),
                                torch.nn.Linear(16, 3))
    torch.jit.script(words.eval()).save(self.path('net.pt'))
    torch.save([torch.randint(0, 10, (2, 4))], self.path('inputs.pt'))
    self.quantize('--mode=weight-only')
    found = self.inspect('q.pt')
    self.assertEqual(found['kind'], 'weight-only')
    self.assertEqual(found['layers'][0]['weights'][0]['dtype'], 'quint8')

  def test_a_frozen_model_is_one(self):
    torch.jit.freeze(torch.jit.script(self.net)).save(self.path('frozen.pt'))
    self.assertTrue(self.inspect('frozen.pt')['frozen'])

  def test_the_table_says_it_in_words(self):
    self.quantize()
    output, _ = self.succeed('inspect', 'q.pt', cwd=self.folder)
    self.assertRegex(output, r'\Aq.pt: static int8, frozen, [\d.]+ kB\n'
                     r'made by ns .*\n'
                     r'  forward\(x: Tensor, scale: float = ...\) -> Tensor\n')
    self.assertRegex(output, r'(?m)^conv2d_relu +conv2d_relu +int8 +'
                     r'qint8 \[8, 3, 3, 3\] +[\de.-]+ to [\de.-]+ +quint8 ')
    self.assertRegex(output, r'(?m)^\d+ layers: \d+ int8')

  def test_training_mode_is_told(self):
    dropout = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout())
    torch.jit.script(dropout.train()).save(self.path('train.pt'))
    output, _ = self.succeed('inspect', 'train.pt', cwd=self.folder)
    self.assertIn("training mode: '1' (Dropout)", output)

  def test_errors_name_the_file_or_the_method(self):
    self.fail_with(2, 'inspect', names='--model')
    self.fail_with(3, 'inspect', 'none.pt', names='none.pt', cwd=self.folder)
    self.fail_with(3, 'inspect', 'net.pt', '--method=run',
                   names=('net.pt', 'run'), cwd=self.folder)
    self.fail_with(3, 'inspect', 'inputs.pt', names=('inputs.pt', 'list'),
                   cwd=self.folder)


if __name__ == '__main__':
  unittest.main()
