"""`ns repro`: the smallest pair of modules that shows a layer's own error."""

import os
import re
import shlex
import shutil
import subprocess
import unittest

import torch

import cli

MODELS = ('--float=net_float.pt', '--quantized=net_quantized.pt')
NET = (*MODELS, '--inputs=images.pt')
FILES = ('float.pt', 'inputs.pt', 'quantized.pt', 'repro.py')


def shadow(layer):
  return float(layer['shadow']['sqnr_db'])


class Linear(torch.nn.Module):
  """A linear layer that computes in `dtype`."""

  def __init__(self, dtype):
    super().__init__()
    self.dtype = dtype
    self.fc = torch.nn.Linear(6, 4).to(dtype)

  def forward(self, x):
    return self.fc(x.to(self.dtype)).to(torch.float32)


class Complex(torch.nn.Module):
  """Turns complex numbers by (cosine, sine)."""

  def __init__(self, cosine, sine):
    super().__init__()
    self.turn = torch.nn.Parameter(
        torch.complex(torch.tensor([cosine]), torch.tensor([sine])))

  def forward(self, x):
    return torch.view_as_real(torch.complex(x, x + 1) * self.turn)


class Recurrent(torch.nn.Module):
  """Keeps the state of an LSTM from call to call."""

  def __init__(self):
    super().__init__()
    self.lstm = torch.nn.LSTM(6, 4)
    self.register_buffer('h', torch.zeros(1, 2, 4))
    self.register_buffer('c', torch.zeros(1, 2, 4))

  def forward(self, x):
    y, state = self.lstm(x, (self.h, self.c))
    self.h, self.c = state
    return y


