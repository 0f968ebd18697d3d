"""Limits of `ns compare` and `ns diff`: exit status, the line, and the files."""

import json
import os
import unittest
from xml.etree import ElementTree

import torch

import cli

RUN = (*cli.COMPARE, '--inputs=images.pt')
# Its fc has other weights, and nothing is quantized.
PERTURBED = ('compare', '--float=net_float.pt', '--quantized=net_perturbed.pt',
             '--inputs=images.pt')
UNMATCHED = ('compare', '--float=log_float.pt',
             '--quantized=unknown_op_quantized.pt')
ODD = ('compare', '--float=odd_names_float.pt',
       '--quantized=odd_names_quantized.pt', '--inputs=rows.pt')


def read(path):
  with open(path, encoding='utf-8') as file:
    return json.load(file)


class LimitsTest(cli.CliTest):

  def write(self, name, text):
    path = self.path(name)
    with open(path, 'w', encoding='utf-8') as file:
      file.write(text)
    return path

  def compared(self, *arguments):
    """The path of the JSON of a comparison."""
    path = self.path(f'{len(os.listdir(self.folder))}.json')
    self.succeed(*arguments, '--quiet', f'--json={path}')
    return path

  def crossed(self, *arguments, names):
    """Asserts status 1 and one line with `names`; all files are written all the
    same. Returns the JSON and the table."""
    json_path, junit_path = self.path('out.json'), self.path('out.xml')
    csv_path = self.path('out.csv')
    process = cli.run(*arguments, f'--json={json_path}',
                      f'--junit={junit_path}', f'--csv={csv_path}')
    error = process.stderr.decode()
    self.assertEqual(process.returncode, 1, error)
    line = error.splitlines()[-1]
    self.assertRegex(line, r'^ns: \d+ limits? crossed: ')
    for name in names:
      self.assertIn(name, line)
    result = read(json_path)
    self.assertGreater(os.path.getsize(csv_path), 0)
    suite = ElementTree.parse(junit_path).getroot()[0]
    checks = result['limits']
    self.assertEqual(int(suite.get('tests')), len(checks))
    self.assertEqual(
        [case.find('failure') is None for case in suite.iter('testcase')],
        [check['passed'] for check in checks])
    return result, process.stdout.decode()

  def kept(self, *arguments):
    """The checks of a run that ends with 0."""
    checks = self.json(*arguments)['limits']
    self.assertTrue(checks)
    self.assertTrue(all(check['passed'] for check in checks), checks)
    return checks

  def test_fail_below_is_of_all_layers_or_by_name(self):
    figures = {c['layer']: c['value'] for c in self.kept(*RUN,
                                                         '--fail-below=1')}
    least = min(figures, key=figures.get)
    bound = figures[least]
    self.assertEqual(read(self.compared(*RUN))['layers'][-1]['activation']
                     ['sqnr_db'], figures['fc'])
    result, table = self.crossed(*RUN, f'--fail-below={bound + 1e-4}',
                                 names=(least, '--fail-below'))
    self.assertEqual([c['layer'] for c in result['limits']
                      if not c['passed']], [least])
    self.assertIn(f'\n1 of {len(figures)} limits crossed:\n  {least}: ', table)
    self.kept(*RUN, f'--fail-below={bound},{least[:-1]}?:{bound}')

  def test_outputs_and_channels_have_limits(self):
    baseline = self.compared(*RUN)
    bound = read(baseline)['outputs_of_model'][0]['sqnr_db']
    self.crossed(*RUN, f'--fail-below-output={bound + 1e-4}',
                 names=('output: ', '--fail-below-output'))
    self.kept(*RUN, f'--fail-below-output=output:{bound}',
              '--max-dead-channels=100%', f'--baseline={baseline}',
              '--max-output-drop=0')
    better = self.write('better.json', open(baseline, encoding='utf-8').read())
    report = read(better)
    report['outputs_of_model'][0]['sqnr_db'] += 5
    report['outputs_of_model'][0]['batch_sqnr_db'] = [
        x + 5 for x in report['outputs_of_model'][0]['batch_sqnr_db']]
    self.write('better.json', json.dumps(report))
    self.crossed(*RUN, f'--baseline={better}', '--max-output-drop=4dB',
                 names=('output: output SQNR dropped by 5', ))

  def test_limits_of_outputs_need_activations(self):
    for flag in ('--fail-below-output=20', '--max-dead-channels=1%'):
      error = self.fail_with(2, *cli.COMPARE, '--what=weights', flag)
      self.assertIn(flag.split('=')[0] + ' needs --what=activations', error)
    error = self.fail_with(2, *RUN, '--max-output-drop=1')
    self.assertIn('--max-output-drop needs --baseline', error)

  def test_max_clip_counts_values_beyond_the_range(self):
    bright = self.path('bright.pt')
    torch.save([3 * x for x in torch.load(os.path.join(cli.CASES,
                                                       'images.pt'))], bright)
    run = (*cli.COMPARE, f'--inputs={bright}')
    shares = {c['layer']: c['value']
              for c in self.kept(*run, '--max-clip=100%')}
    worst = max(shares, key=shares.get)
    self.assertTrue(0 < shares[worst] < 1, shares)
    result, _ = self.crossed(*run, '--max-clip=0%',
                             names=(worst, '--max-clip=0%'))
    self.assertEqual({c['layer'] for c in result['limits'] if not c['passed']},
                     {name for name, share in shares.items() if share > 0})

  def test_max_unmatched_counts_ops(self):
    unmatched = len(read(self.compared(*UNMATCHED))['unmatched'])
    self.assertGreater(unmatched, 0)
    self.kept(*UNMATCHED, f'--max-unmatched={unmatched}')
    result, _ = self.crossed(*UNMATCHED, f'--max-unmatched={unmatched - 1}',
                             names=('unmatched', '--max-unmatched'))
    self.assertEqual(result['limits'], [
        {'limit': 'max-unmatched', 'value': float(unmatched),
         'bound': float(unmatched - 1), 'passed': False}])

  def test_a_worse_model_drops_below_its_baseline(self):
    before = self.compared(*RUN)
    checks = self.kept(*RUN, f'--baseline={before}', '--max-drop=0dB')
    self.assertEqual({(c['value'], c['tolerance']) for c in checks}, {(0, 0)})
    result, table = self.crossed(*PERTURBED, f'--baseline={before}',
                                 '--max-drop=1dB', names=('fc', 'dropped by'))
    self.assertEqual([c['layer'] for c in result['limits'] if not c['passed']],
                     ['fc'])
    self.assertIn('dropped by', table)
    self.assertEqual(result['baseline']['path'], before)

  def test_state_dicts_have_baselines_too(self):
    states = ('compare', '--float=net_float_state.pt',
              '--quantized=net_quantized_state.pt')
    before = self.compared(*states)
    checks = self.kept(*states, f'--baseline={before}', '--max-drop=0')
    self.assertEqual({c['figure'] for c in checks}, {'weight'})

  def test_new_and_vanished_layers_are_listed(self):
    result = read(self.compared(*RUN))
    result['layers'][2]['name'] = 'gone'
    fewer = self.write('fewer.json', json.dumps(result))
    output = self.path('out.json')
    table, _ = self.succeed(*RUN, f'--baseline={fewer}', '--max-drop=1dB',
                            f'--json={output}')
    self.assertEqual(read(output)['baseline'],
                     {'path': fewer, 'new': ['flatten'], 'vanished': ['gone']})
    self.assertIn(f'1 vanished, only in {fewer}:\n  gone\n', table)

  def test_nan_crosses_limits(self):
    result, _ = self.crossed(
        *cli.COMPARE, '--inputs=nan.pt', '--fail-below=-1000',
        '--max-clip=100%', names=('x.quantize', '--fail-below', '--max-clip'))
    self.assertIn('nan', [c['value'] for c in result['limits']])

  def test_early_stop_ends_when_a_limit_is_crossed_for_good(self):
    run = (*RUN[:-1], '--inputs=nan.pt,images.pt', '--early-stop')
    result, _ = self.crossed(*run, '--fail-below=1', names=('fc', 'nan'))
    self.assertEqual(result['batches'], 1)
    # No SQNR of numbers is sure before the last batch.
    result, _ = self.crossed(*RUN, '--early-stop', '--fail-below=1000',
                             names=('fc',))
    self.assertEqual(result['batches'], 3)

  def test_bad_baselines_are_bad_input(self):
    good = self.compared(*RUN)
    with open(good, encoding='utf-8') as file:
      half = self.write('half.json', file.read(5000))
    other = self.compared('compare', '--float=mlp_float.pt',
                          '--quantized=mlp_quantized.pt')
    for path, said in ((half, 'line '), (self.path('none.json'), 'none.json'),
                       (other, 'another model')):
      self.fail_with(3, *RUN, f'--baseline={path}', '--max-drop=1dB',
                     names=(path, said))
    schema = self.write('schema.json', '{"schema": "ns.quantize/1"}')
    self.fail_with(3, 'diff', good, schema, names=(schema, 'ns.quantize/1'))

  def test_wrong_usage(self):
    # limit_flags_test has the rest.
    self.fail_with(2, *RUN, '--fail-below=fcc:30',
                   names=('--fail-below=fcc:30', "'fc'"))
    self.fail_with(2, *cli.COMPARE, '--fail-below=20',
                   names=('--fail-below', '--inputs'))
    self.fail_with(2, *RUN, f'--baseline={self.path("a")}', '--max-drop=1',
                   f'--json={self.path("a")}', names=('--json', '--baseline'))
    self.assertEqual(os.listdir(self.folder), [])

  def test_names_are_text_in_junit(self):
    output, _ = self.succeed(*ODD, '--fail-below=-1000', '--junit=-')
    names = [case.get('name')
             for case in ElementTree.fromstring(output).iter('testcase')]
    for name in ('a<b', '$(id)', r'a\x00b', r'\x1b[31mred', '=1+1'):
      self.assertIn('module.' + name, names)

  def test_diff_of_two_runs_of_the_same_files_is_empty(self):
    a, b = self.compared(*RUN), self.compared(*RUN)
    output = self.path('diff.json')
    table, error = self.succeed('diff', a, b, '--max-drop=0dB',
                                f'--json={output}')
    self.assertEqual(error, '')
    self.assertRegex(table, r'^4 layers in both, \d+ figures: no difference\n')
    result = read(output)
    self.assertEqual(result['schema'], 'ns.diff/1')
    self.assertEqual((result['equal'], result['layers'], result['new'],
                      result['vanished']), (True, [], [], []))

  def test_diff_has_both_figures_and_the_difference(self):
    paths = [self.compared(*RUN), self.compared(*PERTURBED)]
    sides = [{layer['name']: layer for layer in read(path)['layers']}
             for path in paths]
    output, junit = self.path('diff.json'), self.path('diff.xml')
    process = cli.run('diff', *paths, '--max-drop=1dB', f'--json={output}',
                      f'--junit={junit}')
    self.assertEqual(process.returncode, 1)
    self.assertRegex(process.stderr.decode(),
                     r'^ns: 1 limit crossed: fc: .*dropped by .*\n$')
    self.assertIn('B - A', process.stdout.decode())
    self.assertTrue(list(ElementTree.parse(junit).iter('failure')))
    result = read(output)
    self.assertFalse(result['equal'])
    fc, = [layer for layer in result['layers'] if layer['name'] == 'fc']
    activation, = [figure for figure in fc['figures']
                   if figure['figure'] == 'activation']
    values = [side['fc']['activation']['sqnr_db'] for side in sides]
    self.assertEqual([activation['a_db'], activation['b_db']], values)
    self.assertAlmostEqual(activation['change_db'], values[1] - values[0])

  def test_diff_takes_two_files(self):
    self.fail_with(2, 'diff', 'a', names=('two files', 'ns diff A.json B.json'))
    self.fail_with(2, 'diff', 'a', 'b', 'c', names='unexpected argument')
    self.fail_with(2, 'diff', 'a', 'b', '--json=a', names=('--json', '--A'))


if __name__ == '__main__':
  unittest.main()
