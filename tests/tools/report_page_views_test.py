"""What readers do with the report's page in Chromium, and the pages of other
commands than compare."""

import csv
import json
import os
import struct
import unittest

import cli
import page_case
from page_case import NAMES, setUpModule, tearDownModule


class ActionsTest(page_case.WholePageTest):

  def saved(self, name):
    """The bytes of a file that the page saved."""
    path = os.path.join(self.browser.downloads, name)
    # Chromium makes an empty file first.
    self.browser.wait_for(
        lambda: os.path.exists(path) and os.path.getsize(path) > 0, name)
    with open(path, 'rb') as file:
      return file.read()

  def test_commands_can_be_copied(self):
    # What is copied, whatever the browser permits.
    self.browser.run('''
        window.copied = [];
        Object.defineProperty(navigator, 'clipboard', {value: {
          writeText: async (text) => { window.copied.push(text); }}})''')
    commands = self.browser.texts('.command pre')
    self.assertTrue(commands)
    self.browser.click('.command .copy')
    self.browser.wait_for(
        lambda: self.browser.texts('.command .copy')[0] == 'Copied', 'the copy')
    self.assertEqual(self.browser.run('return window.copied'), commands[:1])

  def test_a_link_opens_its_layer(self):
    self.browser.run("location.hash = '#layer=' + arguments[0]", NAMES[4])
    self.browser.wait_for(lambda: self.browser.all('#panel'), 'the panel')
    self.assertEqual(self.browser.find('#panel h2').text, NAMES[4])
    self.browser.click('#panel [aria-label="Next layer"]')
    self.assertTrue(self.browser.run('return location.hash').endswith(
        '#layer=' + NAMES[5]))
    self.browser.press('ESCAPE')
    self.assertEqual(self.browser.run('return location.hash'), '')
    self.browser.run("location.hash = '#layer=no.such.layer'")
    self.browser.settle()
    self.assertEqual(self.browser.all('#panel'), [])

  def test_keys(self):
    self.browser.press('/')
    self.assertEqual(self.browser.run('return document.activeElement.id'),
                     'filter')
    # There it is a letter.
    self.browser.press('?')
    self.assertEqual(self.browser.run(
        "return document.getElementById('filter').value"), '?')
    self.browser.focus('#layer-table')
    self.browser.press('?')
    self.assertIn('go to the filter', self.browser.find('#keys[open]').text)
    self.browser.press('ESCAPE')
    self.assertEqual(self.browser.all('#keys[open]'), [])

  def test_saves_the_shown_rows(self):
    self.filter('name:conv2')
    self.browser.click('#save-csv')
    rows = list(csv.DictReader(
        self.saved('quantized.csv').decode().splitlines()))
    self.assertEqual([row['name'] for row in rows],
                     [name for name in NAMES if 'conv2' in name])
    values = {layer['name']: layer['activation']['sqnr_db']
              for layer in self.report['layers']}
    for row in rows:
      self.assertEqual(row['activation.sqnr_db'].lower(),
                       str(values[row['name']]).lower())

  def test_saves_the_chart(self):
    self.browser.click('#save-chart')
    picture = self.saved('quantized.png')
    self.assertEqual(picture[:8], b'\x89PNG\r\n\x1a\n')
    width, height = struct.unpack('>II', picture[16:24])
    self.assertGreater(width, 600)
    self.assertGreater(height, 200)

  def test_sorting_shows_the_first_rows(self):
    box = "const box = document.querySelector('.table-box');"
    self.browser.run(box + "box.style.height = '120px'; box.scrollTop = 200")
    self.browser.click('#layer-table th button[title="activation.sqnr_db"]')
    self.assertEqual(self.browser.run(box + 'return box.scrollTop'), 0)

  def test_shares_of_the_error_are_bars(self):
    for index, layer in enumerate(self.report['layers']):
      layer['output_share'] = 0.5 if index == 2 else 0.01
    self.open(self.report)
    self.assertIn('Share of output error', self.browser.texts('#chart .legend'))
    self.assertEqual(self.rows('output_share')[2], '50 %')
    columns = self.browser.run(
        "return [...document.querySelectorAll('#layer-table th button')]"
        '.map((head) => head.title)')
    self.assertLess(columns.index('output_share'),
                    columns.index('activation.sqnr_db'))

  def test_a_color_means_one_figure(self):
    self.browser.run('''
        const choice = document.getElementById('color-by');
        choice.value = 'activation.sqnr_db';
        choice.dispatchEvent(new Event('change', {bubbles: true}))''')
    self.browser.settle()
    self.assertEqual(self.browser.find('#graph .scale').text.split(),
                     ['10', '20', '30', '40', 'dB'])
    colors = self.browser.run('''
        const column = nsPage.store.state.columns.find(
            (entry) => entry.key === 'activation.sqnr_db');
        return [[12, 35], [20, 20], [-3, 90]].map((values) =>
            nsPage.colorScale(column, values, false).color(20))''')
    self.assertEqual(len(set(colors)), 1)


