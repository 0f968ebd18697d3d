"""Holds `ns` to what transformers need, on the networks of transformers/.

  transformers_test.py NS [NETWORK...]

A network against itself is exact; its quantized model keeps its masks and comes
close to one whose attention stays in float; and each figure of `ns compare`
follows from the values that it compared.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import torch

import transformers

torch.set_num_threads(1)
torch.backends.quantized.engine = 'onednn'

# Of attention, what is kept in float to compare with; products of matrices and
# what is between them are, too.
ATTENTION = ('softmax', 'aten::masked_fill', 'aten::where', 'aten::div')
# What int8 attention may cost: 1 dB, and what processors differ by.
COST_DB = 1.5


def tensors(value):
  if isinstance(value, torch.Tensor):
    return [value]
  values = value.values() if isinstance(value, dict) else value
  return [tensor for part in values for tensor in tensors(part)]


def run(model, batches):
  """The first output, batch by batch."""
  with torch.no_grad():
    return [tensors(model(*b) if isinstance(b, tuple) else model(b))[0]
            for b in batches]


def score_layers(report):
  """Names of the quantized products of matrices of attention, and of sums and
  products among their scores, from a report of `ns quantize`. A product at the
  root, of embeddings, is not of attention."""
  names = []
  inside = False
  for layer in report['layers']:
    op = layer['op'].removeprefix('aten::').rstrip('_')
    if op in ('matmul', 'bmm'):
      inside = '.' in layer['name']
      names += [layer['name']] if inside else []
    elif op in ('linear', 'layer_norm', 'conv1d', 'conv2d'):
      inside = False
    elif inside and op in ('add', 'mul', 'sub'):
      names.append(layer['name'])
  return names


def sqnr(xs, ys):
  signal = sum(x.double().square().sum().item() for x in xs)
  noise = sum((x.double() - y.double()).square().sum().item()
              for x, y in zip(xs, ys))
  return 10 * math.log10(signal / noise) if noise else math.inf


def hidden_changes(name):
  """Pairs of batches that differ only in what a mask hides, with what of the
  first output must not differ; none where there is no such pair."""
  torch.manual_seed(5)
  words = transformers.WORDS
  if name in ('bert', 'gpt_padded', 'sentence_encoder'):
    ids, mask = transformers.NETWORKS[name]()[1]()
    other = torch.where(mask == 1, ids, (ids + 7) % words)
    if name == 'sentence_encoder':
      return (ids, mask), (other, mask), lambda y: y
    return (ids, mask), (other, mask), lambda y: y[mask == 1]
  if name in ('gpt', 'llama'):
    ids = transformers.NETWORKS[name]()[1]()
    other = ids.clone()
    other[:, -3:] = (other[:, -3:] + 7) % words
    return ids, other, lambda y: y[:, :-3]
  if name == 'whisper':
    mel, ids = transformers.NETWORKS['whisper']()[1]()
    other = ids.clone()
    other[:, -3:] = (other[:, -3:] + 7) % words
    return (mel, ids), (mel, other), lambda y: y[:, :-3]
  if name == 't5':
    ids, mask, first = transformers.NETWORKS['t5']()[1]()
    other = first.clone()
    other[:, -2:] = (other[:, -2:] + 7) % words
    return (ids, mask, first), (ids, mask, other), lambda y: y[:, :-2]
  return None


class TransformerTest(unittest.TestCase):
  maxDiff = None

  def setUp(self):
    folder = tempfile.TemporaryDirectory(dir=os.environ.get('TEST_TMPDIR'))
    self.addCleanup(folder.cleanup)
    self.folder = folder.name

  def ns(self, *arguments):
    """What a run wrote into r.json, and what it printed on standard error."""
    command = [NS, *arguments, '--threads=1', '--json=r.json', '--quiet']
    process = subprocess.run(command, cwd=self.folder, capture_output=True,
                             text=True, timeout=240, check=False)
    self.assertEqual(process.returncode, 0, process.stderr)
    with open(os.path.join(self.folder, 'r.json'), encoding='utf-8') as file:
      return json.load(file), process.stderr

  def quantize(self, out, *flags):
    return self.ns('quantize', '--float=f.pt', '--inputs=i.pt', f'--out={out}',
                   *flags)[0]

  def compare(self, quantized, *flags):
    return self.ns('compare', '--float=f.pt', f'--quantized={quantized}',
                   '--inputs=i.pt', *flags)

  def load(self, name):
    return torch.jit.load(os.path.join(self.folder, name))

  def check_itself(self, name):
    """The model against itself: exact, whole, and without a warning."""
    result, error = self.compare('f.pt')
    self.assertEqual(error,
                     'ns: warning: the quantized model has no quantized op\n')
    self.assertEqual(result['unmatched'], [])
    for layer in result['layers']:
      for kind in ('activation', 'shadow'):
        figure = layer.get(kind, {})
        if figure.get('elements'):
          self.assertEqual(figure['sqnr_db'], 'inf', (name, layer['name']))

  def check_masks(self, name, model):
    pair = hidden_changes(name)
    if pair is None:
      return
    first, second, visible = pair
    a, b = run(model, [first, second])
    self.assertTrue(torch.equal(visible(a), visible(b)),
                    f'{name}: what the mask hides changes the output')

  def check_figures(self, name):
    """Figures follow from saved values, in float64."""
    saved = os.path.join(self.folder, 'saved')
    result, _ = self.compare('q.pt', f'--save-activations={saved}', '--exact')
    checked = 0
    for layer in result['layers']:
      for kind, key in (('activation', 'float'), ('shadow', 'shadow')):
        figure = layer.get(kind, {})
        files = os.path.join(saved, layer['name'])
        if not figure.get('elements') or not os.path.isdir(files):
          continue
        pairs = [torch.load(os.path.join(files, file))
                 for file in sorted(os.listdir(files))]
        if any(key not in pair for pair in pairs):
          continue
        xs = [pair[key] for pair in pairs]
        ys = [pair['quantized'] for pair in pairs]
        ys = [y.dequantize() if y.is_quantized else y for y in ys]
        if not all(torch.isfinite(x).all() for x in xs + ys):
          continue
        expected = sqnr(xs, ys)
        actual = float(figure['sqnr_db'])
        if math.isinf(expected) or math.isinf(actual):
          self.assertEqual(actual, expected, (name, layer['name'], kind))
        else:
          self.assertAlmostEqual(actual, expected, places=3,
                                 msg=f"{name}: {layer['name']} {kind}")
        checked += 1
    self.assertGreater(checked, 10)

  def check(self, name):
    model, batches = transformers.make(name)
    held = [transformers.NETWORKS[name]()[1]() for _ in range(4)]
    model.save(os.path.join(self.folder, 'f.pt'))
    torch.save(batches, os.path.join(self.folder, 'i.pt'))
    with self.subTest('against itself'):
      self.check_itself(name)
    # Without it, other layers may be in float in one of the two alone.
    report = self.quantize('q.pt', '--allow-dead')
    self.quantize('k.pt', '--allow-dead',
                  '--keep=' + ','.join((*ATTENTION, *score_layers(report))))
    outputs = run(model, held)
    whole = sqnr(outputs, run(self.load('q.pt'), held))
    kept = sqnr(outputs, run(self.load('k.pt'), held))
    print(f'{name}: {whole:.1f} dB, {kept:.1f} with attention in float; '
          f"{len(report['layers'])} layers quantized", flush=True)
    with self.subTest('masks'):
      self.check_masks(name, self.load('q.pt'))
    with self.subTest('figures'):
      self.check_figures(name)
    self.assertGreater(whole, kept - COST_DB, name)


for network in transformers.NETWORKS:
  setattr(TransformerTest, f'test_{network}',
          lambda self, network=network: self.check(network))

if __name__ == '__main__':
  NS = os.path.abspath(sys.argv.pop(1))
  unittest.main()
