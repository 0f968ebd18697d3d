"""`ns quantize`: what it writes runs in plain PyTorch and is what its report
says."""

import os
import re
import subprocess
import unittest

import torch
from torch import nn

import cli
import make_cases
from quantizing import HAS_VNNI
from quantizing import load
from quantizing import NET
from quantizing import QuantizeTest
from quantizing import run
from quantizing import sqnr

NUMBER = r'[\d.]+(?:e[-+]\d+)?'


class Embeddings(nn.Module):

  def __init__(self):
    super().__init__()
    self.table = nn.Embedding(20, 16)
    self.bag = nn.EmbeddingBag(20, 16, mode='mean')

  def forward(self, x):
    return self.table(x).sum(1) + self.bag(x)


class Twice(nn.Module):

  def __init__(self):
    super().__init__()
    self.f = nn.Linear(16, 16)

  def forward(self, x):
    return self.f(torch.relu(self.f(x)))


class Head(nn.Module):
  """Boxes in pixels, and scores."""

  def __init__(self):
    super().__init__()
    self.boxes = nn.Linear(16, 4)
    self.scores = nn.Linear(16, 4)

  def forward(self, x):
    return torch.cat([self.boxes(x).sigmoid() * 640, self.scores(x).sigmoid()],
                     1)


class ReportTest(QuantizeTest):

  def test_the_table_has_a_row_for_each_layer(self):
    output, error = self.quantize()
    self.assertEqual(error, '')
    self.assertRegex(output, r'(?m)^layer +op +rule +bits +room +scale +point '
                     r'+scale +point +bits, per$')
    for name, op in (('conv', 'conv2d'), ('fc', 'linear')):
      self.assertRegex(
          output, rf'(?m)^{name} +{op} +\d +[78] +\d\.\d\d +{NUMBER} +\d+ +{NUMBER} '
          r'+\d+ +[78], channel$')
    self.assertRegex(output, r'(?m)^\d+ layers? quantized \(static, fbgemm\), '
                     r'\d+ stayed float$')
    self.assertRegex(output, r'(?m)^  rule 1  .+: static .*mse')
    self.assertRegex(output, r'SQNR of the outputs, 3 batches:\n'
                     r'  output   ?\d+\.\d dB\n'
                     r'(\nmore with other flags:\n(  --.*\n)+)?$')

  def test_the_json_says_the_same(self):
    report = self.report()
    self.assertEqual(report['float'], 'net_float.pt')
    self.assertEqual(report['out'], self.path('q.pt'))
    self.assertEqual((report['mode'], report['backend'], report['batches']),
                     ('static', 'fbgemm', 3))
    layers = {layer['name']: layer for layer in report['layers']}
    self.assertEqual(layers['conv']['op'], 'aten::conv2d')
    self.assertRegex(layers['conv']['rule'], r"^(global|object type '.+')$")
    self.assertEqual(len(layers['conv']['weight']['scales']), 8)
    self.assertEqual(len(layers['fc']['weight']['scales']), 10)
    # A relu is in it.
    self.assertEqual(layers['conv']['output']['min'], 0)
    self.assertEqual(layers['conv']['output']['zero_point'], 0)
    self.assertEqual((report['unused_rules'], report['warnings']), ([], []))

  def test_ranges_are_those_of_scale_and_zero_point(self):
    for layer in self.report()['layers']:
      outputs = [layer['output']] if 'output' in layer else []
      for value in (*layer['inputs'], *outputs):
        self.assertGreater(value['scale'], 0)
        steps = (value['max'] - value['min']) / value['scale']
        self.assertAlmostEqual(steps, round(steps), places=2)
        self.assertAlmostEqual(value['min'],
                               -value['scale'] * value['zero_point'], places=5)

  def test_the_error_of_the_outputs_is_the_true_one(self):
    report = self.report()
    output, = report['output_sqnr_db']
    self.assertEqual(output['name'], 'output')
    self.assertGreater(output['sqnr_db'], 20)
    self.assertAlmostEqual(
        output['sqnr_db'],
        self.error_db(make_cases.net(), load('images.pt')), delta=0.05)

  def test_compare_finds_the_same_error_and_all_layers(self):
    report = self.report()
    compare = ('compare', '--float=net_float.pt',
               f'--quantized={self.path("q.pt")}', '--inputs=images.pt',
               '--threads=1')
    outputs = self.json(*compare, '--what=outputs')['outputs']
    self.assertEqual(
        [(output['name'], output['sqnr_db']) for output in outputs
         if output['name'].startswith('output')],
        [(output['name'], output['sqnr_db'])
         for output in report['output_sqnr_db']])
    result = self.json(*compare)
    self.assertEqual(result['unmatched'], [])
    self.assertLessEqual({'conv', 'fc'},
                         {layer['name'] for layer in result['layers']})

  def test_quiet_writes_the_files_only(self):
    path = self.path('report.json')
    self.assertEqual(self.quantize('--quiet', f'--json={path}'), ('', ''))
    self.assertEqual(self.files(), ['q.pt', 'report.json'])
    self.assertIn(b'ns.quantize/1', self.read('report.json'))

  def test_the_same_run_gives_the_same_bytes(self):
    for name in ('a', 'b'):
      self.quantize(f'--prepared={self.path("p")}',
                    f'--json={self.path("r")}')
      for kind, file in (('p', 'p'), ('q', 'q.pt'), ('r', 'r')):
        os.rename(self.path(file), self.path(kind + name))
    for kind in 'pqr':
      self.assertEqual(self.read(kind + 'a'), self.read(kind + 'b'), kind)

  def test_each_output_is_told(self):
    for model, names in (('tuple', ['output[0]', 'output[1]']),
                         ('dict', ["output['y']", "output['half']"])):
      command = ('quantize', f'--float={model}_float.pt', '--inputs=rows.pt')
      report = self.report(command=command)
      self.assertEqual([o['name'] for o in report['output_sqnr_db']], names)
      table, _ = self.quantize(command=command)
      for name in names:
        self.assertIn(f'\n  {name} ', table)

  def test_two_arguments_are_both_quantized(self):
    report = self.report(command=('quantize', '--float=two_float.pt',
                                  '--inputs=pairs.pt'))
    layers = {layer['name']: layer for layer in report['layers']}
    self.assertLessEqual({'left', 'right'}, set(layers))
    total, = [layer for layer in report['layers'] if layer['op'] == 'aten::add']
    self.assertEqual(len(total['inputs']), 2)

  def test_inside_loops_and_branches(self):
    loop = self.by_name(command=('quantize', '--float=loop_float.pt',
                                 '--inputs=rows.pt'))
    self.assertLessEqual({'inner.first', 'inner.second'}, set(loop))
    report = self.report(command=('quantize', '--float=branch_float.pt',
                                  '--inputs=rows.pt'))
    self.assertLessEqual({'inner.first', 'inner.second'},
                         {layer['name'] for layer in report['layers']})
    never = [layer for layer in report['stayed_float']
             if layer['name'].startswith('high.')]
    self.assertEqual({layer['name'] for layer in never},
                     {'high.first', 'high.second'})
    for layer in never:
      self.assertIn('never ran', layer['reason'])
    # The branch that was not taken still works.
    self.outputs([torch.full((8, 4), 1e9)])

  def test_what_has_no_int8_form_stays_float(self):
    report = self.report(command=('quantize', '--float=unknown_op_float.pt',
                                  '--inputs=rows.pt'))
    reasons = {layer['op']: layer['reason'] for layer in report['stayed_float']}
    self.assertIn('aten::logcumsumexp', reasons)
    self.outputs(load('rows.pt'))

  def test_nan_and_inf_are_warnings(self):
    for inputs, what in (('nan.pt', 'nan'), ('inf.pt', 'inf')):
      command = ('quantize', '--float=net_float.pt', f'--inputs={inputs}')
      _, error = self.quantize(command=command)
      self.assertRegex(error, rf'(?mi)^ns: warning: .*{what}')
      for line in error.splitlines():
        self.assertTrue(line.startswith('ns: warning: '), line)
      self.assertTrue(self.report(command=command)['warnings'])
    self.quantize(command=('quantize', '--float=net_float.pt',
                           '--inputs=zeros.pt'))


