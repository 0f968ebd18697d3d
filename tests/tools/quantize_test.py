"""`ns quantize`: what it writes runs in plain PyTorch and is what its report
says."""

import json
import os
import pickletools
import re
import subprocess
import sys
import unittest
import zipfile

import torch
from torch import nn

import cli
import make_cases

torch.backends.quantized.engine = 'onednn'
torch.set_num_threads(1)

NET = ('quantize', '--float=net_float.pt', '--inputs=images.pt', '--threads=1')
NUMBER = r'[\d.]+(?:e[-+]\d+)?'


class Embeddings(nn.Module):

  def __init__(self):
    super().__init__()
    self.table = nn.Embedding(20, 16)
    self.bag = nn.EmbeddingBag(20, 16, mode='mean')

  def forward(self, x):
    return self.table(x).sum(1) + self.bag(x)


def load(name):
  """A file of CASES."""
  return torch.load(os.path.join(cli.CASES, name))


def run(model, batches):
  with torch.no_grad():
    return [model(x) for x in batches]


def sqnr(outputs, references):
  """In dB, over all batches."""
  signal = sum(y.double().square().sum() for y in references)
  noise = sum((y.double() - x.double()).square().sum()
              for x, y in zip(outputs, references))
  return 10 * float(torch.log10(signal / noise))


def unmangled(text):
  return re.sub(r'___torch_mangle_\d+\.?', '', text)


def content_of(path):
  """All that a saved model holds, but for source lines and for the numbers that
  LibTorch puts into the names of classes: they count the copies of the model
  that were made before it was saved, which are fewer in a process that begins
  with a prepared one."""
  records = []
  with zipfile.ZipFile(path) as archive:
    for name in archive.namelist():
      data = archive.read(name)
      if name.endswith('.debug_pkl'):
        continue
      if name.endswith('.py'):
        data = unmangled(data.decode())
      elif name.endswith('.pkl'):
        data = [(op.name, unmangled(arg) if isinstance(arg, str) else arg)
                for op, arg, _ in pickletools.genops(data)]
      records.append((unmangled(name), data))
  return records


class QuantizeTest(cli.CliTest):

  def out(self, name='q.pt'):
    return f'--out={self.path(name)}'

  def quantize(self, *flags, command=NET):
    return self.succeed(*command, self.out(), *flags)

  def report(self, *flags, command=NET):
    return self.json(*command, self.out(), *flags)

  def by_name(self, *flags, command=NET):
    return {layer['name']: layer
            for layer in self.report(*flags, command=command)['layers']}

  def outputs(self, inputs, name='q.pt', engine='onednn'):
    """Of the result, in a PyTorch that knows nothing of ns. It is a process of
    its own: oneDNN takes two linear layers of one shape for one when both have
    the same ratio of scales, and forgets that zero points differ."""
    torch.save(inputs, self.path('run_inputs.pt'))
    script = (
        'import sys, torch\n'
        'model, inputs, outputs, torch.backends.quantized.engine = sys.argv[1:]'
        '\n'
        'torch.set_num_threads(1)\n'
        'module = torch.jit.load(model)\n'
        'with torch.no_grad():\n'
        '  torch.save([module(x) for x in torch.load(inputs)], outputs)\n')
    process = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', script, self.path(name),
         self.path('run_inputs.pt'), self.path('run_outputs.pt'), engine],
        env=cli.environment(), capture_output=True, timeout=cli.TIMEOUT,
        check=False)
    self.assertEqual(process.returncode, 0, process.stderr.decode())
    outputs = torch.load(self.path('run_outputs.pt'))
    os.remove(self.path('run_inputs.pt'))
    os.remove(self.path('run_outputs.pt'))
    return outputs

  def error_db(self, model, inputs, **options):
    """The SQNR of the result's outputs against those of a float model."""
    return sqnr(self.outputs(inputs, **options), run(model, inputs))

  def graph(self, name='q.pt'):
    return str(torch.jit.load(self.path(name)).graph)

  def read(self, name):
    with open(self.path(name), 'rb') as file:
      return file.read()

  def assert_same_model(self, a, b, message=None):
    self.assertTrue(content_of(self.path(a)) == content_of(self.path(b)),
                    message)

  def write(self, name, value):
    text = value if isinstance(value, str) else json.dumps(value)
    with open(self.path(name), 'w', encoding='utf-8') as file:
      file.write(text)
    return self.path(name)

  def mapping(self, **sections):
    return self.write('qconfig.json', {'schema': 'ns.qconfig/1', **sections})

  def files(self):
    return sorted(os.listdir(self.folder))


