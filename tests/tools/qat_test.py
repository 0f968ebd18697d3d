"""`ns quantize --mode=qat`: trains models, and goes on when it was killed."""

import json
import os
import signal
import subprocess
import time
import unittest
import warnings

warnings.filterwarnings('ignore')

import torch
from torch import nn
from torch.ao import quantization as tq

import cli

torch.backends.quantized.engine = 'onednn'
torch.set_num_threads(1)

BATCHES, HELD_OUT = 30, 3


class Net(nn.Module):
  """Scores of three classes."""

  def __init__(self):
    super().__init__()
    self.quant = tq.QuantStub()
    self.conv = nn.Conv2d(1, 8, 3, padding=1, bias=False)
    self.bn = nn.BatchNorm2d(8)
    self.relu = nn.ReLU()
    self.pool = nn.AvgPool2d(4)
    self.fc = nn.Linear(32, 3)
    self.dequant = tq.DeQuantStub()

  def forward(self, x):
    x = self.relu(self.bn(self.conv(self.quant(x))))
    return self.dequant(self.fc(torch.flatten(self.pool(x), 1)))


def samples(count):
  """Images, and the labels: which of three quarters is the brightest."""
  x = torch.randn(count, 1, 8, 8)
  quarters = nn.functional.avg_pool2d(x, 4).flatten(1)
  return x, quarters[:, :3].argmax(1)


