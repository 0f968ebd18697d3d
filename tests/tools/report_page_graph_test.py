"""The report's page in Chromium: chart and graph, and their colours."""

import unittest

import page_case
import page_document
from page_case import NAMES, setUpModule, tearDownModule


def luminance(color):
  """WCAG's relative luminance of "#rrggbb"."""
  parts = [int(color[at:at + 2], 16) / 255 for at in (1, 3, 5)]
  return sum(weight * (part / 12.92 if part <= 0.03928 else
                       ((part + 0.055) / 1.055) ** 2.4)
             for weight, part in zip((0.2126, 0.7152, 0.0722), parts))


class ChartAndGraphTest(page_case.WholePageTest):

  def boxes(self):
    return self.browser.texts('#graph .item title')

  def test_graph_is_closed_and_opens(self):
    closed = self.boxes()
    self.assertEqual(len([box for box in closed if box.startswith('module')]),
                     4)
    module = next(i for i, box in enumerate(closed) if 'layer1' in box)
    self.assertIn('worst activation dB nan', closed[module])
    self.browser.click('#box-m2 rect')
    self.assertIn('module layer1.0', ' '.join(self.boxes()))
    self.browser.click('#graph button')  # Expand all.
    self.assertGreater(len(self.boxes()), len(closed) + 8)
    self.browser.click('#graph button + button')
    self.assertEqual(self.boxes(), closed)

  def test_graph_by_keyboard(self):
    self.browser.focus('#graph svg')
    self.browser.press('HOME', 'ARROW_DOWN', 'ARROW_RIGHT', 'ARROW_DOWN',
                       'ARROW_RIGHT', 'ARROW_DOWN', 'ENTER')
    self.assertEqual(self.browser.find('#panel h2').text, 'layer1.0.conv1')
    self.browser.focus('#graph svg')
    self.browser.press('ARROW_UP', 'ARROW_LEFT', 'ARROW_UP', 'ARROW_LEFT')
    self.assertEqual(len([box for box in self.boxes()
                          if box.startswith('module')]), 4)

  def test_graph_shows_figures_of_any_column(self):
    figure = '#graph .item text.figure'
    first = self.browser.texts(figure)
    fill = self.browser.find('#graph .item .node rect[fill]')
    self.assertRegex(fill.get_attribute('fill'), r'^#[0-9a-f]{6}$')
    for key in ('weight.sqnr_db', 'error.dominated_by', 'clipped'):
      self.browser.run('''
          const select = document.getElementById('color-by');
          select.value = arguments[0];
          select.dispatchEvent(new Event('change', {bubbles: true}))''', key)
      self.browser.settle()
      self.assertNotEqual(self.browser.texts(figure), first)

  def test_colours_go_from_good_to_bad(self):
    """Infinities and nan have their place, and text can be read on all."""
    for worse, values in (
        (-1, ['inf', 50, 40, 30, 20, '-inf']),
        (1, ['-inf', 0, 0.1, 0.2, 0.5, 'inf', 'nan']),
        (0, [0, -0.1, 0.2, -0.3, 'inf'])):
      shades = self.browser.run('''
          const column = {worse: arguments[0], numeric: true};
          const values = arguments[1].map(nsPage.number);
          const scale = nsPage.colorScale(column, values, false);
          return values.map((value) => {
            const color = scale.color(value);
            return [color, nsPage.inkOn(color)];
          })''', worse, values)
      light = [luminance(color) for color, _ in shades]
      self.assertEqual(light, sorted(light, reverse=True), values)
      self.assertGreater(light[0], light[-2] + 0.3)
      for color, ink in shades:
        high, low = sorted([luminance(color), luminance(ink)], reverse=True)
        self.assertGreater((high + 0.05) / (low + 0.05), 4.5, color)
    better, same, worse = self.browser.run('''
        const scale = nsPage.colorScale(
            {worse: -1, numeric: true}, [-3, 0, 3], true);
        return [3, 0, -3].map(scale.color)''')
    self.assertGreater(int(better[5:], 16), int(better[1:3], 16))
    self.assertGreater(int(worse[1:3], 16), int(worse[5:], 16))
    self.assertEqual(len({same[1:3], same[3:5], same[5:]}), 1)

  def test_boxes_are_where_the_layout_has_them(self):
    layout = page_document.layout(self.report['graph'])
    placed = self.browser.run('''
        const [layout, graph] = arguments;
        const placed = nsPage.placeBoxes(
            layout, new Set(layout.modules.keys()));
        return {boxes: placed.boxes, height: placed.height,
                edges: nsPage.placeEdges(layout, graph, placed)}''',
                              layout, self.report['graph'])
    self.assertEqual(placed['height'], layout['height'])
    self.assertEqual(len(placed['boxes']),
                     len(layout['cells']) + len(layout['modules']) - 1)
    for box in placed['boxes']:
      of = layout['cells' if box['kind'] == 'cell' else 'modules'][box['index']]
      self.assertEqual((box['x'], box['y']), (of['x'], of['y']))
      if box['kind'] == 'module':
        self.assertEqual(box['height'], of['height'])
    self.assertEqual(len(placed['edges']), sum(
        len(self.report['graph'][lane]['edges'])
        for lane in ('float', 'quantized')))
    # Only the edge from the first op to the fifth has to go around others.
    self.assertEqual(
        [(edge['from']['index'], edge['to']['index'])
         for edge in placed['edges'] if edge['skips']], [(0, 4)] * 2)
    # Closed, layer1's four ops are one box, and edges within it are none.
    closed = self.browser.run('''
        const [layout, graph] = arguments;
        const placed = nsPage.placeBoxes(layout, new Set([0]));
        return [placed.boxes.length, placed.height,
                nsPage.placeEdges(layout, graph, placed).length]''',
                              layout, self.report['graph'])
    sizes = layout['sizes']
    self.assertEqual(closed[0], 6)
    self.assertEqual(closed[1],
                     6 * sizes['node_height'] + 5 * sizes['row_gap'])
    # The fifth op's edge from the first is that of the modules.
    self.assertEqual(closed[2], 2 * 4)

  def test_unmatched_op_tells_why(self):
    self.assertIn('the quantized model has no dropout', ' '.join(self.boxes()))
    self.browser.click('#graph .item:has(.unmatched)')
    panel = self.browser.find('#panel').text
    self.assertIn('dropout', panel)
    self.assertIn('the quantized model has no dropout', panel)

  def test_layer_is_shown_in_the_graph(self):
    self.browser.run("nsPage.openLayer('layer3.1.conv2')")
    self.browser.settle()
    self.browser.run("[...document.querySelectorAll('#panel button')].find("
                     "(button) => button.textContent === 'In graph').click()")
    self.browser.settle()
    self.assertIn('layer3.1.conv2',
                  self.browser.find('#graph .item.selected title')
                  .get_attribute('textContent'))

  def test_chart_zooms_and_shows_all(self):
    self.browser.run("document.getElementById('chart').scrollIntoView("
                     "{behavior: 'instant'})")
    self.browser.settle()

    def scale():
      return self.browser.run(
          'return [nsPage.plot.scales.x.min, nsPage.plot.scales.x.max]')

    whole = scale()
    box = self.browser.run(
        "const box = document.querySelector('.u-over')"
        '.getBoundingClientRect(); return [box.x, box.y, box.width]')
    y = box[1] + 100
    self.browser.drag([(box[0] + box[2] * part, y)
                       for part in (0.3, 0.4, 0.5, 0.6)])
    self.browser.wait_for(lambda: scale() != whole, 'the zoom')
    low, high = scale()
    self.assertGreater(low, whole[0] + 1)
    self.assertLess(high, whole[1] - 1)
    self.assertEqual(self.browser.all('#panel'), [])
    self.browser.click('#zoom-reset')
    self.browser.wait_for(lambda: scale() == whole, 'the whole')
    # A click opens, a key moves on.
    self.browser.focus('.chart')
    self.browser.press('HOME', 'ARROW_RIGHT')
    self.assertIn(NAMES[1], self.browser.find('.tooltip').text)
    self.browser.press('ENTER')
    self.assertEqual(self.browser.find('#panel h2').text, NAMES[1])
    self.browser.press('+')
    self.browser.wait_for(lambda: scale() != whole, 'the zoom by key')
    self.browser.press('0')
    self.browser.wait_for(lambda: scale() == whole, 'the whole by key')

  def test_chart_hides_a_series(self):
    button = self.browser.find('#chart .legend')
    self.browser.click('#chart .legend')
    self.assertEqual(button.get_attribute('aria-pressed'), 'false')
    self.assertFalse(self.browser.run('return nsPage.plot.series[1].show'))


if __name__ == '__main__':
  unittest.main()