class ReportTest(QuantizeTest):

  def test_the_table_has_a_row_for_each_layer(self):
    output, error = self.quantize()
    self.assertEqual(error, '')
    self.assertRegex(output, r'(?m)^layer +op +rule +scale +point +scale +point'
                     r' +weight$')
    for name, op in (('conv', 'conv2d'), ('fc', 'linear')):
      self.assertRegex(
          output, rf'(?m)^{name} +{op} +1 +{NUMBER} +\d+ +{NUMBER} +\d+ +'
          r'per channel$')
    self.assertRegex(output, r'(?m)^\d+ layers? quantized \(static, fbgemm\), '
                     r'\d+ stayed float$')
    self.assertRegex(output, r'(?m)^  rule 1  global: static .*mse')
    self.assertRegex(output, r'SQNR of the outputs, 3 batches:\n'
                     r'  output   ?\d+\.\d dB\n$')

  def test_the_json_says_the_same(self):
    report = self.report()
    self.assertEqual(report['float'], 'net_float.pt')
    self.assertEqual(report['out'], self.path('q.pt'))
    self.assertEqual((report['mode'], report['backend'], report['batches']),
                     ('static', 'fbgemm', 3))
    layers = {layer['name']: layer for layer in report['layers']}
    self.assertEqual(layers['conv']['op'], 'aten::conv2d')
    self.assertEqual(layers['conv']['rule'], 'global')
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
      self.quantize(f'--prepared={self.path("p" + name)}',
                    f'--json={self.path("r" + name)}')
      os.rename(self.path('q.pt'), self.path('q' + name))
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
        fc, = [one for one in report['layers'] if one['name'] == 'fc']
        channels = 1 if backend == 'qnnpack' else 10
        self.assertEqual(len(fc['weight']['scales']), channels)
        steps = ((fc['output']['max'] - fc['output']['min']) /
                 fc['output']['scale'])
        self.assertEqual(round(steps),
                         127 if backend in ('fbgemm', 'x86') else 255)
        engine = 'qnnpack' if backend == 'qnnpack' else 'onednn'
        self.assertGreater(
            self.error_db(make_cases.net(), load('images.pt'), engine=engine),
            25)

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
    table, _ = self.quantize(command=command)
    self.assertRegex(table, r'(?m)^first +linear +1 +- +- +- +- +per ')
    self.assertNotIn('SQNR', table)

  def test_dynamic_with_inputs_measures_them(self):
    report = self.report('--inputs=rows.pt', command=(
        'quantize', '--float=mlp_float.pt', '--mode=dynamic', '--threads=1'))
    self.assertEqual(report['batches'], 3)
    self.assertAlmostEqual(
        report['output_sqnr_db'][0]['sqnr_db'],
        self.error_db(make_cases.mlp(), load('rows.pt')), delta=0.05)

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

  def test_what_is_kept_and_not_there_is_a_warning(self):
    output, error = self.quantize('--keep=fc,fd')
    self.assertRegex(output, r"1 rule that chose no layer:\n.*fd")
    self.assertRegex(error, r"^ns: warning: no layer has the rule .*fd.*\n$")
    unused, = self.report('--keep=fc,fd')['unused_rules']
    self.assertIn('fd', unused)

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


