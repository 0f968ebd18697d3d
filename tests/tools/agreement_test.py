"""Terminal, JSON, HTML page and JUnit give one answer."""

import html
import json
import re
import unittest
from xml.etree import ElementTree

import torch

import cli
import planted_models as planted

# Pairs of files, with their inputs.
CASES = [('net', 'images'), ('mlp', 'rows'), ('two', 'pairs'), ('log', 'rows'),
         ('loop', 'rows'), ('lstm', 'sequences')]
PLANTS = [
    (planted.Mlp, 'fc2', planted.scale_channel),
    (planted.Mlp, 'head', planted.scale_channel),
    (planted.Mlp, 'fc1', planted.drop_bias),
    (planted.Mlp, 'quant', planted.widen),
    (planted.Residual, 'quant', planted.widen),
    (planted.Residual, 'layer1.add', planted.widen),
    (planted.Residual, 'layer2.conv1', planted.scale_channel),
    (planted.Residual, 'layer1.conv2', planted.drop_bias),
    (planted.Transformer, 'attention.quant_out', planted.widen),
    (planted.Transformer, 'quant_up', planted.widen),
    (planted.Transformer, 'attention.v', planted.scale_channel),
    (planted.Transformer, 'up', planted.drop_bias),
    (planted.Mlp, None, None),
    (planted.Residual, None, None),
    (planted.Transformer, None, None),
]


class AgreementTest(cli.CliTest):

  def answers(self, *arguments, **options):
    """(culprit, cause, first sentence) of JSON; checks that all agree."""
    paths = {name: self.path('out.' + name) for name in ('json', 'html', 'xml')}
    table = self.succeed(
        *arguments, f'--json={paths["json"]}', f'--html={paths["html"]}',
        f'--junit={paths["xml"]}', '--max-unmatched=1000', '--threads=1',
        **options)[0]
    with open(paths['json'], encoding='utf-8') as file:
      verdict = json.load(file)['verdict']
    with open(paths['html'], encoding='utf-8') as file:
      page = file.read()
    suite = ElementTree.parse(paths['xml']).getroot()[0]
    properties = {entry.get('name'): entry.get('value')
                  for entry in suite.iter('property')}
    culprit, sentence = verdict.get('layer', ''), verdict['sentences'][0]
    self.assertEqual(properties, {'culprit': culprit, 'cause': verdict['kind'],
                                  'verdict': sentence})
    shown = re.search(r'<p class="verdict">(.*?)</p>', page).group(1)
    self.assertEqual(html.unescape(re.sub('<[^>]*>', '', shown)), sentence)
    named = re.search(r'(?m)^verdict +(.*)$', table)
    if named:
      self.assertEqual(named.group(1), sentence)
      self.assertIn('\nns explain ' + verdict['kind'],
                    re.sub(' +', '', table).replace('nsexplain', 'ns explain '))
    worst = re.search(r'(?m)^worst offender +(\S+)', table)
    if worst and culprit:
      self.assertEqual(worst.group(1), culprit)
    if 'cure' in verdict and named:
      self.assertIn(verdict['cure']['sentence'], table)
      self.assertIn(html.escape(verdict['cure']['sentence'], quote=False),
                    page.replace('&#39;', "'").replace('&quot;', '"'))
    return culprit, verdict['kind'], sentence

  def test_models_of_the_tests(self):
    for name, inputs in CASES:
      with self.subTest(name=name):
        self.answers('compare', f'--float={name}_float.pt',
                     f'--quantized={name}_quantized.pt',
                     f'--inputs={inputs}.pt')

  def test_planted_mistakes_and_healthy_models(self):
    culprits = []
    for model_class, layer, plant in PLANTS:
      with self.subTest(model=model_class.__name__, layer=layer):
        model, quantized, batches = planted.make(model_class)
        if layer:
          plant(quantized.get_submodule(layer))
        torch.jit.script(model).save(self.path('float.pt'))
        torch.jit.script(quantized).save(self.path('quantized.pt'))
        torch.save(batches, self.path('inputs.pt'))
        culprit, _, _ = self.answers(
            'compare', '--float=float.pt', '--quantized=quantized.pt',
            '--inputs=inputs.pt', '--engine=qnnpack', cwd=self.folder)
        self.assertIn(culprit, (layer, ) if layer else ('', culprit))
        culprits.append(culprit)
    self.assertGreaterEqual(len(culprits), 15)


if __name__ == '__main__':
  unittest.main()
