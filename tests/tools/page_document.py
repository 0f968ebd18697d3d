"""Makes documents of the report's page for its tests: reports of any size and
with any names, and the graph's layout, put together as the tool does it."""

import base64
import functools
import hashlib
import html
import json
import math
import os

SIZES = {'node_width': 176, 'node_height': 40, 'row_gap': 28, 'column_gap': 16,
         'module_header': 24, 'module_padding': 12, 'lane_gap': 64}


def figures(db):
  share = 10 ** (-db / 20) if isinstance(db, (int, float)) else 0.0
  return {'sqnr_db': db, 'normalized_l2': share, 'cosine': 1 - share ** 2 / 2,
          'max_abs_error': 4 * share, 'mean_error': share / 50,
          'bias_share': 0.001}


def histogram(lowest, highest, middle, spread, bins=100):
  width = (highest - lowest) / bins
  return {'lowest': lowest, 'width': width, 'counts': [
      int(9000 * math.exp(-((lowest + (i + 0.5) * width - middle) / spread)
                          ** 2)) for i in range(bins)]}


@functools.lru_cache(maxsize=None)
def histograms(error):
  return {
      'float': histogram(-3.0, 3.0, 0.2, 1.0),
      'quantized': histogram(-2.5, 2.5, 0.2, 1.0),
      'error': histogram(-error, error, 0.0, error / 3),
      'error_by_value': {
          'value': {'lowest': -3.0, 'width': 0.2},
          'error': {'lowest': -error, 'width': error / 10},
          'counts': [[int(900 * math.exp(-((x - 15) / 6) ** 2 -
                                         ((y - 10) / 4) ** 2))
                      for y in range(20)] for x in range(30)],
      },
  }


def activation(db, channels=0):
  result = {'shape': [2, 64, 56, 56], **figures(db),
            'batch_sqnr_db': [db, db], 'elements': 401408,
            'range': {'float': [-2.0, 6.5], 'quantized': [-2.0, 6.0]},
            'codes': {'lowest': 10, 'highest': 900, 'unused': 12}}
  if channels:
    worst = [db - 5 + i for i in range(channels)]
    result['worst_channels'] = [{'channel': i, 'sqnr_db': value}
                                for i, value in enumerate(worst[:5])]
    result['channel_sqnr_db'] = worst
    result['channel_strip_db'] = worst
  return result


def layer(name, number):
  """A layer whose figures follow from its number."""
  module = name.rsplit('.', 1)[0]
  db = 40 - 30 * number / (number + 40) + 3 * math.sin(number)
  exact = number % 7 == 3
  result = {
      'name': name,
      'float': {'fqn': module, 'op': 'aten::conv2d',
                'subgraph': ['aten::conv2d', 'aten::relu']},
      'quantized': {'fqn': module, 'op': 'quantized::conv2d_relu',
                    'subgraph': ['quantized::conv2d_relu']},
      'source': {'float': {'file': 'net.py', 'line': 12 + number}},
      'activation': activation(db, channels=8),
      'shadow': activation('inf' if exact else db + 6),
      'inherited': figures(db + 2),
      'error': {'accumulated_db': db, 'local_db': db + 6,
                'inherited_db': db + 2,
                'dominated_by': ('local', 'inherited', 'both')[number % 3]},
  }
  if number % 2 == 0:
    result['weight'] = [{'name': 'weight', 'shape': [64, 64, 3, 3],
                         **figures(db + 12), 'histograms': histograms(0.01)}]
  result['activation']['histograms'] = {**histograms(0.2), 'samples': 100000}
  return result