class MappingTest(QuantizeTest):

  def test_the_emitted_mapping_is_what_was_used(self):
    path = self.path('used.json')
    first = self.report(f'--emit-qconfig={path}')
    self.assertEqual(json.loads(self.read('used.json'))['schema'],
                     'ns.qconfig/1')
    os.rename(self.path('q.pt'), self.path('first.pt'))
    second = self.report(f'--qconfig={path}')
    self.assertEqual(first['layers'], second['layers'])
    self.assert_same_model('first.pt', 'q.pt')

  def test_the_rule_that_won_is_named(self):
    path = self.mapping(**{'global': 'fbgemm',
                           'object_type': [['linear', 'dynamic']]})
    layers = self.by_name(f'--qconfig={path}')
    self.assertEqual(layers['conv']['rule'], 'global')
    self.assertIn('linear', layers['fc']['rule'])
    self.assertEqual(layers['fc']['qconfig'], 'dynamic')
    self.assertEqual(layers['fc']['inputs'], [])
    table, _ = self.quantize(f'--qconfig={path}')
    self.assertRegex(table, r"(?m)^  rule 2  .*linear.*: dynamic$")

  def test_null_keeps_a_layer_float(self):
    path = self.mapping(**{'global': 'fbgemm', 'module_name': [['fc', None]]})
    report = self.report(f'--qconfig={path}')
    fc, = [one for one in report['stayed_float'] if one['name'] == 'fc']
    self.assertIn("'fc'", fc['reason'])

  def test_unused_rules_are_told(self):
    path = self.mapping(**{'global': 'fbgemm', 'module_name': [['fd', None]]})
    self.assertEqual(self.report(f'--qconfig={path}')['unused_rules'],
                     ["module name 'fd': none"])
    _, error = self.quantize(f'--qconfig={path}')
    self.assertIn("module name 'fd': none", error)

  def test_bad_mappings_are_named_and_nothing_is_written(self):
    for text, names in (
        ({'schema': 'ns.qconfig/1', 'globl': 'fbgemm'}, ('globl', 'global')),
        ({'schema': 'ns.qconfig/2', 'global': 'fbgemm'}, ('ns.qconfig/1',)),
        ({'schema': 'ns.qconfig/1', 'global': 'fbgem'}, ('fbgem', 'fbgemm')),
        ('{"schema": ', ()), ('', ())):
      path = self.write('bad.json', text)
      self.fail_with(3, *NET, self.out(), f'--qconfig={path}',
                     names=(path, *names))
    self.fail_with(3, *NET, self.out(), '--qconfig=/absent.json',
                   names='/absent.json')
    self.assertEqual(self.files(), ['bad.json'])


class PreparedTest(QuantizeTest):

  def prepare(self, name, inputs='images.pt', model='net', flags=()):
    self.succeed('quantize', f'--float={model}_float.pt', f'--inputs={inputs}',
                 f'--prepared={self.path(name)}', self.out(name + '_out.pt'),
                 '--threads=1', *flags)

  def convert(self, names, *flags, out='q.pt'):
    return self.succeed(
        'quantize',
        '--prepared=' + ','.join(self.path(name) for name in names),
        self.out(out), '--threads=1', *flags)

  def test_another_process_converts_it_to_the_same(self):
    for flags in ((), ('--observer=minmax',), ('--keep=fc',)):
      self.prepare('p.pt', flags=flags)
      prepared = self.read('p.pt')
      output, error = self.convert(['p.pt'])
      self.assertEqual(error, '')
      self.assertRegex(output, r'(?m)^conv +conv2d +1 ')
      self.assertNotIn('SQNR', output)
      self.assert_same_model('q.pt', 'p.pt_out.pt', flags)
      self.assertEqual(self.read('p.pt'), prepared)

  def test_converted_as_a_reference_graph(self):
    self.prepare('p.pt')
    self.convert(['p.pt'], '--reference')
    self.assertNotIn('quantized::', self.graph())

  def test_more_calibration_is_that_of_one_process(self):
    self.prepare('p.pt')
    prepared = self.read('p.pt')
    self.prepare('all.pt', 'images.pt,more_images.pt')
    output, _ = self.convert(['p.pt'], '--inputs=more_images.pt')
    self.assert_same_model('q.pt', 'all.pt_out.pt')
    self.assertIn('SQNR of the outputs, 2 batches', output)
    # It is only read.
    self.assertEqual(self.read('p.pt'), prepared)

  def test_merged_halves_are_what_one_process_gives(self):
    for flags in ((), ('--observer=minmax',)):
      self.prepare('a.pt', 'images.pt', flags=flags)
      self.prepare('b.pt', 'more_images.pt', flags=flags)
      self.prepare('all.pt', 'images.pt,more_images.pt', flags=flags)
      self.convert(['a.pt', 'b.pt'])
      self.assert_same_model('q.pt', 'all.pt_out.pt', flags)
      # In whatever order.
      self.convert(['b.pt', 'a.pt'], out='swapped.pt')
      self.assert_same_model('q.pt', 'swapped.pt', flags)
      self.assertFalse(content_of(self.path('q.pt')) ==
                       content_of(self.path('b.pt_out.pt')))

  def test_the_report_names_the_prepared_files(self):
    self.prepare('a.pt')
    self.prepare('b.pt', 'more_images.pt')
    report = self.json(
        'quantize', f'--prepared={self.path("a.pt")},{self.path("b.pt")}',
        self.out())
    self.assertEqual(report['float'], '')
    self.assertEqual(report['prepared'], [self.path('a.pt'), self.path('b.pt')])
    self.assertEqual(report['batches'], 0)
    self.assertNotIn('output_sqnr_db', report)

  def test_the_prepared_model_stands_for_the_float_one(self):
    self.prepare('p.pt')
    ours = self.json('quantize', f'--prepared={self.path("p.pt")}', self.out(),
                     '--inputs=more_images.pt')['output_sqnr_db']
    self.assertAlmostEqual(
        ours[0]['sqnr_db'],
        self.error_db(make_cases.net(), load('more_images.pt')), delta=0.1)

  def test_models_that_were_not_prepared_alike_are_refused(self):
    self.prepare('a.pt')
    self.prepare('b.pt', 'rows.pt', model='mlp')
    self.prepare('c.pt', flags=('--observer=minmax',))
    for other in ('b.pt', 'c.pt'):
      self.fail_with(
          3, 'quantize', f'--prepared={self.path("a.pt")},{self.path(other)}',
          self.out(), names=self.path(other))
    self.assertNotIn('q.pt', self.files())

  def test_what_was_not_prepared_is_refused(self):
    self.fail_with(3, 'quantize', '--prepared=net_float.pt', self.out(),
                   names=('net_float.pt', 'prepared'))
    self.fail_with(3, 'quantize', '--prepared=absent.pt', self.out(),
                   names='absent.pt')
    self.prepare('p.pt')
    self.fail_with(3, 'quantize', f'--float={self.path("p.pt")}',
                   '--inputs=images.pt', self.out(),
                   names=(self.path('p.pt'), 'prepared'))


