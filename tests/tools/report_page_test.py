"""The report's page in Chromium: table, panel, comparison and saving."""

import hashlib
import json
import lzma
import os
import re
import unittest

import page_case
import page_document
from page_case import NAMES, PAGE, setUpModule, tearDownModule, write


class SourcesTest(unittest.TestCase):

  def test_libraries_are_those_of_the_registry(self):
    for readme, read in (
        (os.path.join(PAGE, 'third_party', 'README.md'), open),
        (os.path.join('tests', 'tools', 'third_party', 'README.md'),
         lambda path, mode: lzma.open(path + '.xz', mode))):
      with open(readme, encoding='utf-8') as file:
        table = re.findall(r'^\| `([^`]+)` .*`([0-9a-f]{64})` \|$',
                           file.read(), re.M)
      self.assertTrue(table)
      for name, checksum in table:
        path = os.path.join(os.path.dirname(readme), name)
        with read(path, 'rb') as file:
          self.assertEqual(hashlib.sha256(file.read()).hexdigest(), checksum,
                           name)

  def test_sources_are_small_and_can_be_embedded(self):
    style, script = page_document.sources(PAGE)
    self.assertLess(len(style.encode()) + len(script.encode()), 235000)
    self.assertNotIn('</style', style)
    self.assertNotIn('</script', script)
    self.assertNotIn('<!--', script)