def steps_of(value):
  return round((value['max'] - value['min']) / value['scale'])


class FlagTest(QuantizeTest):

  def test_batches_can_be_limited(self):
    self.assertEqual(self.report('--max-batches=1')['batches'], 1)

  def test_several_files_of_inputs_are_one_list(self):
    command = ('quantize', '--float=net_float.pt',
               '--inputs=images.pt,more_images.pt')
    self.assertEqual(self.report(command=command)['batches'], 5)

  def test_backends_have_their_own_defaults(self):
    for backend in ('fbgemm', 'x86', 'onednn', 'qnnpack'):
      with self.subTest(backend):
        report = self.report(f'--backend={backend}')
        self.assertEqual(report['backend'], backend)
        self.assertEqual(
            any('--target=onednn-avx2' in text for text in report['warnings']),
            backend == 'onednn' and not HAS_VNNI)
        fc, = [one for one in report['layers'] if one['name'] == 'fc']
        channels = 1 if backend == 'qnnpack' else 10
        self.assertEqual(len(fc['weight']['scales']), channels)
        # No layer takes it, so that none can saturate by it.
        self.assertEqual(steps_of(fc['output']), 255)
        engine = 'qnnpack' if backend == 'qnnpack' else 'onednn'
        # Without VNNI, oneDNN saturates where all have 8 bits.
        self.assertGreater(
            self.error_db(make_cases.net(), load('images.pt'), engine=engine),
            25 if backend != 'onednn' or HAS_VNNI else 10)
        reference, = [one for one in self.report(
            f'--backend={backend}', '--reference')['layers']
                      if one['name'] == 'fc']
        self.assertEqual(steps_of(reference['output']),
                         127 if backend in ('fbgemm', 'x86') else 255)

  def test_observers_are_named_and_differ(self):
    scales = {}
    for observer in ('minmax', 'moving-average', 'histogram', 'mse',
                     'percentile', 'entropy'):
      layers = self.by_name(f'--observer={observer}')
      scales[observer] = layers['conv']['output']['scale']
      if observer != 'minmax':
        self.assertIn(observer, layers['conv']['qconfig'])
    self.assertEqual(self.by_name()['conv']['output']['scale'], scales['mse'])
    self.assertGreater(len(set(scales.values())), 2, scales)
    for observer, scale in scales.items():
      self.assertLessEqual(scale, scales['minmax'], observer)

  def test_headroom_is_for_larger_values(self):
    qconfig = self.path('headroom.json')
    flags = ('--observer=minmax', '--bias-correction=none',
             '--target=fbgemm-vnni')
    plain = self.by_name(*flags)
    wide = self.by_name(*flags, '--headroom=1.5', f'--emit-qconfig={qconfig}')
    again = self.by_name(f'--qconfig={qconfig}', '--bias-correction=none',
                         '--target=fbgemm-vnni')
    for name in ('conv', 'fc'):
      scale, wider, same = (layers[name]['output']['scale']
                            for layers in (plain, wide, again))
      self.assertAlmostEqual(wider / scale, 1.5, places=4)
      self.assertEqual(same, wider)
    self.assertIn('headroom 1.5', wide['conv']['qconfig'])

  def test_dynamic_needs_no_inputs(self):
    command = ('quantize', '--float=mlp_float.pt', '--mode=dynamic')
    report = self.report(command=command)
    self.assertEqual((report['mode'], report['batches']), ('dynamic', 0))
    self.assertNotIn('output_sqnr_db', report)
    layers = {layer['name']: layer for layer in report['layers']}
    for name in ('first', 'second'):
      self.assertEqual(layers[name]['inputs'], [])
      self.assertNotIn('output', layers[name])
      self.assertIn('weight', layers[name])
    self.assertGreater(
        self.error_db(make_cases.mlp(), load('rows.pt')), 25)
    self.assertEqual(layers['first']['weight']['scheme'],
                     'per_channel_symmetric')
    table, _ = self.quantize(command=command)
    self.assertRegex(table, r'(?m)^first +linear +1 +- +- +- +- +- +- +8, channel$')
    self.assertNotIn('SQNR', table)

  def test_dynamic_with_inputs_measures_them(self):
    report = self.report('--inputs=rows.pt', command=(
        'quantize', '--float=mlp_float.pt', '--mode=dynamic', '--threads=1'))
    self.assertEqual(report['batches'], 3)
    self.assertAlmostEqual(
        report['output_sqnr_db'][0]['sqnr_db'],
        self.error_db(make_cases.mlp(), load('rows.pt')), delta=0.05)

  def test_dynamic_activations_have_the_bits_of_the_target(self):
    command = ('quantize', '--float=mlp_float.pt', '--mode=dynamic')
    errors = {}
    for flags, bits in ((('--backend=fbgemm',), 7),
                        (('--backend=fbgemm', '--target=fbgemm-vnni'), 8),
                        (('--backend=onednn',), 8),
                        (('--backend=onednn', '--target=onednn-avx2'), 7)):
      self.report(*flags, command=command)
      code = torch.jit.load(self.out().split('=')[1]).code
      calls = [line for line in code.split('\n') if '_dynamic(' in line]
      self.assertEqual(len(calls), 2, code)
      for call in calls:
        self.assertEqual(', True)' in call, bits == 7, (flags, call))
      errors.setdefault(bits, []).append(
          self.error_db(make_cases.mlp(), load('rows.pt')))
    if HAS_VNNI:
      self.assertGreater(min(errors[8]), max(errors[7]) + 1, errors)

  def test_dynamic_calls_with_and_without_relu(self):
    """LibTorch's onednn keeps the relu of the first call in a packed object."""
    torch.manual_seed(7)
    model = Twice().eval()
    torch.jit.save(torch.jit.script(model), self.path('f.pt'))
    batches = [torch.randn(8, 16) for _ in range(4)]
    torch.save(batches, self.path('i.pt'))
    report = self.report(command=(
        'quantize', f'--float={self.path("f.pt")}', '--mode=dynamic',
        f'--inputs={self.path("i.pt")}', '--threads=1'))
    error = self.error_db(model, batches)
    self.assertGreater(error, 30)
    self.assertAlmostEqual(report['output_sqnr_db'][0]['sqnr_db'], error,
                           delta=0.05)

  def test_parts_of_a_concatenation_survive(self):
    torch.manual_seed(7)
    model = Head().eval()
    torch.jit.save(torch.jit.script(model), self.path('f.pt'))
    batches = [torch.randn(8, 16) for _ in range(4)]
    torch.save(batches, self.path('i.pt'))
    report = self.report(command=(
        'quantize', f'--float={self.path("f.pt")}',
        f'--inputs={self.path("i.pt")}', '--threads=1'))
    reasons = {layer['name']: layer['reason']
               for layer in report['stayed_float']}
    self.assertRegex(reasons['cat'], r'at which input 2 of 2, with values from '
                     rf'{NUMBER} to {NUMBER}, would have -?{NUMBER} dB$')
    outputs = self.outputs(batches)
    references = run(model, batches)
    for columns in (slice(0, 4), slice(4, 8)):
      self.assertGreater(sqnr([y[:, columns] for y in outputs],
                              [y[:, columns] for y in references]), 25)

  def test_a_model_of_noise_is_warned_of(self):
    """The scales of the weight are those of an input that is always 0."""
    torch.manual_seed(7)
    model = nn.Sequential(nn.Linear(16, 16), nn.Linear(16, 4)).eval()
    model[0].weight.data[:, 0] = 3000.
    torch.jit.save(torch.jit.script(model), self.path('f.pt'))
    batches = [torch.cat([torch.zeros(8, 1), torch.randn(8, 15)], 1)
               for _ in range(4)]
    torch.save(batches, self.path('i.pt'))
    command = ('quantize', f'--float={self.path("f.pt")}', '--mode=dynamic',
               f'--inputs={self.path("i.pt")}', '--threads=1')
    pattern = (r"^the model returns mostly noise: output has -?\d\.\d dB; '0' "
               r'\(-?\d\.\d dB by itself\) costs most; with --keep=0, the '
               r'worst output has (\d\d\.\d) dB$')
    warnings = self.report(command=command)['warnings']
    self.assertEqual(len(warnings), 1)
    self.assertRegex(warnings[0], pattern)
    promised = float(re.fullmatch(pattern, warnings[0])[1])
    _, error = self.quantize(command=command)
    self.assertIn(warnings[0], error)
    kept = self.report('--keep=0', command=command)
    self.assertEqual(kept['warnings'], [])
    self.assertAlmostEqual(kept['output_sqnr_db'][0]['sqnr_db'], promised,
                           delta=0.06)

  def test_dynamic_takes_recurrent_layers(self):
    layers = self.by_name(command=('quantize', '--float=lstm_float.pt',
                                   '--mode=dynamic'))
    self.assertEqual(layers['lstm']['op'], 'aten::lstm')
    self.outputs(load('sequences.pt'))

  def test_weight_only_is_for_embeddings(self):
    torch.manual_seed(7)
    model = Embeddings().eval()
    torch.jit.save(torch.jit.script(model), self.path('f.pt'))
    layers = self.by_name(command=(
        'quantize', f'--float={self.path("f.pt")}', '--mode=weight-only'))
    for name in ('table', 'bag'):
      self.assertEqual(layers[name]['weight']['scheme'],
                       'per_channel_affine_float_qparams')
      self.assertEqual(len(layers[name]['weight']['scales']), 20)
    x = torch.randint(20, (8, 6))
    self.assertGreater(self.error_db(model, [x]), 30)

  def test_kept_layers_stay_float(self):
    for keep in ('fc', 'f*', 'aten::linear', 'linear', 'Linear'):
      with self.subTest(keep):
        report = self.report(f'--keep={keep}')
        self.assertNotIn('fc', [layer['name'] for layer in report['layers']])
        self.assertIn('conv', [layer['name'] for layer in report['layers']])
        fc, = [one for one in report['stayed_float'] if one['name'] == 'fc']
        self.assertIn(keep, fc['reason'])
        self.assertEqual(report['unused_rules'], [])
    table, _ = self.quantize('--keep=fc')
    self.assertRegex(table, r'(?m)^    fc \(linear\)$')

  def test_what_is_kept_must_be_there(self):
    out = self.path('q.pt')
    line = self.fail_with(
        3, 'quantize', 'net_float.pt', 'images.pt', f'--out={out}',
        '--keep=fc,fd', names=['--keep=fd', "did you mean 'fc'?"])
    self.assertEqual(len(line.splitlines()), 1)
    self.assertFalse(os.path.exists(out))
    self.fail_with(
        3, 'quantize', 'net_float.pt', 'images.pt', f'--out={out}',
        '--keep=nothing.like.it', names=['--keep=nothing.like.it',
                                         'ns inspect'])
    # A model need not have what is no name.
    for keep in ('x*', 'softmax', 'aten::erf', 'LSTM'):
      _, error = self.quantize('--keep=fc,' + keep)
      self.assertIn(f"no layer has the rule keep '{keep}'", error)

  def test_compat_is_pytorch_to_the_bit(self):
    for backend in ('fbgemm', 'qnnpack'):
      with self.subTest(backend):
        reference = make_cases.quantize(make_cases.net(), load('images.pt'),
                                        backend)
        layers = self.by_name('--compat=torch-1.13', f'--backend={backend}')
        for name in ('conv', 'fc'):
          module = getattr(reference, name)
          self.assertEqual(layers[name]['output']['scale'], module.scale)
          self.assertEqual(layers[name]['output']['zero_point'],
                           module.zero_point)
          weight = module.weight()
          scales = ([weight.q_scale()] if backend == 'qnnpack' else
                    weight.q_per_channel_scales().tolist())
          self.assertEqual(layers[name]['weight']['scales'], scales)
        self.assertEqual(layers['conv']['inputs'][0]['scale'],
                         float(reference.conv_input_scale_0))
        if backend == 'fbgemm':
          images = load('images.pt')
          for x, y in zip(self.outputs(images), run(reference, images)):
            self.assertTrue(torch.equal(x, y))

  def test_a_reference_graph_is_float_ops_between_quantizes(self):
    images = load('images.pt')
    self.quantize()
    kernels = self.outputs(images)
    self.quantize('--reference')
    graph = self.graph()
    for op in ('aten::quantize_per_tensor', 'aten::dequantize', 'aten::conv2d',
               'aten::linear'):
      self.assertIn(op, graph)
    self.assertNotIn('quantized::', graph)
    self.assertGreater(sqnr(kernels, self.outputs(images)), 35)
    output, _ = self.succeed('lower', f'--in={self.path("q.pt")}',
                             f'--out={self.path("lowered.pt")}')
    self.assertIn('to ns kernels', output)

  def test_another_method_can_be_quantized(self):
    layers = self.by_name('--method=encode', command=(
        'quantize', '--float=encoder_float.pt', '--inputs=rows.pt'))
    self.assertLessEqual({'inner.first', 'inner.second'}, set(layers))

  def test_leaves_stay_calls(self):
    report = self.report('--leaf=Gate', command=(
        'quantize', '--float=gated_float.pt', '--inputs=rows.pt'))
    names = {layer['name'] for layer in report['layers']}
    self.assertLessEqual({'inner.first', 'inner.second'}, names)
    self.assertFalse([name for name in names if name.startswith('gate')])
    self.outputs(load('rows.pt'))