class ViewsTest(page_case.PageTest, cli.CliTest):
  """Pages of quantize, sensitivity and search, as the tool writes them."""

  def setUp(self):
    cli.CliTest.setUp(self)
    page_case.PageTest.setUp(self)

  def show(self, *arguments):
    """Runs a command, opens its page and returns its JSON."""
    page, report = self.path('page.html'), self.path('report.json')
    self.succeed(*arguments, '--quiet', f'--json={report}')
    self.succeed('report', f'--json={report}', f'--html={page}')
    self.browser.open(page)
    self.addCleanup(self.check_quiet)
    with open(report, encoding='utf-8') as file:
      return json.load(file)

  def check_page(self, parts):
    self.assertEqual(self.browser.texts('#contents a'), parts)
    self.assertEqual(self.serious(), [])
    name = self.rows('name')[1]
    self.browser.click('#row-2 td')
    self.assertEqual(self.browser.find('#panel h2').text, name)
    self.browser.press('ESCAPE')

  def test_quantize(self):
    report = self.show(
        'quantize', 'net_float.pt', 'images.pt', '--backend=onednn',
        '-o', self.path('quantized.pt'))
    names = [layer['name'] for layer in report['layers']]
    stayed = [layer['name'] for layer in report['stayed_float']]
    self.assertEqual(self.rows('name'), names + stayed)
    self.assertEqual(self.rows('runs_in'),
                     ['int8'] * len(names) + ['float'] * len(stayed))
    bits = [str(layer.get('activation_bits', ''))
            for layer in report['layers'] + report['stayed_float']]
    self.assertEqual(self.rows('activation_bits'), bits)
    self.assertLessEqual(set(bits), {'', '7', '8'})
    self.assertTrue(bits[0])
    self.check_page(['Verdict', 'Layers', 'More'])
    self.assertIn(f"{report['output_sqnr_db'][0]['sqnr_db']:.1f}",
                  self.browser.find('#lists').text)
    self.assertEqual(self.filter('runs:float'), stayed)

  def test_sensitivity(self):
    report = self.show('sensitivity', 'net_float.pt', 'images.pt')
    self.assertEqual(self.rows('name'),
                     [layer['name'] for layer in report['layers']])
    first = report['layers'][0]['candidates'][0]
    key = first['name'] + '.sqnr_db'
    self.assertEqual(self.rows(key)[0], f"{first['sqnr_db']:.1f}")
    self.check_page(['Verdict', 'Chart', 'Layers', 'More'])
    # Cells have the colour of their figure.
    color = self.browser.run('''
        const heads = [...document.querySelectorAll('#layer-table th button')];
        const at = heads.findIndex((head) => head.title === arguments[0]);
        const cell = document.querySelector('#row-1').cells[at];
        const probe = document.createElement('i');
        probe.style.background = nsPage.channelColor(arguments[1]);
        return cell.style.background === probe.style.background''',
                             key, first['sqnr_db'])
    self.assertTrue(color)
    self.assertEqual(set(self.browser.texts('#chart .legend')),
                     set(report['candidates'][:6]))

  def test_diff(self):
    for name, quantized in (('a', 'net_quantized'), ('b', 'net_perturbed')):
      self.succeed('compare', 'net_float.pt', f'{quantized}.pt', 'images.pt',
                   '--quiet', f'--json={self.path(name)}.json')
    page = self.path('page.html')
    self.succeed('diff', self.path('a.json'), self.path('b.json'), '--quiet',
                 f'--html={page}')
    self.browser.open(page)
    self.addCleanup(self.check_quiet)
    self.browser.wait_for(lambda: self.browser.all('#compare-end'),
                          'the comparison')
    self.assertIn('a.json', self.browser.find('#message').text)
    key = 'activation.sqnr_db'
    figures = []
    for name in 'ab':
      with open(self.path(name) + '.json', encoding='utf-8') as file:
        figures.append({layer['name']: float(layer['activation']['sqnr_db'])
                        for layer in json.load(file)['layers']})
    before, after = figures
    names = list(after)
    changed = next(name for name in names
                   if abs(after[name] - before[name]) > 1)
    change = after[changed] - before[changed]
    sign = '+' if change > 0 else '\u2212'
    self.assertEqual(self.rows(key)[names.index(changed)],
                     f'{sign}{abs(change):.1f}')
    self.assertEqual(self.serious(), [])

  def test_search(self):
    report = self.show('search', 'net_float.pt', 'images.pt', '--budget=10dB')
    self.assertEqual(self.rows('choice'),
                     [layer['choice'] for layer in report['layers']])
    self.check_page(['Verdict', 'Frontier', 'Layers', 'More'])
    self.assertEqual(len(self.browser.all('#frontier circle')),
                     len(report['pareto']))
    chosen = [point for point in report['pareto'] if point.get('chosen')]
    self.assertEqual(len(chosen), 1)
    title = self.browser.texts('#frontier .chosen title')[0]
    self.assertIn(f"{chosen[0]['int8_layers']} layers in int8", title)
    self.assertNotIn('e+', self.browser.find('#verdict').text)


if __name__ == '__main__':
  unittest.main()