class TableAndPanelTest(page_case.WholePageTest):

  def test_all_parts_are_there(self):
    self.assertEqual(
        self.browser.texts('#contents a'),
        ['Verdict', 'Accuracy', 'Scores', 'Second data set', 'Limits', 'Time',
         'Chart', 'Layers', 'Graph', 'Coverage', 'Unmatched ops', 'More'])
    self.assertEqual(self.rows('name'), NAMES)
    self.assertIn('97 %', self.browser.find('#coverage').text)
    self.assertIn('crossed', self.browser.find('#limits').text)
    self.assertEqual(self.browser.texts('#facts dt'), ['Matching', 'Batches'])
    self.assertIn('91 %', self.browser.find('#accuracy').text)
    self.assertIn('0.874', self.browser.find('#scores').text)
    self.assertIn('QuantizedBlock', self.browser.find('#lists').text)
    for text in ('real.pt', 'The lowest output SQNR is 12.0 dB.', '-9 to 6.5',
                 '-2 to 6.5', '12.5 %', 'ns quantize --float=float.pt'):
      self.assertIn(text, self.browser.find('#second-data').text)
    for text in ('batch of 32, 1 thread', '8 ms', '2.00', 'it packs its weight',
                 '100 \u00b5s', '200 \u00b5s', 'aten::dequantize', '300 \u00b5s'):
      self.assertIn(text, self.browser.find('#times').text)
    self.assertIn('27.8', self.browser.find('#lists').text)

  def test_columns_are_those_of_the_json(self):
    self.browser.click('.menu summary')
    keys = self.browser.texts('.menu-list .mono')
    for key in ('activation.sqnr_db', 'shadow.cosine', 'weight.max_abs_error',
                'activation.range.float.min', 'activation.codes.unused',
                'float.fqn', 'inherited.bias_share', 'source'):
      self.assertIn(key, keys)
    self.assertEqual(len(keys), len(set(keys)))
    place = keys.index('shadow.cosine') + 1
    self.browser.click(f'.menu-list label:nth-child({place}) input')
    self.assertRegex(self.rows('shadow.cosine')[0], r'^0\.99')

  def test_sorts_by_a_column_and_back(self):
    key = 'activation.sqnr_db'
    head = f'#layer-table th button[title="{key}"]'
    self.browser.click(head)
    shown = self.rows(key)
    self.assertEqual(shown[-1], 'nan')
    numbers = [float(text) for text in shown[:-1]]
    self.assertEqual(numbers, sorted(numbers))
    self.browser.click(head)
    shown = self.rows(key)
    self.assertEqual(shown[0], 'nan')
    self.assertEqual([float(text) for text in shown[1:]], numbers[::-1])
    self.assertEqual(self.browser.find('th[aria-sort="descending"]').text
                     .split(' ')[0], 'activation')

  def test_exact_is_the_best_and_no_value_is_last(self):
    head = '#layer-table th button[title="%s"]'
    self.browser.click(head % 'shadow.sqnr_db')
    self.assertEqual(self.rows('shadow.sqnr_db').index('exact'),
                     len(NAMES) - self.rows('shadow.sqnr_db').count('exact'))
    for _ in range(2):
      self.browser.click(head % 'weight.sqnr_db')
      self.assertEqual(self.rows('weight.sqnr_db')[-1], '')

  def test_filters_by_words_and_conditions(self):
    self.assertEqual(self.filter('layer2'), [n for n in NAMES if 'layer2' in n])
    self.assertIn(f'4 of {len(NAMES)}', self.browser.find('#count').text)
    figures = {layer['name']: layer for layer in self.report['layers']}

    def where(holds):
      return [name for name in NAMES if holds(figures[name])]

    def db(layer):
      value = layer['activation']['sqnr_db']
      return None if value == 'nan' else value

    self.assertEqual(self.filter('sqnr<35'),
                     where(lambda layer: db(layer) and db(layer) < 35))
    self.assertEqual(self.filter('sqnr=nan'), [NAMES[4]])
    self.assertEqual(
        self.filter('shadow=exact'),
        where(lambda layer: layer['shadow']['sqnr_db'] == 'inf'))
    self.assertEqual(self.filter('activation.sqnr_db>=35 -layer1'), where(
        lambda layer: db(layer) and db(layer) >= 35 and
        'layer1' not in layer['name']))
    self.assertEqual(self.filter('weight>0 dominated:local'), where(
        lambda layer: 'weight' in layer and
        layer['error']['dominated_by'] == 'local'))
    self.assertEqual(self.filter('clip>0.1%'), NAMES)
    self.assertEqual(self.filter('clip>1%'), [])
    self.assertIn('No layer', self.browser.find('.empty').text)

  def test_values_at_an_end_are_clipped_only_beyond_it(self):
    def share(lowest, **more):
      layer = {**more, 'activation': {
          'elements': 1000, 'codes': {'lowest': 500, 'highest': 2, 'unused': 55},
          'range': {'float': [lowest, 10.5], 'quantized': [0.0, 10.0]}}}
      return self.browser.run('return nsPage.clippedShare(arguments[0])', layer)

    # 201 codes from 0 to 10 are steps of 0.05.
    self.assertEqual(share(0.0), 0.002)
    self.assertEqual(share(-0.04), 0.002)
    self.assertEqual(share(-0.06), 0.502)
    # The scale says what a step is.
    scale = {'scale': 0.03, 'zero_point': 0}
    self.assertEqual(share(-0.04, qparams=scale), 0.502)
    self.assertEqual(share(-0.02, qparams=scale), 0.002)

  def test_says_what_is_wrong_with_a_filter(self):
    for text, message in (('sqrn<25', "no column is called 'sqrn'"),
                          ('sqnr<', 'needs a number'),
                          ('sqnr<low', 'needs a number'),
                          ('name<3', 'is text')):
      self.assertEqual(self.filter(text), NAMES)
      self.assertIn(message, self.browser.find('#filter-hint').text)
      self.assertEqual(
          self.browser.find('#filter').get_attribute('aria-invalid'), 'true')

  def test_table_by_keyboard(self):
    self.browser.focus('#layer-table')
    self.browser.press('ARROW_DOWN', 'ARROW_DOWN', 'ENTER')
    self.assertEqual(self.browser.find('#panel h2').text, NAMES[2])
    # The panel follows, and Escape closes it.
    self.browser.press('END')
    self.assertEqual(self.browser.find('#panel h2').text, NAMES[-1])
    self.browser.press('ARROW_UP', 'HOME')
    self.assertEqual(self.browser.find('#panel h2').text, NAMES[0])
    active = self.browser.find('#layer-table').get_attribute(
        'aria-activedescendant')
    self.assertIn(NAMES[0], self.browser.find('#' + active).text)
    self.browser.press('ESCAPE')
    self.assertEqual(self.browser.all('#panel'), [])

  def test_channels_are_side_by_side(self):
    cell = self.browser.find('#row-1 .channel-strip')
    cells = cell.find_elements('css selector', 'i')
    self.assertEqual(len(cells), 8)
    colors = [one.value_of_css_property('background-color') for one in cells]
    self.assertGreater(len(set(colors)), 4)
    self.assertTrue(cell.get_attribute('aria-label').startswith(
        'lowest SQNR of neighbouring channels: 35.0, 36.0'),
                    cell.get_attribute('aria-label'))
    self.browser.click('#row-1 td')
    self.assertEqual(
        len(self.browser.all('#panel .channel-strip i')), 8)

  def test_panel_shows_all_that_is_known(self):
    self.browser.click('#row-3 td')
    panel = self.browser.find('#panel').text
    for text in (NAMES[2], 'net.py:14', 'aten::conv2d \u2192 aten::relu',
                 '244 of 256 codes', 'float -2 to 6.5', 'channel 0',
                 'batch 1', 'log', 'n = 100,000', 'Output h_n', 'trip 0',
                 'quantized 7 nan, 1 inf', 'scale 0.0625, zero point 12',
                 'behind dropout', 'scale 0.031 -> 0.024: 30.4 -> 32.5 dB (+2.1)',
                 '3 of 64 channels can saturate on fbgemm-avx2; 50 of 5,000 '
                 'outputs do, which costs 1.5 dB', 'my_metric'):
      self.assertIn(text, panel)
    head, sqnr = self.browser.run('''
        const rows = [...document.querySelector('#panel .figures').rows];
        return [rows[0], rows[1]].map(
            (row) => [...row.cells].map((cell) => cell.textContent))''')
    self.assertEqual(head, ['', 'activation', 'shadow', 'inherited', 'kernel',
                            'weight only', 'activation only', 'weight'])
    self.assertEqual(sqnr[4:7], ['52.5', '33.3', '32.3'])
    # 100 bins each: weights (float, quantized, error) and activations.
    paths = self.browser.run(
        "return [...document.querySelectorAll('#panel .plot path')]"
        ".map((path) => path.getAttribute('d').split('H').length - 1)")
    self.assertEqual(paths, [100] * 6)
    inked = self.browser.run('''
        const canvas = document.querySelector('#panel canvas');
        const {data} = canvas.getContext('2d').getImageData(
            0, 0, canvas.width, canvas.height);
        return [canvas.width, canvas.height,
                new Set(data.filter((_, i) => i % 4 === 0)).size]''')
    self.assertEqual(inked[:2], [30, 20])
    self.assertGreater(inked[2], 10)
    before = self.browser.find('#panel .plot path').get_attribute('d')
    self.browser.click('#panel .log input')
    self.assertNotEqual(
        self.browser.find('#panel .plot path').get_attribute('d'), before)
    self.browser.click('#panel [aria-label="Next layer"]')
    self.assertEqual(self.browser.find('#panel h2').text, NAMES[3])
    self.browser.click('#panel-close')
    self.assertEqual(self.browser.all('#panel'), [])

  def test_panel_tells_of_mistaken_parameters(self):
    self.browser.run('nsPage.openLayer(arguments[0])', NAMES[1])
    self.browser.settle()
    panel = self.browser.find('#panel').text
    self.assertIn(f'is that of {NAMES[-1]}', panel.replace('\n', ' '))
    self.assertIn('the quantized layer has none', panel)

  def test_verdict_opens_its_layer(self):
    self.browser.click('#verdict button')
    self.assertEqual(self.browser.find('#panel h2').text, NAMES[-1])

  def choose(self, name, text):
    self.browser.find('#compare-file').send_keys(write(name, text))

  def test_compares_with_an_earlier_report(self):
    earlier = page_document.report(NAMES[1:] + ['old.head'])
    for layer in earlier['layers']:
      layer['activation']['sqnr_db'] = 30.0
    self.choose('earlier.json', json.dumps(earlier))
    self.browser.wait_for(lambda: self.browser.all('#compare-end'),
                          'the comparison')
    self.browser.settle()
    message = self.browser.find('#message').text
    self.assertIn('earlier.json', message)
    self.assertIn('only in this report: 1', message)
    self.assertIn('only in earlier.json: 1', message)
    self.assertEqual(self.browser.texts('#message li'),
                     ['stem.conv', 'old.head'])
    shown = self.rows('activation.sqnr_db')
    self.assertEqual(shown[0], 'new')
    value = self.report['layers'][1]['activation']['sqnr_db']
    self.assertEqual(shown[1], f'+{value - 30:.1f}')
    self.browser.click('#row-2 td')
    self.assertIn(f'+{value - 30:.1f}', self.browser.find('.figures').text)
    self.assertIn('+', self.browser.find('#graph .scale').text)
    self.browser.click('#differences')
    self.assertEqual(self.rows('activation.sqnr_db')[1], f'{value:.1f}')
    self.browser.click('#compare-end')
    self.assertEqual(self.browser.texts('#message'), [''])

  def test_takes_what_is_dropped_on_it(self):
    page = page_document.document(PAGE, self.report)
    self.browser.run('''
        const data = new DataTransfer();
        data.items.add(new File([arguments[0]], 'old.html'));
        dispatchEvent(new DragEvent('drop', {dataTransfer: data,
                                             cancelable: true}))''', page)
    self.browser.wait_for(lambda: self.browser.all('#compare-end'),
                          'the comparison')
    shown = self.rows('activation.sqnr_db')
    self.assertEqual(shown, ['0'] * len(NAMES))

  def test_wrong_files_are_told(self):
    other = page_document.report(['a', 'b'])
    text = json.dumps(self.report)
    for name, content, message in (
        ('cut.json', text[:len(text) // 2], 'not JSON, or cut off'),
        ('search.json', json.dumps({'schema': 'ns.search/1', 'layers': []}),
         'schema "ns.search/1", not "ns.compare/1"'),
        ('list.json', '[1, 2]', 'schema missing'),
        ('layers.json', json.dumps({'schema': 'ns.compare/1', 'layers': [1]}),
         'has no list of layers'),
        ('other.json', json.dumps(other), "no layer has a name of this"),
        ('empty.json', '', 'not JSON'),
        ('page2.html', '<!doctype html><p>Hello</p>', 'not JSON'),
    ):
      self.choose(name, content)
      self.browser.wait_for(
          lambda: name in self.browser.find('#message').text, name)
      self.assertIn(message, self.browser.find('#message').text)
      self.assertEqual(self.browser.all('#compare-end'), [])
    self.assertEqual(self.rows('name'), NAMES)

  def test_saves_the_json(self):
    self.browser.click('#save')
    path = os.path.join(self.browser.downloads, 'quantized.json')
    # Chromium makes an empty file first.
    self.browser.wait_for(
        lambda: os.path.exists(path) and os.path.getsize(path) > 0, 'the file')
    with open(path, encoding='utf-8') as file:
      self.assertEqual(json.load(file), self.report)


if __name__ == '__main__':
  unittest.main()
