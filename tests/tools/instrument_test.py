"""Instrumented modules: they load elsewhere, compute what they did, and their
loggers hold what hooks see."""

import os
import shutil
import subprocess
import sys
import tempfile
from typing import List
import unittest

import torch

import cli

torch.backends.quantized.engine = 'onednn'
SIDES = ('float', 'quantized')


class KeepsMeans(torch.nn.Module):
  stats: List[torch.Tensor]

  def __init__(self):
    super().__init__()
    self.stats = []

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    value = x.dequantize() if x.is_quantized else x
    self.stats.append(value.mean())
    return x

  @torch.jit.export
  def get_stats(self) -> List[torch.Tensor]:
    return self.stats


class TakesTwo(torch.nn.Module):

  def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x


LAYERS = ['x.quantize', 'conv', 'flatten', 'fc']


def case(name):
  return os.path.join(cli.CASES, name + '.pt')


class InstrumentTest(cli.CliTest):

  def instrument(self, model='net', *flags):
    output, error = self.succeed(
        'instrument', f'--float={model}_float.pt',
        f'--quantized={model}_quantized.pt',
        f'--out-float={self.path("float.pt")}',
        f'--out-quantized={self.path("quantized.pt")}', '--quiet', *flags)
    self.assertEqual((output, error), ('', ''))
    self.assertEqual(sorted(os.listdir(self.folder)),
                     ['float.pt', 'quantized.pt'])

  def execute(self, module, inputs='', save='', ops=cli.OPS):
    """What a fresh process sees; inputs is the name of a case."""
    script = os.path.join(os.environ['PYTHONPATH'], 'run_logged.py')
    process = subprocess.run(
        [sys.executable, '-W', 'ignore', script, module,
         case(inputs) if inputs else '', self.path('out.pt'), save, ops],
        capture_output=True, timeout=cli.TIMEOUT, check=False)
    self.assertEqual(process.returncode, 0, process.stderr.decode())
    return torch.load(self.path('out.pt'))

  def by_layer(self, seen):
    return {seen['infos'][name]['layer']: values
            for name, values in seen['stats'].items()}

  def assert_same(self, a, b):
    self.assertEqual(len(a), len(b))
    for x, y in zip(a, b):
      self.assertEqual((x.dtype, x.shape), (y.dtype, y.shape))
      self.assertTrue(torch.equal(x, y))

  def test_outputs_are_bit_identical_in_a_fresh_process(self):
    self.instrument()
    for side in SIDES:
      logged = self.execute(self.path(side + '.pt'), 'images')
      plain = self.execute(case('net_' + side), 'images', ops='')
      self.assert_same(logged['outputs'], plain['outputs'])

  def test_every_layer_has_a_logger_with_a_value_a_batch(self):
    self.instrument()
    for side in SIDES:
      seen = self.execute(self.path(side + '.pt'), 'images')
      self.assertEqual([info['layer'] for info in seen['infos'].values()],
                       LAYERS)
      for info in seen['infos'].values():
        self.assertEqual(info['model_name'], side)
        self.assertEqual(info['type'], 'node_output')
      for values in seen['stats'].values():
        self.assertEqual(len(values), 3)

  def scripted(self, module):
    folder = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))
    self.addCleanup(shutil.rmtree, folder)
    path = os.path.join(folder, type(module).__name__ + '.pt')
    torch.jit.save(torch.jit.script(module), path)
    return path

  def means(self, module):
    stats = self.by_layer(self.execute(self.path(module), 'images'))
    return {layer: [float(value) for value in values]
            for layer, values in stats.items()}

  def test_a_scripted_logger_takes_the_place_of_ours(self):
    logger = self.scripted(KeepsMeans())
    self.instrument()
    expected = {}
    for side in SIDES:
      stats = self.by_layer(self.execute(self.path(side + '.pt'), 'images'))
      expected[side] = {
          layer: [float((v.dequantize() if v.is_quantized else v).mean())
                  for v in values] for layer, values in stats.items()}
    os.remove(self.path('out.pt'))
    self.instrument('net', f'--logger={logger}')
    for side in SIDES:
      means = self.means(side + '.pt')
      self.assertEqual(list(means), list(expected[side]))
      for layer, values in means.items():
        self.assertEqual(len(values), 3)
        for mean, plain in zip(values, expected[side][layer]):
          self.assertAlmostEqual(mean, plain, 6)

  def test_a_scripted_logger_sees_shadows(self):
    self.instrument('net', f'--logger={self.scripted(KeepsMeans())}',
                    '--what=shadows')
    seen = self.execute(self.path('quantized.pt'), 'images')
    models = [info['model_name'] for info in seen['infos'].values()]
    self.assertEqual(set(models), set(SIDES))
    for values in seen['stats'].values():
      self.assertEqual([value.dim() for value in values], [0, 0, 0])

  def test_what_is_no_logger_is_refused(self):
    for path, said in ((self.scripted(TakesTwo()), 'one Tensor'),
                       ('none.pt', 'none.pt'), ('images.pt', 'images.pt')):
      self.fail_with(3, 'instrument', '--float=net_float.pt',
                     '--quantized=net_quantized.pt',
                     f'--out-float={self.path("f.pt")}',
                     f'--out-quantized={self.path("q.pt")}',
                     f'--logger={path}', names=(path, said))
    self.assertEqual(os.listdir(self.folder), [])

  def test_loggers_start_empty(self):
    self.instrument()
    for side in SIDES:
      for values in self.execute(self.path(side + '.pt'))['stats'].values():
        self.assertEqual(values, [])

  def test_logged_values_are_those_of_the_modules_own_code(self):
    self.instrument()
    batches = torch.load(case('images'))
    model = torch.jit.load(case('net_float'))
    seen = self.by_layer(self.execute(self.path('float.pt'), 'images'))
    with torch.no_grad():
      conv = [model.relu(model.bn(model.conv(x))) for x in batches]
      self.assert_same(seen['x.quantize'], batches)
      self.assert_same(seen['conv'], conv)
      self.assert_same(seen['flatten'], [x.flatten(1) for x in conv])
      self.assert_same(seen['fc'], [model(x) for x in batches])

  def test_logged_quantized_values_stay_quantized(self):
    self.instrument()
    batches = torch.load(case('images'))
    model = torch.jit.load(case('net_quantized'))
    seen = self.by_layer(self.execute(self.path('quantized.pt'), 'images'))
    with torch.no_grad():
      self.assert_same([x.dequantize() for x in seen['fc']],
                       [model(x) for x in batches])
    for name in LAYERS:
      for value in seen[name]:
        self.assertTrue(value.is_quantized, name)
        self.assertEqual(value.dtype, torch.quint8)

  def test_statistics_survive_saving_after_running(self):
    self.instrument()
    for side in SIDES:
      first = self.execute(self.path(side + '.pt'), 'images',
                           save=self.path('again.pt'))
      again = self.execute(self.path('again.pt'))
      self.assertEqual(first['infos'], again['infos'])
      for name, values in first['stats'].items():
        self.assert_same(values, again['stats'][name])

  def test_without_the_library_loading_fails_cleanly(self):
    self.instrument()
    for side in SIDES:
      code = f'import torch; torch.jit.load({self.path(side + ".pt")!r})'
      process = subprocess.run([sys.executable, '-c', code],
                               capture_output=True, timeout=cli.TIMEOUT,
                               check=False)
      self.assertEqual(process.returncode, 1)  # Not a signal.
      self.assertIn(b'RuntimeError', process.stderr)
      self.assertIn(b'ns.OutputLogger', process.stderr)

  def test_log_inputs_adds_loggers_of_arguments(self):
    self.instrument('mlp', '--log-inputs')
    seen = self.execute(self.path('float.pt'), 'rows')
    model = torch.jit.load(case('mlp_float'))
    batches = torch.load(case('rows'))
    inputs = {info['layer']: seen['stats'][name]
              for name, info in seen['infos'].items()
              if info['type'] == 'node_input'}
    with torch.no_grad():
      self.assert_same(inputs['first'], batches)
      self.assert_same(inputs['second'],
                       [model.relu(model.first(x)) for x in batches])

  def test_a_loop_logs_every_trip(self):
    self.instrument('loop')
    for side in SIDES:
      seen = self.by_layer(self.execute(self.path(side + '.pt'), 'rows'))
      self.assertEqual(len(seen['inner.first']), 3 * 3)

  def test_a_branch_not_taken_logs_nothing(self):
    self.instrument('branch')
    taken = self.by_layer(self.execute(self.path('quantized.pt'), 'rows'))
    passed = self.by_layer(self.execute(self.path('float.pt'), 'rows'))
    self.assertEqual(len(taken['high.first']), 3)
    self.assertEqual(len(passed['high.first']), 0)

  def test_another_method_is_instrumented_where_asked(self):
    self.instrument('encoder', '--method=encode')
    process = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', f'''