class ReadmeTest(QuantizeTest):
  """Runs where the tree is: README.md and the demo are beside the tests."""

  TREE = os.getcwd()

  def test_the_commands_of_the_readme_run(self):
    with open(os.path.join(self.TREE, 'README.md'), encoding='utf-8') as file:
      section = file.read().split('\n## A model that lost accuracy')[1]
    build, _, commands = section.split('```')[1].partition('; D=tools/demo\n')
    self.assertIn('bazel build', build)
    self.assertIn('$NS quantize', commands)
    self.assertIn('$NS compare', commands)
    env = cli.environment(NS=cli.NS, D=os.path.join(self.TREE, 'tools/demo'))
    process = subprocess.run(
        ['sh', '-ec', commands.replace('/tmp/', self.folder + '/')], env=env,
        capture_output=True, timeout=cli.TIMEOUT, check=False)
    self.assertEqual(process.returncode, 0, process.stderr.decode())
    output = process.stdout.decode()
    self.assertRegex(output, r'(?m)^layer1\.conv1 +conv2d +\d ')
    self.assertIn('lowest activation SQNR', output)

  def test_the_demo_keeps_most_of_its_accuracy(self):
    demo = os.path.join(self.TREE, 'tools/demo')
    report = self.report(command=('quantize', f'--float={demo}/float.pt',
                                  f'--inputs={demo}/images.pt'))
    self.assertGreater(report['output_sqnr_db'][0]['sqnr_db'], 24)
    self.assertEqual(len([layer for layer in report['layers']
                          if layer['op'] == 'aten::conv2d']), 6)
    reference = torch.jit.load(f'{demo}/float.pt')
    images = torch.load(f'{demo}/images.pt')
    same = [x.argmax(1) == y.argmax(1)
            for x, y in zip(self.outputs(images), run(reference, images))]
    self.assertGreater(float(torch.cat(same).float().mean()), 0.97)


if __name__ == '__main__':
  unittest.main()