def report(names, extra=False):
  """A report of layers with these names, and unmatched ops on both sides.

  With `extra`, all lists that a report may have."""
  layers = [layer(name, i) for i, name in enumerate(names)]
  if len(layers) > 4:
    layers[4]['activation']['sqnr_db'] = 'nan'
  lanes = {}
  for lane in ('float', 'quantized'):
    nodes = [{'id': i, 'fqn': entry[lane]['fqn'], 'name': entry['name'],
              'op': entry[lane]['op'], 'layer': entry['name']}
             for i, entry in enumerate(layers)]
    lanes[lane] = {'nodes': nodes,
                   'edges': [[i, i + 1] for i in range(len(nodes) - 1)]}
    if len(nodes) > 4:
      lanes[lane]['edges'].append([0, 4])
  lanes['float']['nodes'].append({
      'id': len(layers), 'fqn': 'dropout', 'name': 'dropout',
      'op': 'aten::dropout', 'reason': 'the quantized model has no dropout'})
  result = {
      'schema': 'ns.compare/1', 'float': 'float.pt',
      'quantized': 'quantized.pt', 'matching': 'aligned', 'batches': 2,
      'layers': layers,
      'unmatched': [{'model': 'float', 'fqn': 'dropout', 'op': 'aten::dropout',
                     'reason': 'the quantized model has no dropout'}],
      'not_shadowed': [{'name': names[0], 'reason': 'it has no float twin'}],
      'graph': lanes,
      'verdict': {'layer': names[-1], 'kind': 'clipping', 'sentences': [
          f'{names[-1]} loses the most: 0.4 % of its values are clipped.',
          'Nothing else falls without a cause.']},
  }
  if extra:
    layers[1]['has_weight_of'] = names[-1]
    layers[2].update(
        output='output', kernel=activation(52.5), weight_only=figures(33.25),
        activation_only=figures(32.25), unpaired_input='behind dropout',
        tried_changes=[
            {'change': 'range', 'scale': 0.024, 'zero_point': 12,
             'sqnr_db': 32.5, 'gain_db': 2.1,
             'text': 'scale 0.031 -> 0.024: 30.4 -> 32.5 dB (+2.1)'}],
        qparams={'scale': 0.0625, 'zero_point': 12},
        outputs=[{'index': 1, 'name': 'h_n', 'activation': activation(21.25),
                  'shadow': activation('-inf')}],
        saturation={'numerics': 'fbgemm-avx2', 'possible': True, 'channels': 64,
                    'saturating_channels': 3, 'worst_pair_sum': 40000,
                    'outputs': 5000, 'saturated': 50, 'share': 0.01,
                    'cost_db': 1.5})
    layers[2]['activation'].update(
        trips=[30.5, 20.5], my_metric=0.5,
        non_finite={'float': {'nan': 0, 'inf': 0},
                    'quantized': {'nan': 7, 'inf': 1}})
    module = {'name': 'block', 'float_type': 'Block',
              'quantized_type': 'QuantizedBlock', **activation(28.75)}
    result['stubs'] = [module]
    result['outputs'] = [{'name': 'output', **activation(27.75)}]
    layers[1]['bias'] = {'mean_squared_error': 0.25, 'missing': True}
    result['limits'] = [
        {'limit': 'fail-below', 'layer': entry['name'],
         'value': entry['activation']['sqnr_db'], 'bound': 25,
         'passed': entry['activation']['sqnr_db'] != 'nan' and
                   entry['activation']['sqnr_db'] >= 25}
        for entry in layers[:40]]
    result['accuracy'] = {
        'samples': 1000, 'float_top1': 0.91, 'quantized_top1': 0.9,
        'agreement': 0.97, 'difference': -0.01, 'interval': [-0.02, 0.0],
        'flips': [{'batch': 0, 'sample': 3, 'label': 7, 'float': 7,
                   'quantized': 9, 'float_margin': 0.2,
                   'quantized_margin': 0.1}]}
    result['scores'] = [{'name': 'map', 'float': 0.912, 'quantized': 0.874,
                         'difference': -0.038}]
    layers[0]['second_data'] = {
        **activation(12.5), 'range': {'float': [-9.0, 6.5],
                                      'quantized': [-2.0, 6.0]}}
    result['second_data'] = {'inputs': ['real.pt'], 'batches': 3,
                             'outputs_of_model': []}
    result['data_shift'] = {
        'sentence': 'The lowest output SQNR is 12.0 dB.',
        'layers': [{'name': names[0], 'beyond': 0.8, 'width': 1.8,
                    'clipped_on_first': 0.002, 'clipped_on_second': 0.125}],
        'cure': {'sentence': 'calibrate on both data sets',
                 'command': 'ns quantize --float=float.pt'}}
    for number, entry in enumerate(layers):
      entry['time_us'] = {'float': 100.0, 'quantized': 50.0 * (number + 1),
                          'share': 0.01 * (number + 1)}
    result['times'] = {
        'samples': 32, 'threads': 1, 'runs': 20, 'float_us': 8000.0,
        'quantized_us': 4000.0, 'between_layers': [
            {'model': 'quantized', 'op': 'aten::dequantize', 'nodes': 12,
             'us': 300.0}]}
    result['slower_than_float'] = [
        {'name': names[3], 'extra_us': 100.0, 'reason': 'it packs its weight'}]
    result['coverage'] = {
        'float_layers': 1, 'int8_layers': len(layers), 'int8_macs_share': 0.97,
        'stayed_float': [{'name': names[0], 'op': 'aten::conv2d',
                          'reason': 'no qconfig'}],
        'cancelling_pairs': [{'quantize': 'a', 'dequantize': 'b'}],
        'packs_at_run_time': [names[0]]}
  return result