class QatTest(cli.CliTest):

  def setUp(self):
    super().setUp()
    torch.manual_seed(1)
    torch.jit.script(Net().eval()).save(self.path('float.pt'))
    batches = [samples(16) for _ in range(BATCHES)]
    self.images = [x for x, _ in batches]
    self.labels = [y for _, y in batches]
    torch.save(self.images, self.path('images.pt'))
    torch.save(self.labels, self.path('labels.pt'))

  def command(self, *flags):
    return ('quantize', '--mode=qat', '--float=float.pt', '--inputs=images.pt',
            '--out=quantized.pt', '--backend=onednn', '--threads=1', *flags)

  def train(self, *flags):
    return self.succeed(*self.command('--labels=labels.pt', '--lr=0.01',
                                      *flags), cwd=self.folder)

  def report(self, *flags):
    return self.json(*self.command('--labels=labels.pt', '--lr=0.01', *flags),
                     cwd=self.folder)['training']

  def outputs(self, name='quantized.pt'):
    model = torch.jit.load(self.path(name))
    with torch.no_grad():
      return torch.cat([model(x) for x in self.images])

  def top1(self):
    """Of the written model, on what is held out, by PyTorch alone."""
    scores = self.outputs()[-16 * HELD_OUT:]
    labels = torch.cat(self.labels[-HELD_OUT:])
    return float((scores.argmax(1) == labels).float().mean())

  def test_a_classifier_learns_its_labels(self):
    for flags in ((), ('--eager',), ('--optimizer=sgd',)):
      training = self.report('--epochs=6', *flags)
      self.assertEqual(training['goal'], 'labels')
      self.assertEqual(training['trained_batches'], BATCHES - HELD_OUT)
      self.assertEqual(training['held_out_batches'], HELD_OUT)
      self.assertEqual(len(training['epochs']), 6)
      first, last = training['epochs'][0], training['epochs'][-1]
      self.assertLess(last['trained']['loss'], first['trained']['loss'])
      # Nothing was learnt before.
      self.assertLess(training['calibrated']['top1'], 0.5)
      self.assertGreater(training['quantized']['top1'], 0.65)
      self.assertAlmostEqual(training['quantized']['top1'], self.top1(),
                             places=6)

  def test_the_table_and_the_lines_say_what_was_achieved(self):
    output, error = self.train('--epochs=2')
    self.assertRegex(error, r'^epoch 1: loss \d\.\d{4}, top-1 \d+\.\d\d %; '
                     r'held out: loss \d\.\d{4}, top-1 \d+\.\d\d %\nepoch 2: ')
    self.assertIn('trained 2 epochs of 27 batches, 3 held out; goal: labels; '
                  'adam, learning rate 0.01\n  epoch 1: loss', output)
    self.assertIn('on what was held out:\n  float       loss', output)

  def test_without_labels_the_float_model_is_the_teacher(self):
    training = self.json(*self.command('--epochs=2', '--held-out=0'),
                         cwd=self.folder)['training']
    self.assertEqual(training['goal'], 'float model')
    self.assertEqual(training['held_out_batches'], 0)
    self.assertNotIn('held_out', training['epochs'][0])
    self.assertEqual(training['float']['loss'], 0)
    model = torch.jit.load(self.path('float.pt'))
    with torch.no_grad():
      expected = torch.cat([model(x) for x in self.images])
    error = (self.outputs() - expected).square().sum()
    loss = float(error / expected.square().sum())
    self.assertAlmostEqual(training['quantized']['loss'] / loss, 1, delta=0.1)

  def test_the_result_is_never_worse_than_static_quantization(self):
    """So large a step makes noise of the weights."""
    flags = self.command('--epochs=1', '--lr=1')
    training = self.json(*flags, cwd=self.folder)['training']
    self.assertGreater(training['trained']['loss'],
                       training['calibrated']['loss'])
    self.assertEqual(training['quantized'], training['calibrated'])
    _, error = self.succeed(*flags, cwd=self.folder)
    self.assertIn('the model was written as it was before training', error)
    model = torch.jit.load(self.path('float.pt'))
    held_out = slice(-16 * HELD_OUT, None)
    with torch.no_grad():
      expected = torch.cat([model(x) for x in self.images])[held_out]
    error = (self.outputs()[held_out] - expected).square().sum()
    self.assertLess(float(error / expected.square().sum()), 0.01)

  def kill_after_the_first_epoch(self, *flags):
    process = subprocess.Popen([cli.NS, *flags], cwd=self.folder,
                               env=cli.environment(), stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    with process:
      self.assertIn(b'epoch 1', process.stderr.readline())
      while not os.path.exists(self.path('quantized.pt.checkpoint')):
        self.assertIsNone(process.poll())
        time.sleep(0.01)
      process.send_signal(signal.SIGKILL)
    self.assertFalse(os.path.exists(self.path('quantized.pt')))

  def test_a_killed_run_goes_on_to_the_same_model(self):
    for flags in (('--epochs=12',), ('--epochs=12', '--eager')):
      whole = self.report(*flags)
      expected = self.outputs()
      os.remove(self.path('quantized.pt'))
      self.kill_after_the_first_epoch(
          *self.command('--labels=labels.pt', '--lr=0.01', *flags))
      output, error = self.train('--json=-', *flags)
      self.assertEqual(json.loads(output)['training'], whole)
      self.assertTrue(torch.equal(self.outputs(), expected))
      self.assertEqual(len([line for line in error.splitlines()
                            if line.startswith('epoch')]), 12)
      self.assertFalse(os.path.exists(self.path('quantized.pt.checkpoint')))

  def test_a_full_disk_is_an_error_and_leaves_nothing(self):
    before = sorted(os.listdir(self.folder))
    process = cli.run(
        *self.command('--labels=labels.pt', '--lr=0.01', '--epochs=2'),
        cwd=self.folder, shell='ulimit -f 1; exec "$@"')
    error = process.stderr.decode()
    self.assertEqual(process.returncode, 3, error)
    self.assertIn('cannot write', error.splitlines()[-1])
    self.assertEqual(sorted(os.listdir(self.folder)), before)

  def test_a_checkpoint_of_another_run_is_refused(self):
    self.kill_after_the_first_epoch(
        *self.command('--labels=labels.pt', '--lr=0.01', '--epochs=12'))
    self.fail_with(3, *self.command('--labels=labels.pt', '--lr=0.02',
                                    '--epochs=12'),
                   cwd=self.folder,
                   names=('ns: quantized.pt.checkpoint: is a checkpoint of another '
                          'run: --lr was 0.01 and is 0.02', '--checkpoint'))
    torch.save(self.labels[::-1], self.path('labels.pt'))
    self.fail_with(3, *self.command('--labels=labels.pt', '--lr=0.01',
                                    '--epochs=12'),
                   cwd=self.folder, names='--labels was labels.pt (')

  def test_another_method_is_trained(self):

    class Encoder(nn.Module):

      def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

      @torch.jit.export
      def encode(self, x):
        return self.fc(x.mean(1).mean(1))

    torch.jit.script(Encoder().eval()).save(self.path('encoder.pt'))
    self.succeed('quantize', '--mode=qat', '--float=encoder.pt',
                 '--inputs=images.pt', '--out=quantized.pt', '--epochs=1',
                 '--method=encode', cwd=self.folder)
    model = torch.jit.load(self.path('quantized.pt'))
    self.assertEqual(model.encode(self.images[0]).shape, (16, 8))

  def test_the_mapping_that_was_used_is_written(self):
    mapping = {'schema': 'ns.qconfig/1', 'global': None,
               'object_type': [['linear', 'fbgemm']],
               'module_name_regex': [], 'module_name': [],
               'module_name_object_type_order': []}
    with open(self.path('in.json'), 'w', encoding='utf-8') as file:
      json.dump(mapping, file)
    self.train('--epochs=1', '--qconfig=in.json', '--emit-qconfig=out.json')
    with open(self.path('out.json'), encoding='utf-8') as file:
      written = json.load(file)
    self.assertIsNone(written['global'])
    self.assertEqual([row[0] for row in written['object_type']], ['linear'])

  def test_leaves_are_not_trained(self):

    class Gate(nn.Module):

      def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

      def forward(self, x):
        return x * self.scale

    class Gated(nn.Module):

      def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 3)
        self.gate = Gate()

      def forward(self, x):
        return self.gate(self.fc(x.mean(1).mean(1)))

    torch.jit.script(Gated()).save(self.path('gated.pt'))
    self.succeed('quantize', '--mode=qat', '--float=gated.pt',
                 '--inputs=images.pt', '--out=quantized.pt', '--epochs=1',
                 '--leaf=Gate', '--lr=0.1', cwd=self.folder)
    model = torch.jit.load(self.path('quantized.pt'))
    self.assertTrue(torch.equal(model.gate.scale, torch.ones(3)))

  def test_wrong_usage_is_named(self):
    for flags, names in (
        (('--epochs=0',), '--epochs=0'),
        (('--lr=-1',), ('--lr=-1', 'above 0')),
        (('--lr=much',), '--lr=much'),
        (('--optimizer=lion',), ('--optimizer=lion', 'adam, sgd')),
        (('--compat=torch-1.13',), '--compat'),
        (('--eager', '--observer=minmax'), ('--observer', '--eager')),
        (('--epochs=10000000',), '--epochs=10000000'),
        (('--prepared=p.pt',), ('--prepared', '--mode=qat')),
        (('--checkpoint=quantized.pt',), ('--checkpoint', '--out'))):
      self.fail_with(2, *self.command(*flags), cwd=self.folder, names=names)
    self.fail_with(2, 'quantize', '--float=float.pt', '--inputs=images.pt',
                   '--out=q.pt', '--epochs=2', cwd=self.folder,
                   names=('--epochs', '--mode=qat'))

  def test_bad_labels_are_named(self):
    torch.save(self.labels[:5], self.path('few.pt'))
    torch.save([y + 2 for y in self.labels], self.path('large.pt'))
    torch.save([y.float() for y in self.labels], self.path('floats.pt'))
    for labels, names in (('few.pt', ('few.pt', '5 batches', '30')),
                          ('large.pt', ('images.pt: batch', '0 to 2')),
                          ('floats.pt', ('floats.pt', 'integers')),
                          ('none.pt', 'none.pt')):
      self.fail_with(3, *self.command(f'--labels={labels}'), cwd=self.folder,
                     names=names)
    self.fail_with(3, *self.command('--held-out=30'), cwd=self.folder,
                   names=('--held-out=30', '30 batches'))
    self.assertNotIn('quantized.pt', os.listdir(self.folder))


if __name__ == '__main__':
  unittest.main()