class ErrorTest(QuantizeTest):

  def wrong(self, *flags, names, command=NET):
    self.fail_with(2, *command, *flags, names=names)
    self.assertEqual(self.files(), [])

  def refuse(self, *flags, names):
    self.fail_with(3, 'quantize', *flags, names=names)
    self.assertEqual(self.files(), [])

  def test_what_is_missing_is_named(self):
    float_flag, out = '--float=net_float.pt', self.out()
    self.wrong(names='--out')
    self.wrong(out, '--inputs=images.pt', command=('quantize',),
               names=('--float', '--prepared'))
    self.wrong(float_flag, out, command=('quantize',),
               names=('--mode=static', '--inputs', '--mode=dynamic'))
    self.wrong(float_flag, out, '--mode=dynamic', '--max-batches=2',
               command=('quantize',), names=('--max-batches', '--inputs'))

  def test_choices_name_what_is_allowed(self):
    out = self.out()
    self.wrong(out, '--mode=int4', names=('--mode=int4', 'weight-only'))
    self.wrong(out, '--backend=tpu', names=('--backend=tpu', 'qnnpack'))
    self.wrong(out, '--observer=best', names=('--observer=best', 'entropy'))
    self.wrong(out, '--compat=torch-2', names=('--compat=torch-2',
                                               'torch-1.13'))
    self.wrong(out, '--keep=', names='--keep')
    self.wrong(out, '--keep=a,,b', names='--keep')

  def test_an_observer_is_not_what_others_say(self):
    out = self.out()
    self.wrong(out, '--observer=minmax', '--compat=torch-1.13',
               names=('--observer', '--compat'))
    self.wrong(out, '--observer=minmax', '--qconfig=a.json',
               names=('--observer', '--qconfig'))
    for mode in ('dynamic', 'weight-only'):
      self.wrong(out, '--observer=minmax', f'--mode={mode}',
                 names=('--observer', f'--mode={mode}'))

  def test_prepared_models_are_what_they_are(self):
    out = self.out()
    for flag in ('--keep=fc', '--observer=mse', '--qconfig=a.json',
                 '--emit-qconfig=b.json', '--leaf=Gate'):
      self.wrong('--prepared=p.pt', out, flag, command=('quantize',),
                 names=(flag.split('=')[0], '--prepared'))
    for mode in ('dynamic', 'weight-only'):
      self.wrong('--prepared=p.pt', out, f'--mode={mode}',
                 command=('quantize',), names=('--prepared', f'--mode={mode}'))
    self.wrong('--prepared=a.pt,b.pt', out, names=('--prepared', '2 files'))

  def test_flags_of_a_later_version_are_unknown(self):
    for flag in ('--target=qnnpack', '--bias-correction=fast', '--equalize',
                 '--smooth'):
      self.wrong(self.out(), flag, names=flag.split('=')[0])

  def test_no_output_is_another_file(self):
    q = self.path('q.pt')
    for flag in ('prepared', 'json', 'emit-qconfig'):
      self.wrong(self.out(), f'--{flag}={q}', names=(f'--{flag}', 'overwrite'))
    self.wrong('--out=net_float.pt', names=('--out', '--float'))
    self.wrong('--out=images.pt', names=('--out', '--inputs'))
    self.wrong(self.out(), '--qconfig=m.json', '--emit-qconfig=m.json',
               names=('--emit-qconfig', '--qconfig'))
    for flag in ('out', 'prepared', 'emit-qconfig'):
      other = () if flag == 'out' else (self.out(),)
      self.wrong(*other, f'--{flag}=-', names=f'--{flag}=-')

  def test_bad_models_are_named(self):
    out = self.out()
    for name in ('empty', 'random', 'state_dict', 'truncated', 'missing'):
      self.refuse(f'--float={name}.pt', '--inputs=images.pt', out,
                  names=name + '.pt')
    self.refuse('--float=net_quantized.pt', '--inputs=images.pt', out,
                names=('net_quantized.pt', 'quantized'))
    self.refuse('--float=net_quantized.pt', '--mode=dynamic', out,
                names=('net_quantized.pt', 'quantized'))
    self.refuse('--float=net_float.pt', '--inputs=images.pt', out,
                '--method=backward', names=('net_float.pt', 'backward'))

  def test_bad_batches_are_named(self):
    for name in ('no_batches', 'wrong_shape', 'wrong_rank', 'text', 'pairs',
                 'unknown_keyword', 'truncated_inputs', 'missing'):
      self.refuse('--float=net_float.pt', f'--inputs={name}.pt', self.out(),
                  names=name + '.pt')
    self.refuse('--float=net_float.pt', '--inputs=second_wrong.pt', self.out(),
                names=('second_wrong.pt', 'batch 1'))

  def test_batches_that_show_nothing_are_refused(self):
    self.refuse('--float=net_float.pt', '--inputs=no_rows.pt', self.out(),
                names='net_float.pt')

  def test_unwritable_outputs_are_found_before_any_work(self):
    for flag in ('prepared', 'emit-qconfig', 'json'):
      self.refuse(*NET[1:], self.out(), f'--{flag}=/absent/file',
                  names='/absent')
    self.refuse(*NET[1:], '--out=/absent/q.pt', names='/absent')

  def test_old_files_stay_when_it_fails(self):
    for name in ('q.pt', 'p.pt', 'r.json'):
      self.write(name, 'old')
    self.fail_with(3, 'quantize', '--float=net_float.pt', self.out(),
                   '--inputs=second_wrong.pt',
                   f'--prepared={self.path("p.pt")}',
                   f'--json={self.path("r.json")}', names='second_wrong.pt')
    self.assertEqual(self.files(), ['p.pt', 'q.pt', 'r.json'])
    for name in self.files():
      self.assertEqual(self.read(name), b'old')


class ReadmeTest(QuantizeTest):
  """Runs where the tree is: README.md and the demo are beside the tests."""

  TREE = os.getcwd()

  def test_the_commands_of_the_readme_run(self):
    with open(os.path.join(self.TREE, 'README.md'), encoding='utf-8') as file:
      commands = file.read().split('\n**quantize**')[1].split('```')[1]
    self.assertIn('$NS quantize', commands)
    self.assertIn('$NS compare', commands)
    env = cli.environment(NS=cli.NS, D=os.path.join(self.TREE, 'tools/demo'))
    process = subprocess.run(
        ['sh', '-ec', commands.replace('/tmp/', self.folder + '/')], env=env,
        capture_output=True, timeout=cli.TIMEOUT, check=False)
    self.assertEqual(process.returncode, 0, process.stderr.decode())
    output = process.stdout.decode()
    self.assertRegex(output, r'(?m)^layer1\.conv1 +conv2d +1 ')
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