def layout(graph):
  """Modules below one another, each cell in a row of its own; see
  ns/report/graph/graph_layout.h for what the tool does."""
  modules = [{'path': '', 'call': 0, 'parent': -1, 'rows': 0, 'row': 0,
              'float': 0, 'quantized': 0}]
  cells = []
  index = {'': 0}

  def module_of(path):
    if path not in index:
      parent = module_of(path.rpartition('.')[0])
      index[path] = len(modules)
      modules.append({'path': path, 'call': 0, 'parent': parent, 'rows': 0,
                      'row': modules[parent]['rows'], 'float': 0,
                      'quantized': 0})
      modules[parent]['rows'] += 1
    return index[path]

  matched = {node['layer']: node['id'] for node in graph['float']['nodes']
             if 'layer' in node}
  entries = [(node, 'quantized') for node in graph['quantized']['nodes']]
  entries += [(node, 'float') for node in graph['float']['nodes']
              if 'layer' not in node]
  for node, lane in entries:
    module = module_of(node['name'].rpartition('.')[0])
    cell = {'module': module, 'row': modules[module]['rows'], lane: node['id']}
    if lane == 'quantized' and node.get('layer') in matched:
      cell['float'] = matched[node['layer']]
    modules[module]['rows'] += 1
    cells.append(cell)
    while module >= 0:
      for side in ('float', 'quantized'):
        modules[module][side] += side in cell
      module = modules[module]['parent']

  depth = 0
  for module in modules[1:]:
    module['depth'] = modules[module['parent']].get('depth', 0) + 1
    depth = max(depth, module['depth'])
  padding = SIZES['module_padding']
  width = SIZES['node_width'] + 2 * padding * (depth + 1)

  items = [[] for _ in modules]
  for i, cell in enumerate(cells):
    items[cell['module']].append((cell['row'], False, i))
  for i, module in enumerate(modules[1:], 1):
    items[module['parent']].append((module['row'], True, i))

  def stack(number, y):
    module = modules[number]
    inset = padding * module.pop('depth', 0)
    module.update(x=inset, y=y, width=width - 2 * inset)
    at = y
    if number:
      at += SIZES['module_header'] + padding
    for row, is_module, item in sorted(items[number]):
      at += SIZES['row_gap'] if row else 0
      if is_module:
        at = stack(item, at)
      else:
        cells[item].update(x=(width - SIZES['node_width']) / 2, y=at)
        at += SIZES['node_height']
    module['height'] = at - y + (padding if number else 0)
    return y + module['height']

  stack(0, 0)
  return {'sizes': SIZES, 'width': width, 'height': modules[0]['height'],
          'modules': modules, 'cells': cells}


