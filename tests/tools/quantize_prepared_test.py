"""`ns quantize`: qconfig mappings, and prepared models that are converted later
or merged."""

import json
import os
import unittest

import make_cases
from quantizing import content_of
from quantizing import load
from quantizing import NET
from quantizing import QuantizeTest
from quantizing import records_of


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
    self.assertEqual(list(layers), ['conv', 'fc'])  # In order of execution.
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
    unused, = self.report(f'--qconfig={path}')['unused_rules']
    self.assertIn("module name 'fd'", unused)
    _, error = self.quantize(f'--qconfig={path}')
    self.assertIn("module name 'fd'", error)

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
      self.assertRegex(output, r'(?m)^conv +conv2d +\d ')
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
      # Byte for byte what is converted of a model that one process calibrated.
      self.convert(['all.pt'], out='of_all.pt')
      self.assertTrue(records_of(self.path('q.pt')) ==
                      records_of(self.path('of_all.pt')))
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


if __name__ == '__main__':
  unittest.main()
