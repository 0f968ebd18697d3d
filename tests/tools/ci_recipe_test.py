"""The recipe for CI of tools/docs/limits.md, run as it stands there."""

import os
import subprocess
import unittest
from xml.etree import ElementTree

import cli

TREE = os.getcwd()


class CiRecipeTest(cli.CliTest):

  def recipe(self):
    path = os.path.join(TREE, 'tools/docs/limits.md')
    with open(path, encoding='utf-8') as file:
      section = file.read().split('\n## In CI\n')[1].split('\n## ')[0]
    return section.split('```\n')[1]

  def run_recipe(self, text):
    return subprocess.run(['sh', '-c', text], cwd=self.folder,
                          env=cli.environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=cli.TIMEOUT,
                          check=False, encoding='utf-8')

  def test_it_passes_and_fails_as_the_limits_say(self):
    os.makedirs(self.path('bazel-bin/tools'))
    os.symlink(cli.NS, self.path('bazel-bin/tools/ns'))
    os.makedirs(self.path('tools'))
    os.symlink(os.path.join(TREE, 'tools/demo'), self.path('tools/demo'))
    recipe = self.recipe()
    process = self.run_recipe(recipe)
    self.assertEqual((process.returncode, process.stderr), (0, ''))
    self.assertIn('no difference', process.stdout)
    suite = ElementTree.parse(self.path('limits.xml')).getroot()[0]
    self.assertGreater(int(suite.get('tests')), 10)
    self.assertEqual(suite.get('failures'), '0')
    strict = recipe.replace('--fail-below=20', '--fail-below=fc:60')
    self.assertNotEqual(strict, recipe)
    process = self.run_recipe(strict)
    self.assertEqual(process.returncode, 1)
    self.assertRegex(process.stderr, r'^ns: 1 limit crossed: fc: .*\n$')
    self.assertIn('no difference', process.stdout)


if __name__ == '__main__':
  unittest.main()