def embedded(value):
  text = json.dumps(value, ensure_ascii=False)
  for letter in '<>&\u2028\u2029':
    text = text.replace(letter, f'\\u{ord(letter):04x}')
  return text


def sources(folder):
  """The style and the script of the page, as the tool embeds them."""
  def read(*parts):
    with open(os.path.join(folder, *parts), encoding='utf-8') as file:
      return file.read()

  def names(part, ending):
    return [os.path.join(part, name)
            for name in sorted(os.listdir(os.path.join(folder, part)))
            if name.endswith(ending)]

  style = '\n'.join(read(name) for name in
                    [*names('third_party', '.css'), 'page.css'])
  script = ';\n'.join(read(name) for name in
                      [*names('third_party', '.js'), *names('parts', '.js'),
                       'page.js'])
  return style, script


def document(folder, value, graph_layout=None):
  """The page of the report `value`, with the sources in `folder`."""
  style, script = sources(folder)

  def allow(text):
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"

  def number(entry):
    db = entry.get('activation', {}).get('sqnr_db', '')
    return f'{db:.1f}' if isinstance(db, float) else str(db)

  if graph_layout is None and 'graph' in value:
    graph_layout = layout(value['graph'])
  limits = ''.join(f'<div><dt>Limit</dt><dd>{limit["bound"]}</dd></div>'
                   for limit in value.get('limits', []))
  rows = ''.join(
      f'<tr><th scope="row">{html.escape(entry["name"])}</th>'
      f'<td class="number">{number(entry)}</td></tr>'
      for entry in value['layers'])
  sentences = value.get('verdict', {}).get('sentences', ['No verdict.'])
  paragraphs = ''.join(
      f'<p{"" if i else " class=verdict"}>{html.escape(sentence)}</p>'
      for i, sentence in enumerate(sentences))
  unmatched = ''.join(
      f'<tr><td>{html.escape(node["model"])}</td>'
      f'<td>{html.escape(node["fqn"])}</td><td>{html.escape(node["op"])}</td>'
      f'<td>{html.escape(node["reason"])}</td></tr>'
      for node in value['unmatched'])
  if unmatched:
    unmatched = (
        '<section id="unmatched" aria-label="Unmatched ops">'
        '<h2>Unmatched ops</h2><table><thead><tr><th scope="col">model</th>'
        '<th scope="col">path</th><th scope="col">op</th>'
        '<th scope="col">reason</th></tr></thead>'
        f'<tbody>{unmatched}</tbody></table></section>')
  title = f'{value["float"]} \u2192 {value["quantized"]}'
  return f'''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src {allow(script)}; style-src {allow(style)}; base-uri 'none'; \
form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(value["quantized"])}: numeric suite</title>
<style>{style}</style>
</head>
<body>
<main id="page">
<header id="heading"><h1>{html.escape(title)}</h1><dl id="facts">\
<div><dt>Matching</dt><dd>{html.escape(value["matching"])}</dd></div>\
<div><dt>Batches</dt><dd>{value["batches"]}</dd></div>{limits}</dl></header>
<section id="verdict" aria-label="Verdict"><h2>Verdict</h2>{paragraphs}\
</section>
<section id="layers" aria-label="Layers"><h2>Layers</h2>
<table id="layer-table"><thead><tr><th scope="col">layer</th>\
<th scope="col" class="number">activation SQNR (dB)</th></tr></thead>
<tbody>{rows}</tbody></table></section>
{unmatched}
</main>
<script type="application/json" id="report">{embedded(value)}</script>
<script type="application/json" id="layout">{embedded(graph_layout)}</script>
<script>{script}</script>
</body>
</html>
'''
