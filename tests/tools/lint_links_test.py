"""tools/lint_links.py on small trees: lint_links_test.py LINT_LINKS."""
import os
import subprocess
import sys
import tempfile
import unittest

LINT = os.path.abspath(sys.argv.pop())


def lint(**pages):
  """(status, lines) for a tree of pages; __ in a name is a folder."""
  with tempfile.TemporaryDirectory() as root:
    for name, text in pages.items():
      path = os.path.join(root, name.replace('__', '/') + '.md')
      os.makedirs(os.path.dirname(path), exist_ok=True)
      with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    for command in (['init', '-q'], ['add', '.']):
      subprocess.run(['git', *command], cwd=root, check=True)
    done = subprocess.run([sys.executable, LINT], cwd=root, check=False,
                          stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout.splitlines()


class LintLinksTest(unittest.TestCase):

  def test_links_that_lead_somewhere_are_silent(self):
    self.assertEqual(
        lint(a='[b](b/c.md), [top](#a-title), [far](https://example.org/x)\n'
             '# A title\n',
             b__c='[a](../a.md#a-title)\n'), (0, []))

  def test_names_missing_files_and_headings(self):
    self.assertEqual(
        lint(a='[b](none.md) [c](b.md#no)\n', b='# Yes\n'),
        (1, ['a.md: none.md leads nowhere', 'a.md: b.md#no leads nowhere']))

  def test_code_has_no_links_and_no_headings(self):
    self.assertEqual(
        lint(a='```\n[x](none.md)\n# Heading\n```\n`f[0](y.md)` [h](#heading)\n'
             ), (1, ['a.md: #heading leads nowhere']))

  def test_headings_are_named_as_github_names_them(self):
    self.assertEqual(
        lint(a='# `ns.compare/1` and [more](a.md)\n## Twice\n## Twice\n'
             '[a](#nscompare1-and-more) [b](#twice-1)\n'), (0, []))


if __name__ == '__main__':
  unittest.main()
