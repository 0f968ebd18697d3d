"""tools/lint_folders.py on small trees: lint_folders_test.py LINT_FOLDERS."""
import os
import subprocess
import sys
import tempfile
import unittest

LINT = sys.argv.pop()


def library(name, *deps):
  return f'cc_library(name = "{name}", deps = {list(deps)})\n'


def lint(builds, *flags, files=()):
  """(status, lines) for a tree of BUILD files, by package, and empty files."""
  with tempfile.TemporaryDirectory() as root:
    for package, text in builds.items():
      os.makedirs(os.path.join(root, package), exist_ok=True)
      with open(os.path.join(root, package, 'BUILD'), 'w',
                encoding='utf-8') as file:
        file.write(text)
    for path in files:
      with open(os.path.join(root, path), 'w', encoding='utf-8'):
        pass
    done = subprocess.run([sys.executable, LINT, f'--root={root}', *flags],
                          check=False, stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout.splitlines()


class LintFoldersTest(unittest.TestCase):

  def test_one_direction_is_silent(self):
    self.assertEqual(
        lint({'ir': library('text', '@system//:torch'),
              'passes/ops': library('table', '//ir/text:text'),
              'passes/matching': library('match', '//passes/ops:table')}),
        (0, []))

  def test_names_the_targets_of_a_cycle(self):
    self.assertEqual(
        lint({'passes/a': library('x', '//passes/b:y'),
              'passes/b': library('y', ':z') + library('z', '//passes/a')}),
        (1, ['folders need each other: '
             'passes/a -> passes/b (//passes/a:x needs //passes/b:y); '
             'passes/b -> passes/a (//passes/b:z needs //passes/a)']))

  def test_cycles_through_subfolders_are_of_their_folders(self):
    status, lines = lint({'passes/a/deep': library('x', '//passes/b:y'),
                          'passes/b': library('y', '//passes/a:z'),
                          'passes/a': library('z')})
    self.assertEqual((status, len(lines)), (1, 1))
    self.assertIn('//passes/a/deep:x needs //passes/b:y', lines[0])

  def test_a_folder_and_its_subfolder_must_not_need_each_other(self):
    status, lines = lint({'ns': library('x', '//ns/report:y') + library('z'),
                          'ns/report': library('y', '//ns:z')})
    self.assertEqual((status, len(lines)), (1, 1))

  def test_each_cycle_has_a_line(self):
    _, lines = lint({'a': library('x', '//b:y', '//c:z'),
                     'b': library('y', '//a:x'),
                     'c': library('z', '//a:x')})
    self.assertEqual(len(lines), 2)

  def test_lists_of_targets_count(self):
    status, _ = lint({
        'a': '[alias(name = t, actual = t) for t in ["//b:y"]]\n',
        'b': library('y', '//a:x')})
    self.assertEqual(status, 1)

  def test_tests_are_not_looked_at(self):
    self.assertEqual(lint({'tests/a': library('x', '//tests/b:y'),
                           'tests/b': library('y', '//tests/a:x')}), (0, []))

  def test_a_folder_of_26_files_is_too_large(self):
    names = [f'file{i}' for i in range(26)]
    for count, expected in [(25, []), (26, ['ns: 26 files, and at most 25 are '
                                            'wanted: move some to a folder of '
                                            'their own'])]:
      files = [f'ns/{name}{ending}' for name in names[:count]
               for ending in ('.h', '.cc')]
      self.assertEqual(
          lint({'ns': ''.join(library(name) for name in names[:count])},
               files=files),
          (1 if expected else 0, expected))

  def test_prints_floors(self):
    self.assertEqual(
        lint({'ns': library('x', '//passes:y'), 'passes': library('y', '//ir'),
              'ir': library('ir'), 'tools': library('z', '//ns:x', '//ir')},
             '--floors'),
        (0, ['.:', '  ir', '  passes', '  ns', '  tools']))


if __name__ == '__main__':
  unittest.main()
