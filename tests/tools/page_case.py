"""What the tests of the report's page share: a browser and made-up reports."""

import lzma
import os
import re
import shutil
import tempfile
import unittest

import page_document
from browser import Browser

PAGE = os.path.abspath('ns/report/page')
AXE = os.path.join('tests', 'tools', 'third_party', 'axe.min.js.xz')
NAMES = ['stem.conv'] + [
    f'layer{i}.{j}.conv{k}' for i in (1, 2, 3) for j in (0, 1) for k in (1, 2)
] + ['fc']

BROWSER = None
FOLDER = None


def setUpModule():
  global BROWSER, FOLDER
  FOLDER = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))
  BROWSER = Browser(FOLDER)


def tearDownModule():
  BROWSER.quit()
  shutil.rmtree(FOLDER, ignore_errors=True)


def write(name, text):
  path = os.path.join(FOLDER, name)
  with open(path, 'w', encoding='utf-8') as file:
    file.write(text)
  return path


class PageTest(unittest.TestCase):

  def setUp(self):
    self.browser = BROWSER

  def open(self, report, layout=None):
    """Opens the page of a report; each test ends without errors."""
    self.report = report
    self.browser.open(write('page.html', page_document.document(
        PAGE, report, layout)))
    self.addCleanup(self.check_quiet)

  def check_quiet(self):
    self.assertEqual(self.browser.console(), [])
    self.assertEqual([address for address in self.browser.requests()
                      if not re.match(r'file:.*/page\.html|blob:', address)],
                     [])

  def rows(self, column):
    """What a column of the table shows, by its header's title."""
    return self.browser.run('''
        const heads = [...document.querySelectorAll('#layer-table th button')];
        const at = heads.findIndex((head) => head.title === arguments[0]);
        return [...document.querySelectorAll('#layer-table tbody tr')]
            .filter((row) => row.className !== 'spacer')
            .map((row) => row.cells[at].textContent)''', column)

  def filter(self, text):
    """Types into the filter box; returns the names that stay."""
    self.browser.run('''
        const box = document.getElementById('filter');
        box.value = arguments[0];
        box.dispatchEvent(new Event('input', {bubbles: true}))''', text)
    self.browser.settle()
    return self.rows('name')

  def titles(self, names):
    """Opens the panels of layers one after another; their titles."""
    return self.browser.run_async('''
        const titles = [];
        const next = (names) => {
          if (names.length === 0) return done(titles);
          nsPage.openLayer(names[0]);
          requestAnimationFrame(() => setTimeout(() => {
            titles.push(document.querySelector('#panel h2').textContent);
            next(names.slice(1));
          }));
        };
        next(arguments[0]);''', names)

  def serious(self):
    """What axe-core finds serious or critical."""
    with lzma.open(AXE, 'rt', encoding='utf-8') as file:
      self.browser.run(file.read())
    found = self.browser.run_async(
        'axe.run(document).then((result) => done(result.violations))')
    return [(entry['id'], entry['nodes'][0]['html'][:200],
             entry['nodes'][0]['failureSummary'])
            for entry in found if entry['impact'] in ('serious', 'critical')]


class WholePageTest(PageTest):
  """Each test opens a page that has all parts."""

  def setUp(self):
    super().setUp()
    self.open(page_document.report(NAMES, extra=True))
