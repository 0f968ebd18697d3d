"""--save-activations: files that torch.load reads, within the budget."""

import math
import os

import torch
import unittest

import cli

RUN = (*cli.COMPARE, '--inputs=images.pt', '--quiet')


class SaveActivationsTest(cli.CliTest):

  def save(self, *flags):
    folder = self.path('saved')
    _, error = self.succeed(*RUN, f'--save-activations={folder}', *flags)
    return folder, error

  def files(self, folder):
    return sorted(os.path.relpath(os.path.join(where, name), folder)
                  for where, _, names in os.walk(folder)
                  for name in names if name.endswith('.pt'))

  def test_there_is_a_file_for_each_layer_and_batch(self):
    folder, error = self.save()
    self.assertEqual(error, '')
    self.assertEqual(self.files(folder), [
        f'{layer}/batch_{batch:04}.pt'
        for layer in ('conv', 'fc', 'flatten', 'x.quantize')
        for batch in range(3)])

  def test_figures_follow_from_what_is_saved(self):
    folder, _ = self.save('--exact')
    result = self.json(*cli.COMPARE, '--inputs=images.pt', '--exact')
    for layer in result['layers']:
      for kind, name in (('activation', 'float'), ('shadow', 'shadow')):
        signal = noise = 0
        for batch in range(3):
          saved = torch.load(
              os.path.join(folder, layer['name'], f'batch_{batch:04}.pt'))
          self.assertEqual(set(saved), {'float', 'quantized', 'shadow'})
          x, y = saved[name].double(), saved['quantized']
          y = (y.dequantize() if y.is_quantized else y).double()
          signal += (x * x).sum().item()
          noise += ((x - y)**2).sum().item()
        figure = float(layer[kind]['sqnr_db'])
        expected = (10 * math.log10(signal / noise) if noise else math.inf)
        if math.isinf(expected):
          self.assertEqual(figure, expected)
        else:
          self.assertAlmostEqual(figure, expected, places=4)

  def test_activations_alone_have_no_shadow(self):
    folder, _ = self.save('--what=activations')
    saved = torch.load(os.path.join(folder, 'conv', 'batch_0000.pt'))
    self.assertEqual(set(saved), {'float', 'quantized'})
    self.assertTrue(saved['quantized'].is_quantized)

  def test_the_budget_is_kept_and_what_is_left_out_is_told(self):
    folder, error = self.save('--save-budget=20K')
    size = sum(os.path.getsize(os.path.join(folder, file))
               for file in self.files(folder))
    self.assertLessEqual(size, 20 * 1024)
    self.assertGreater(size, 0)
    self.assertRegex(error, r'\d+ files did not fit')
    self.assertIn('--save-budget', error)

  def test_wrong_usage_names_the_flag(self):
    for flags, name in (
        (('--save-budget=1G',), '--save-budget'),
        (('--save-activations=x', '--save-budget=much'), '--save-budget'),
        (('--save-activations=x', '--what=weights'), '--save-activations')):
      with self.subTest(flags):
        self.fail_with(2, *RUN, *flags, names=(name,))

  def test_a_folder_of_something_else_is_left_alone(self):
    folder = self.path('mine')
    os.mkdir(folder)
    with open(os.path.join(folder, 'notes.txt'), 'w', encoding='utf8') as file:
      file.write('keep me')
    self.fail_with(3, *RUN, f'--save-activations={folder}', names=('mine',))
    self.assertEqual(os.listdir(folder), ['notes.txt'])


if __name__ == '__main__':
  unittest.main()
