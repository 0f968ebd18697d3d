"""The HTML report of ns compare --html, and of ns report."""

import json
import os
import re
import unittest

import cli

NAMES = ('<img src=x onerror=alert(1)>', '</script><script>alert(1)</script>',
         'a]]>b<!--', '"quoted\' \n line', 'separated\u2028by\u2029lines')


class ReportTest(cli.CliTest):

  def write(self, name, text):
    with open(self.path(name), 'w', encoding='utf-8') as file:
      file.write(text)
    return self.path(name)

  def read(self, name):
    with open(self.path(name), encoding='utf-8') as file:
      return file.read()

  def data(self, html, identifier):
    """The JSON in an element of `html`."""
    text, = re.findall(
        f'<script type="application/json" id="{identifier}">(.*?)</script>',
        html, re.DOTALL)
    return json.loads(text)

  def compare(self, *flags):
    return self.succeed(*cli.COMPARE, '--inputs=images.pt', *flags)

  def test_a_page_from_json_is_that_of_the_run(self):
    output, _ = self.compare('--histograms', f'--json={self.path("r.json")}',
                             f'--html={self.path("r.html")}')
    self.assertIn('layers matched', output)
    self.assertEqual(
        self.succeed('report', f'--json={self.path("r.json")}',
                     f'--html={self.path("again.html")}'), ('', ''))
    html = self.read('r.html')
    self.assertEqual(self.read('again.html'), html)
    self.assertEqual(self.data(html, 'report'),
                     json.loads(self.read('r.json')))

  def test_the_page_alone_has_histograms_that_nobody_asked_for(self):
    self.compare(f'--json={self.path("r.json")}',
                 f'--html={self.path("r.html")}')
    self.assertNotIn('histograms', self.read('r.json'))
    for layer in self.data(self.read('r.html'), 'report')['layers']:
      for figures in (layer.get('activation'), layer.get('shadow'),
                      *layer.get('weight', ())):
        if figures is not None:
          self.assertGreater(figures['histograms']['samples'], 0)

  def test_the_page_holds_models_graph_and_layout(self):
    html, _ = self.compare('--html=-')
    report = self.data(html, 'report')
    self.assertEqual([file['path'] for file in report['files']],
                     ['net_float.pt', 'net_quantized.pt', 'images.pt'])
    for file in report['files']:
      self.assertRegex(file['sha256'], r'^[0-9a-f]{64}$')
    self.assertIn(report['engine'],
                  ('fbgemm', 'x86', 'onednn', 'qnnpack'))
    self.assertTrue(report['processor'])
    names = {layer['name'] for layer in report['layers']}
    cells = self.data(html, 'layout')['cells']
    for model in ('float', 'quantized'):
      graph = report['graph'][model]
      for index, node in enumerate(graph['nodes']):
        self.assertEqual(node['id'], index)
        self.assertEqual(node['layer'] in names, 'reason' not in node)
      self.assertEqual(
          sorted(cell[model] for cell in cells if model in cell),
          list(range(len(graph['nodes']))))
      for source, target in graph['edges']:
        self.assertLess(source, target)
    for sentence in report['verdict']['sentences']:
      self.assertIn(sentence, html)

  def test_json_has_a_graph_where_asked_for(self):
    self.assertNotIn('graph', json.loads(self.compare('--json=-')[0]))
    self.assertIn('graph', json.loads(self.compare('--json=-', '--graph')[0]))

  def test_names_are_text(self):
    layers = [{'name': name, 'float': {'op': name},
               'quantized': {'fqn': name, 'op': name},
               'shadow': {'sqnr_db': 5.0}} for name in NAMES]
    report = {'schema': 'ns.compare/1', 'float': NAMES[0],
              'quantized': NAMES[1], 'layers': layers, 'matching': NAMES[2],
              'verdict': {'sentences': list(NAMES)},
              'unmatched': [{'model': n, 'fqn': n, 'op': n, 'reason': n}
                            for n in NAMES],
              'graph': {'float': {'nodes': [{'fqn': n, 'name': n, 'layer': n}
                                            for n in NAMES], 'edges': []},
                        'quantized': {'nodes': [], 'edges': []}}}
    path = self.write('r.json', json.dumps(report, ensure_ascii=False))
    html, _ = self.succeed('report', f'--json={path}', '--html=-')
    self.assertEqual(self.data(html, 'report'), report)
    body = html[html.index('<body>'):html.rindex('<script>')]
    self.assertEqual(len(re.findall('<script', body)), 2)
    for markup in ('<img', '<!--', 'onerror="', "']", '\n line'):
      self.assertNotIn(markup, body)
    self.assertIn('&lt;img src=x onerror=alert(1)&gt;', body)

  def test_pages_of_other_commands(self):
    for schema in ('ns.sensitivity/1', 'ns.quantize/1', 'ns.search/1'):
      path = self.write('r.json', json.dumps(
          {'schema': schema, 'float': 'f.pt', 'layers': [{'name': 'fc'}]}))
      html, _ = self.succeed('report', f'--json={path}', '--html=-')
      self.assertIn('<th scope="row">fc</th>', html)
      self.assertIsNone(self.data(html, 'layout'))

  def test_what_is_no_report_is_bad_input(self):
    html = self.path('r.html')
    for text, name in (('{"schema": "ns.compare/1", "lay', 'line 1'),
                       ('hello', 'line 1'), ('', 'empty'), ('[]', 'schema'),
                       ('{"schema": "ns.compare/2"}', 'ns.compare/2'),
                       ('{"schema": "' + 'x' * 500 + '\\n"}', 'ns.compare/1')):
      path = self.write('bad.json', text)
      self.fail_with(3, 'report', f'--json={path}', f'--html={html}',
                     names=('bad.json', name))
      with self.assertRaises(FileNotFoundError):
        self.read('r.html')
    self.fail_with(3, 'report', '--json=missing.json', f'--html={html}',
                   names='missing.json')

  def test_model_explorer_gets_graphs_and_figures(self):
    self.compare(f'--json={self.path("r.json")}', '--graph', '--quiet')
    export = ('export', '--format=model-explorer',
              f'--json={self.path("r.json")}', f'--out={self.path("a/b")}')
    self.assertEqual(self.succeed(*export), ('', ''))
    graphs = json.loads(self.read('a/b/graphs.json'))
    self.assertEqual([graph['id'] for graph in graphs],
                     ['float', 'quantized'])
    for graph in graphs:
      nodes = {node['id'] for node in graph['nodes']}
      self.assertTrue(nodes)
      for node in graph['nodes']:
        for edge in node['incomingEdges']:
          self.assertIn(edge['sourceNodeId'], nodes)
    for figure in ('weight', 'activation', 'shadow'):
      data = json.loads(self.read(f'a/b/{figure}_sqnr_db.json'))
      nodes = {node['id'] for node in graphs[1]['nodes']}
      self.assertLessEqual(set(data['quantized']['results']), nodes)
      self.assertTrue(data['quantized']['results'])
    self.compare(f'--json={self.path("r.json")}', '--quiet')
    self.fail_with(3, *export, names=('r.json', '--graph'))
    self.fail_with(2, 'export', '--format=dot', *export[2:],
                   names=('--format=dot', 'model-explorer'))

  def test_an_export_over_its_input_is_wrong_usage(self):
    path = self.path('graphs.json')
    self.compare(f'--json={path}', '--graph', '--quiet')
    before = self.read('graphs.json')
    self.fail_with(2, 'export', '--format=model-explorer', f'--json={path}',
                   f'--out={self.folder}', names=('--out', '--json'))
    self.assertEqual(self.read('graphs.json'), before)
    self.assertEqual(os.listdir(self.folder), ['graphs.json'])

  def test_flags(self):
    self.fail_with(2, 'report', names='--json')
    self.fail_with(2, 'report', '--json=a.json', names='--html')
    self.fail_with(2, 'report', '--json=a.json', '--html=a.json',
                   names=('--html', '--json'))
    self.fail_with(2, *cli.COMPARE, '--html=net_float.pt', names='--html')
    self.fail_with(2, *cli.COMPARE, '--html=', names='--html')
    self.fail_with(2, *cli.COMPARE, '--html=-', '--json=-',
                   names=('--html', '--json'))
    self.fail_with(3, *cli.COMPARE, '--html=/nowhere/r.html',
                   names='/nowhere')


if __name__ == '__main__':
  unittest.main()