import torch
torch.ops.load_library({cli.OPS!r})
logged = torch.jit.load({self.path('float.pt')!r})
plain = torch.jit.load({case('encoder_float')!r})
for x in torch.load({case('rows')!r}):
  assert torch.equal(logged.encode(x), plain.encode(x))
print(len(logged.ns_logger_0.get_stats()))
'''], capture_output=True, timeout=cli.TIMEOUT, check=False)
    self.assertEqual(process.returncode, 0, process.stderr.decode())
    self.assertEqual(process.stdout, b'3\n')

  def shadow(self, model, *flags):
    output, error = self.succeed(
        'instrument', f'--float={model}_float.pt',
        f'--quantized={model}_quantized.pt', '--what=shadows',
        f'--out-quantized={self.path("quantized.pt")}', '--quiet', *flags)
    self.assertEqual((output, error), ('', ''))

  def test_it_says_what_it_wrote_and_how_to_read_it(self):
    out_float, out_quantized = self.path('f.pt'), self.path('q.pt')
    output, _ = self.succeed(
        'instrument', 'net_float.pt', 'net_quantized.pt',
        f'--out-float={out_float}', f'--out-quantized={out_quantized}')
    self.assertRegex(output, rf'\A{out_float}, {out_quantized}: \d+ layers')
    lines = [line.strip() for line in output.splitlines()
             if line.startswith('  ')]
    lines[0] = f'torch.ops.load_library({cli.OPS!r})'
    script = '\n'.join(['import torch', f'x = torch.load({case("images")!r})[0]',
                        *lines[:-1], f'print({lines[-1]})'])
    process = subprocess.run([sys.executable, '-W', 'ignore', '-c', script],
                             capture_output=True, check=False)
    self.assertEqual(process.returncode, 0, process.stderr.decode())
    self.assertIn(b'tensor', process.stdout)

  def test_shadow_model_holds_both_sides_of_every_layer(self):
    self.shadow('net')
    self.assertEqual(os.listdir(self.folder), ['quantized.pt'])
    shadowed = self.execute(self.path('quantized.pt'), 'images')
    plain = self.execute(case('net_quantized'), 'images', ops='')
    self.assert_same(shadowed['outputs'], plain['outputs'])
    sides = [(info['layer'], info['model_name'])
             for info in shadowed['infos'].values()]
    self.assertEqual(sides, [(layer, side) for layer in LAYERS
                             for side in SIDES])
    # The classifier of the float model, fed with the quantized one's values.
    values = list(shadowed['stats'].values())
    inputs, outputs = values[5], values[6]
    model = torch.jit.load(case('net_float'))
    with torch.no_grad():
      self.assert_same(outputs, [model.fc(x.dequantize()) for x in inputs])

  def test_shadow_model_runs_on_where_a_shadow_fails(self):
    self.shadow('splits')
    shadowed = self.execute(self.path('quantized.pt'), 'rows')
    plain = self.execute(case('splits_quantized'), 'rows', ops='')
    self.assert_same(shadowed['outputs'], plain['outputs'])
    kept = {}
    for name, info in shadowed['infos'].items():
      kept.setdefault(info['layer'], []).append(len(shadowed['stats'][name]))
    self.assertEqual(kept['split'], [0, 0])
    self.assertEqual(kept['inner.first'], [3, 3])

  def test_shadow_model_comes_with_the_float_model_where_asked(self):
    self.shadow('net', f'--out-float={self.path("float.pt")}')
    self.assertEqual(sorted(os.listdir(self.folder)),
                     ['float.pt', 'quantized.pt'])
    self.assert_same(
        self.execute(self.path('float.pt'), 'images', ops='')['outputs'],
        self.execute(case('net_float'), 'images', ops='')['outputs'])

  def test_existing_outputs_are_replaced(self):
    for side in SIDES:
      with open(self.path(side + '.pt'), 'wb') as file:
        file.write(b'old')
    self.instrument()
    self.assertTrue(self.execute(self.path('float.pt'), 'images')['stats'])


if __name__ == '__main__':
  unittest.main()