class ReproTest(cli.CliTest):

  def repro(self, *flags):
    """The summary's figures of all data and of what is kept."""
    self.out = self.path('repro')
    output, _ = self.succeed('repro', *flags, f'--out={self.out}')
    self.assertEqual(tuple(sorted(os.listdir(self.out))), FILES)
    found = re.search(r'SQNR +(\S+) dB on all data, (\S+) dB on what', output)
    return output, float(found[1]), float(found[2])

  def test_the_printed_command_is_one_for_a_shell(self):
    out = self.path("it's $(touch x) here")
    output, _ = self.succeed('repro', *NET, f'--out={out}')
    command = re.search(r'(?m)^run +(.*)$', output)[1]
    self.assertEqual(shlex.split(command),
                     ['python3', os.path.join(out, 'repro.py')])

  def printed(self):
    """What repro.py prints, in another place, with python alone."""
    moved = self.path('moved')
    shutil.move(self.out, moved)
    self.out = moved
    output = subprocess.run(
        ['/usr/bin/python3', '-W', 'ignore', os.path.join(moved, 'repro.py')],
        cwd=self.folder, env=cli.environment(), stdout=subprocess.PIPE,
        timeout=cli.TIMEOUT, check=True).stdout.decode()
    return float(re.search(r'SQNR (\S+) dB', output)[1])

  def test_the_script_tells_what_ns_measured(self):
    _, of_all, of_kept = self.repro(*NET)
    output = subprocess.run(
        ['/usr/bin/python3', '-W', 'ignore', os.path.join(self.out, 'repro.py')],
        env=cli.environment(), stdout=subprocess.PIPE, timeout=cli.TIMEOUT,
        check=True).stdout.decode()
    found = re.search(r'ns repro measured (\S+) dB on these inputs, and (\S+) '
                      'dB on all data', output)
    self.assertAlmostEqual(float(found[1]), of_kept, delta=0.06)
    self.assertAlmostEqual(float(found[2]), of_all, delta=0.06)

  def test_the_script_says_that_python_has_no_torch(self):
    self.repro(*NET)
    process = subprocess.run(
        ['/usr/bin/python3', '-I', '-S', os.path.join(self.out, 'repro.py')],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=cli.TIMEOUT,
        check=False)
    self.assertEqual(process.returncode, 1)
    self.assertIn(b'/usr/bin/python3 has no PyTorch', process.stderr)
    self.assertEqual(len(process.stderr.splitlines()), 1, process.stderr)

  def compared(self):
    """The shadows that `ns compare` finds in the files, lowest first."""
    layers = self.layers('compare', *(f'--{name}={self.out}/{name}.pt' for name
                                      in ('float', 'quantized', 'inputs')))
    return sorted(shadow(layer) for layer in layers.values())

  def check(self, *flags, layer):
    """The figures of the three ways, and those of the whole models."""
    _, of_all, of_kept = self.repro(*flags, f'--layer={layer}')
    whole = self.layers('compare', *flags)[layer]
    self.assertAlmostEqual(of_all, shadow(whole), delta=0.1)
    self.assertLessEqual(of_kept, of_all + 1.01)
    self.assertAlmostEqual(self.printed(), of_kept, delta=0.1)
    self.assertAlmostEqual(self.compared()[0], of_kept, delta=0.1)

  def test_a_layer_of_int8(self):
    self.check(*NET, layer='conv')
    batches = torch.load(os.path.join(self.out, 'inputs.pt'))
    self.assertEqual([list(x.shape) for x in batches], [[1, 3, 8, 8]])
    layer = torch.jit.load(os.path.join(self.out, 'float.pt'))
    self.assertEqual(layer(batches[0]).shape[1], 1)

  def test_a_depthwise_convolution(self):
    """One channel of it, and of what flows into it."""
    torch.manual_seed(3)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(8, 8, 3, groups=8), torch.nn.BatchNorm2d(8),
        torch.nn.ReLU()).eval()
    torch.jit.script(model).save(self.path('f.pt'))
    torch.save([torch.randn(4, 8, 9, 9) for _ in range(3)], self.path('i.pt'))
    flags = [f'--{name}={self.path(letter + ".pt")}' for name, letter in (
        ('float', 'f'), ('quantized', 'q'), ('inputs', 'i'))]
    self.succeed('quantize', flags[0], flags[2], f'--out={self.path("q.pt")}')
    self.check(*flags, layer='0')
    batches = torch.load(os.path.join(self.out, 'inputs.pt'))
    self.assertEqual([list(x.shape) for x in batches], [[1, 1, 9, 9]])

  def test_a_layer_with_two_inputs(self):
    self.check('--float=two_float.pt', '--quantized=two_quantized.pt',
               '--inputs=pairs.pt', layer='add')
    for batch in torch.load(os.path.join(self.out, 'inputs.pt')):
      self.assertEqual([list(x.shape) for x in batch], [[1, 6], [1, 6]])

  def test_a_dynamic_lstm(self):
    self.check('--float=lstm_float.pt', '--quantized=lstm_quantized.pt',
               '--inputs=sequences.pt', layer='lstm')

  def models(self, of_float, of_quantized, batches):
    """The flags for files with these models and inputs."""
    flags = []
    for name, model in (('float', of_float), ('quantized', of_quantized)):
      torch.jit.script(model.eval()).save(self.path(f'{name}.pt'))
      flags.append(f'--{name}={self.path(name + ".pt")}')
    torch.save(batches, self.path('batches.pt'))
    return (*flags, f'--inputs={self.path("batches.pt")}')

  def linear(self, dtype, of_quantized, change=0.):
    """The flags for linear layers in two dtypes, with nearly one weight."""
    a = Linear(dtype)
    b = Linear(of_quantized)
    b.load_state_dict(a.state_dict())
    with torch.no_grad():
      b.fc.weight += change * torch.randn(4, 6, dtype=of_quantized)
    return self.models(a, b, [torch.randn(3, 6) for _ in range(3)])

  def test_a_layer_of_bfloat16(self):
    self.check(*self.linear(torch.float32, torch.bfloat16), layer='fc')

  def test_a_layer_of_doubles(self):
    """Its error is less than that of a float."""
    self.check(*self.linear(torch.float64, torch.float64, 1e-9), layer='fc')

  def test_complex_numbers(self):
    flags = self.models(Complex(0.6, 0.8), Complex(0.6, 0.81),
                        [torch.randn(3, 6) for _ in range(2)])
    self.check(*flags, layer='mul')

  def test_a_state_that_the_model_keeps(self):
    """The batch with the lowest figure is followed by others."""
    a = Recurrent()
    b = torch.ao.quantization.quantize_dynamic(a.eval(), {torch.nn.LSTM})
    flags = self.models(a, b, [torch.randn(3, 2, 6) * scale
                               for scale in (1, 5, 0.1, 0.1)])
    output, _, of_kept = self.repro(*flags, '--layer=lstm')
    kept = int(re.search(r'kept +batch (\d+) ', output)[1])
    self.assertLess(kept, 3)
    whole = self.layers('compare', *flags)['lstm']['shadow']['batch_sqnr_db']
    self.assertAlmostEqual(of_kept, whole[kept], delta=0.01)

  def test_the_worst_offender_is_the_default(self):
    layers = self.layers('compare', *NET)
    worst = self.json('compare', *NET)['worst_offender']['name']
    output, of_all, _ = self.repro(*NET)
    self.assertRegex(output, rf'(?m)^layer +{re.escape(worst)} \(')
    self.assertAlmostEqual(of_all, shadow(layers[worst]), delta=0.1)

  def test_all_data_of_one_batch_is_that_batch(self):
    _, of_all, of_kept = self.repro(*MODELS, '--inputs=one_image.pt',
                                    '--max-batches=1', '--layer=fc')
    one = self.layers('compare', *MODELS, '--inputs=one_image.pt')['fc']
    self.assertAlmostEqual(of_all, shadow(one), delta=0.1)
    self.assertLessEqual(of_kept, of_all + 1.01)

  def test_quiet_prints_nothing(self):
    out = self.path('quiet')
    self.assertEqual(
        self.succeed('repro', *NET, '--quiet', f'--out={out}'), ('', ''))
    self.assertEqual(tuple(sorted(os.listdir(out))), FILES)

  def test_wrong_usage(self):
    out = f'--out={self.path("out")}'
    self.fail_with(2, 'repro', *NET, out, '--layer=convv',
                   names=('--layer', "'convv'", "'conv'?"))
    self.fail_with(2, 'repro', *NET, names='--out')
    self.fail_with(2, 'repro', *MODELS, out, names='--inputs')
    self.assertEqual(os.listdir(self.folder), [])

  def test_nothing_is_left_of_a_run_that_fails(self):
    out = f'--out={self.path("out")}'
    self.fail_with(3, 'repro', *MODELS, '--inputs=second_wrong.pt', out,
                   names='second_wrong.pt: batch 1')
    self.fail_with(3, 'repro', *MODELS, '--inputs=missing.pt', out,
                   names='missing.pt')
    self.fail_with(3, 'repro', '--float=loop_float.pt',
                   '--quantized=loop_quantized.pt', '--inputs=rows.pt', out,
                   '--layer=inner.first', names=("'inner.first'", 'loop'))
    # The worst layer may be inside, too.
    self.fail_with(3, 'repro', '--float=loop_float.pt',
                   '--quantized=loop_quantized.pt', '--inputs=rows.pt', out,
                   names=('cannot stand alone', 'loop', 'another with --layer'))
    self.fail_with(3, 'repro', *NET, out, '--layer=flatten',
                   names=("'flatten'", 'no error of its own'))
    self.fail_with(3, 'repro', *MODELS, '--inputs=nan.pt', out,
                   names=('net_quantized.pt', 'NaN', '--layer'))
    self.assertEqual(os.listdir(self.folder), [])

  def test_a_folder_that_cannot_be_made(self):
    with open(self.path('file'), 'w', encoding='utf-8') as file:
      file.write('kept')
    for out in ('file', 'file/below'):
      self.fail_with(3, 'repro', *NET, f'--out={self.path(out)}',
                     names='--out=')
    with open(self.path('file'), encoding='utf-8') as file:
      self.assertEqual(file.read(), 'kept')

  def test_only_files_of_an_earlier_run_are_replaced(self):
    out = self.path('out')
    os.mkdir(out)
    with open(os.path.join(out, 'float.pt'), 'w', encoding='utf-8') as file:
      file.write('kept')
    self.fail_with(2, 'repro', *NET, f'--out={out}',
                   names=('--out', os.path.join(out, 'float.pt'), 'another'))
    with open(os.path.join(out, 'float.pt'), encoding='utf-8') as file:
      self.assertEqual(file.read(), 'kept')
    self.assertEqual(os.listdir(out), ['float.pt'])
    os.remove(os.path.join(out, 'float.pt'))
    for layer in ('conv', 'fc'):
      self.succeed('repro', *NET, f'--out={out}', f'--layer={layer}')
    self.assertEqual(tuple(sorted(os.listdir(out))), FILES)

  def test_a_folder_with_a_name_that_is_not_printed(self):
    out = self.path('a\nb\'s\u202e')
    output, _ = self.succeed('repro', *NET, f'--out={out}')
    command = re.search(r'(?m)^run +(.*)$', output)[1]
    printed = subprocess.run(['bash', '-c', f'printf %s {command}'],
                             stdout=subprocess.PIPE, check=True).stdout
    self.assertEqual(printed.decode(),
                     'python3' + os.path.join(out, 'repro.py'))

  def test_inputs_are_not_overwritten(self):
    shutil.copy(os.path.join(cli.CASES, 'images.pt'), self.path('inputs.pt'))
    self.fail_with(2, 'repro', *MODELS, f'--inputs={self.path("inputs.pt")}',
                   f'--out={self.folder}', names='--out')
    self.assertEqual(os.listdir(self.folder), ['inputs.pt'])


if __name__ == '__main__':
  unittest.main()
