"""--reference: figures against activations that were saved elsewhere."""

import json
import os
import re

import numpy
import torch
import unittest

import cli

RUN = (*cli.COMPARE, '--inputs=images.pt', '--quiet')
LAYERS = ('x.quantize', 'conv', 'flatten', 'fc')


class ReferenceTest(cli.CliTest):

  def saved(self, *flags, run=RUN):
    folder = self.path('saved')
    self.succeed(*run, '--what=activations', f'--save-activations={folder}',
                 *flags)
    return folder

  def values(self):
    """The float values of each layer and batch, and a new folder."""
    folder = self.saved()
    values = {
        layer: [torch.load(os.path.join(folder, layer,
                                        f'batch_{batch:04}.pt'))['float']
                for batch in range(3)] for layer in LAYERS}
    other = self.path('other')
    os.mkdir(other)
    return values, other

  def activations(self, *flags):
    return {name: layer['activation']
            for name, layer in self.layers(*RUN, *flags).items()
            if 'activation' in layer}

  def test_saved_values_give_the_figures_of_the_run(self):
    flags = ('--per-channel', '--outliers', '--histograms')
    folder = self.saved()
    expected = self.json(*RUN, '--what=weights,activations', *flags)
    result = self.json(*RUN, f'--reference={folder}', *flags)
    self.assertEqual(result['reference'], folder)
    self.assertEqual(result['not_referenced'], [])
    self.assertEqual(result['batches'], 3)
    self.assertNotIn('reference', expected)
    for layer, other in zip(expected['layers'], result['layers']):
      self.assertNotIn('shadow', other)
      self.assertEqual(layer['activation'], other['activation'])
      self.assertEqual(layer.get('weight'), other.get('weight'))

  def test_outputs_of_an_lstm_are_compared(self):
    run = ('compare', '--float=lstm_float.pt', '--quantized=lstm_quantized.pt',
           '--inputs=sequences.pt', '--quiet')
    folder = self.saved(run=run)
    expected = self.layers(*run, '--what=activations')['lstm']
    layer = self.layers(*run, f'--reference={folder}')['lstm']
    self.assertEqual([output['name'] for output in layer['outputs']],
                     ['h_n', 'c_n'])
    self.assertEqual(layer['activation'], expected['activation'])
    self.assertEqual(layer['outputs'], expected['outputs'])

  def test_every_form_of_file_gives_the_same(self):
    values, folder = self.values()
    # A layer in each form.
    fortran = torch.cat(values['x.quantize']).numpy()
    numpy.save(os.path.join(folder, 'x.quantize.npy'),
               numpy.asfortranarray(fortran))
    os.mkdir(os.path.join(folder, 'conv'))
    for batch, value in enumerate(values['conv']):
      numpy.save(os.path.join(folder, 'conv', f'batch_{batch:04}.npy'),
                 value.numpy())
    torch.save(values['flatten'], os.path.join(folder, 'flatten.pt'))
    torch.save(torch.cat(values['fc']), os.path.join(folder, 'fc.pt'))
    result = self.activations(f'--reference={folder}')
    expected = self.activations('--what=activations')
    self.assertEqual(set(result), set(LAYERS))
    for name, figures in result.items():
      self.assertEqual(figures['shape'], expected[name]['shape'])
      self.assertEqual(figures['elements'], expected[name]['elements'])
      self.assertAlmostEqual(float(figures['sqnr_db']),
                             float(expected[name]['sqnr_db']), places=4)

  def test_what_does_not_fit_is_listed(self):
    values, folder = self.values()
    numpy.save(os.path.join(folder, 'fc.npy'), torch.cat(values['fc']).numpy())
    numpy.save(os.path.join(folder, 'flatten.npy'), numpy.zeros((6, 7)))
    numpy.save(os.path.join(folder, 'fcc.npy'), numpy.zeros(3))
    report = self.path('report.json')
    output, error = self.succeed(
        *cli.COMPARE, '--inputs=images.pt', f'--reference={folder}',
        f'--json={report}')
    self.assertIn('not compared with the reference', output)
    for expected in (
        'flatten.npy has the shape [6, 7] and the quantized model gives [2, 512]',
        'conv: ' + folder + ' has no values of it', "did you mean 'fc'?"):
      self.assertIn(expected, error)
    again, _ = self.succeed('report', f'--json={report}', '--html=-')
    with open(report, encoding='utf8') as file:
      listed = json.load(file)['not_referenced']
    names = {entry['name'] for entry in listed}
    self.assertLessEqual({'flatten', 'conv', 'fcc'}, names)
    self.assertNotIn('fc', names)
    embedded = re.search(
        '<script type="application/json" id="report">(.*?)</script>', again,
        re.DOTALL)
    self.assertEqual(json.loads(embedded[1])['not_referenced'], listed)

  def test_a_limit_is_crossed_by_the_reference(self):
    values, folder = self.values()
    numpy.save(os.path.join(folder, 'fc.npy'),
               torch.cat(values['fc']).numpy() * 2)
    process = cli.run(*RUN, f'--reference={folder}', '--fail-below=fc:20')
    self.assertEqual(process.returncode, 1, process.stderr)
    self.assertIn('fc', process.stderr.decode())

  def test_bad_files_end_with_their_name(self):
    values, folder = self.values()
    path = os.path.join(folder, 'fc.npy')
    reference = f'--reference={folder}'
    fc = torch.cat(values['fc']).numpy()
    numpy.save(path, fc.astype(object), allow_pickle=True)
    self.fail_with(3, *RUN, reference, names=(path, 'Python objects'))
    numpy.save(path, fc)
    with open(path, 'r+b') as file:
      file.truncate(200)
    self.fail_with(3, *RUN, reference, names=(path, 'cut off'))
    os.remove(path)
    with open(os.path.join(folder, 'fc.pt'), 'wb') as file:
      file.write(b'PK\x03\x04')
    self.fail_with(3, *RUN, reference, names=('fc.pt',))

  def test_nothing_to_compare(self):
    _, folder = self.values()
    reference = f'--reference={folder}'
    self.fail_with(3, *RUN, reference, names=(folder, 'holds no values'))
    torch.save(torch.zeros(1), os.path.join(folder, 'mine.pt'))
    self.fail_with(3, *RUN, reference,
                   names=(f'{folder}/x.quantize/batch_0000.pt',))
    self.fail_with(3, *RUN, '--reference=nowhere', names=('nowhere',))

  def test_wrong_usage_names_the_flag(self):
    for flags in (('--what=shadows',), ('--what=weights',),
                  ('--what=activations,kernel',), ('--what=activations,outputs',),
                  ('--emulate=fbgemm-avx2',), ('--labels=x.pt',), ('--exact',),
                  ('--save-activations=x',)):
      with self.subTest(flags):
        self.fail_with(2, *RUN, '--reference=x', *flags, names='--reference')
    self.fail_with(2, *cli.COMPARE, '--reference=x', names='--inputs')


if __name__ == '__main__':
  unittest.main()
