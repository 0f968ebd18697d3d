"""`ns compare --score=NAME=PATH`: figures of the task, of both models."""

import json
import os
import unittest
from xml.etree import ElementTree

import torch

import cli
import score_modules as modules

RUN = (*cli.COMPARE, '--inputs=images.pt')
# Both models return the same, whatever it is.
ROWS = 4


class ScoreTest(cli.CliTest):

  def save(self, module, name=None):
    path = self.path((name or type(module).__name__) + '.pt')
    torch.jit.save(torch.jit.script(module), path)
    return path

  def flags(self, **scores):
    return [f'--score={name}={self.save(module, name)}'
            for name, module in scores.items()]

  def labels(self, labels):
    torch.save(labels, self.path('labels.pt'))
    return f'--labels={self.path("labels.pt")}'

  def models(self, *models):
    """The flags of a comparison of two models, or of one with itself."""
    for module in models:
      torch.manual_seed(5)
      module.fc.reset_parameters()
    paths = [self.save(module.eval()) for module in models]
    torch.save([torch.randn(ROWS, 4)] * 2, self.path('rows.pt'))
    return ('compare', f'--float={paths[0]}', f'--quantized={paths[-1]}',
            f'--inputs={self.path("rows.pt")}')


class FigureTest(ScoreTest):

  def test_is_what_python_computes(self):
    torch.backends.quantized.engine = 'onednn'
    batches = torch.load(os.path.join(cli.CASES, 'images.pt'))
    labels = [torch.tensor([i, 9 - i]) for i in range(3)]
    expected = []
    for name in ('net_float', 'net_quantized'):
      model = torch.jit.load(os.path.join(cli.CASES, name + '.pt')).eval()
      with torch.no_grad():
        outputs = torch.cat([model(x) for x in batches])
      expected.append({
          'top1': float((outputs.argmax(1) == torch.cat(labels)).float()
                        .mean()),
          'mean': float(outputs.mean())})
    result = self.json(*RUN, '--engine=onednn', '--exact', self.labels(labels),
                       *self.flags(top1=modules.Top1(),
                                    mean=modules.MeanOutput()))
    self.assertEqual([score['name'] for score in result['scores']],
                     ['top1', 'mean'])
    for score in result['scores']:
      self.assertEqual(list(score), ['name', 'float', 'quantized',
                                     'difference'])
      for side, values in zip(('float', 'quantized'), expected):
        self.assertAlmostEqual(score[side], values[score['name']], places=5)
      self.assertAlmostEqual(score['difference'],
                             score['quantized'] - score['float'])
    self.assertNotEqual(result['scores'][1]['difference'], 0)
    # Labels of classes are counted as without scores.
    self.assertAlmostEqual(result['accuracy']['float_top1'],
                           result['scores'][0]['float'])

  def test_each_model_has_a_state_of_its_own(self):
    (score,) = self.json(*RUN, *self.flags(batches=modules.Batches()))['scores']
    self.assertEqual((score['float'], score['quantized']), (3, 3))

  def test_scores_without_labels_run_beside_those_with(self):
    labels = self.labels([torch.zeros(2, dtype=torch.int64)] * 3)
    scores = self.json(*RUN, labels, *self.flags(
        batches=modules.Batches(), mean=modules.MeanOutput()))['scores']
    self.assertEqual(scores[0]['float'], 300)
    self.assertEqual(len(scores), 2)

  def test_labels_may_be_of_any_type(self):
    texts = self.labels([['one two', 'three']] * 3)
    result = self.json(*RUN, texts, *self.flags(words=modules.Words()))
    self.assertEqual(result['scores'][0]['quantized'], 9)
    self.assertNotIn('accuracy', result)
    boxes = self.labels([[{'boxes': torch.ones(2, 4)}] * 2] * 3)
    result = self.json(*RUN, boxes, *self.flags(boxes=modules.Boxes()))
    self.assertEqual(result['scores'][0]['float'], 48)

  def test_a_score_may_overwrite_what_it_is_given(self):
    labels = self.labels([torch.tensor([1, 2])] * 3)
    plain = self.json(*RUN, labels, *self.flags(top1=modules.Top1()))
    result = self.json(*RUN, labels, *self.flags(destroys=modules.Destroys(),
                                                 top1=modules.Top1()))
    self.assertEqual(result['scores'][1], plain['scores'][0])
    self.assertEqual(result['layers'], plain['layers'])

  def test_outputs_are_what_the_models_return(self):
    for model, score, expected in (
        (modules.Pair(), modules.ScoresPair(), 2),
        (modules.Nested(), modules.ScoresNested(), 2 * ROWS),
        (modules.Two(), modules.ScoresList(), 4)):
      (figures,) = self.json(*self.models(model),
                             *self.flags(s=score))['scores']
      self.assertAlmostEqual(figures['float'], expected, places=5)
      self.assertAlmostEqual(figures['quantized'], expected, places=5)

  def test_lists_of_other_lengths_are_scored_each(self):
    (score,) = self.json(*self.models(modules.Two(), modules.Three()),
                         *self.flags(s=modules.ScoresList()))['scores']
    self.assertEqual((score['float'], score['quantized']), (4, 6))

  def test_texts_are_scored(self):
    (score,) = self.json(*self.models(modules.Caption()),
                         *self.flags(s=modules.ScoresText()))['scores']
    self.assertIn(score['float'], (4, 6, 8))


class ReportTest(ScoreTest):

  def test_table_page_and_test_cases_have_the_scores(self):
    page = self.path('page.html')
    junit = self.path('junit.xml')
    output, _ = self.succeed(
        *RUN, *self.flags(batches=modules.Batches(), fixed=modules.Fixed(0.25)),
        '--max-score-drop=0', f'--html={page}', f'--junit={junit}')
    self.assertIn('\n\nscore batches  float 3     quantized 3     +0\n'
                  'score fixed    float 0.25  quantized 0.25  +0\n', output)
    with open(page, encoding='utf-8') as file:
      self.assertIn('<dt>Score fixed</dt><dd>float 0.25, quantized 0.25, +0'
                    '</dd>', file.read())
    suite = ElementTree.parse(junit).getroot()
    properties = {p.get('name'): p.get('value') for p in
                  suite.iter('property')}
    self.assertEqual(properties['score fixed'],
                     'float 0.25, quantized 0.25, +0')
    self.assertIn('fixed', [case.get('name') for case in
                            suite.iter('testcase')])

  def test_json_can_be_read_again(self):
    path = self.path('a.json')
    self.succeed(*RUN, *self.flags(fixed=modules.Fixed(0.25)), f'--json={path}',
                 '--graph')
    page, _ = self.succeed('report', f'--json={path}', '--html=-')
    self.assertIn('<dt>Score fixed</dt>', page)
    self.succeed('diff', path, path)

  def test_nan_gets_a_warning(self):
    output, error = self.succeed(
        *RUN, *self.flags(s=modules.Fixed(float('nan'))), '--json=-')
    self.assertIn("score 's' is nan for both models", error)
    self.assertEqual(json.loads(output)['scores'][0]['difference'], 'nan')


class LimitTest(ScoreTest):

  def limited(self, limit, **scores):
    return cli.run(*RUN, *self.flags(**scores), f'--max-score-drop={limit}',
                   '--json=-')

  def drop_of_mean(self):
    (score,) = self.json(*RUN, *self.flags(mean=modules.MeanOutput()))['scores']
    return score['float'] - score['quantized']

  def test_a_drop_ends_with_1_and_is_named(self):
    drop = self.drop_of_mean()
    self.assertNotEqual(drop, 0)

    class Negated(modules.MeanOutput):

      @torch.jit.export
      def compute(self) -> torch.Tensor:
        return -torch.cat(self.outputs).mean()

    falling = modules.MeanOutput() if drop > 0 else Negated()
    process = self.limited(abs(drop) / 2, m=falling)
    self.assertEqual(process.returncode, 1)
    self.assertRegex(process.stderr.decode(),
                     r"^ns: 1 limit crossed: m: the quantized model's score is "
                     r'\S+ lower, more than --max-score-drop=')
    (check,) = json.loads(process.stdout)['limits']
    self.assertEqual((check['limit'], check['layer'], check['passed']),
                     ('max-score-drop', 'm', False))
    self.assertAlmostEqual(check['value'], abs(drop))
    # A higher score is no drop, and one that is large enough is allowed.
    self.assertEqual(self.limited(abs(drop) * 2, m=falling).returncode, 0)
    rising = Negated() if drop > 0 else modules.MeanOutput()
    self.assertEqual(self.limited(0, m=rising).returncode, 0)

  def test_nan_crosses(self):
    process = self.limited('a:9,b:9', a=modules.Fixed(float('nan')),
                           b=modules.Fixed(1.0))
    self.assertEqual(process.returncode, 1)
    self.assertIn('a: a score is nan', process.stderr.decode())

  def test_wrong_usage(self):
    fixed = self.flags(fixed=modules.Fixed(1.0))
    self.fail_with(2, *RUN, '--max-score-drop=0.1',
                   names=('--max-score-drop', '--score=NAME=PATH'))
    self.fail_with(2, *RUN, *fixed, '--max-score-drop=fixd:0.1',
                   names=('--max-score-drop=fixd:0.1', "'fixed'"))
    for value in ('-1', '1%', 'x', 'nan'):
      self.fail_with(2, *RUN, *fixed, f'--max-score-drop={value}',
                     names=('--max-score-drop', f"'{value}'", '0.01'))


class BadInputTest(ScoreTest):

  def test_what_is_no_score_is_named(self):
    for module, said in ((modules.NoUpdate(), "no method 'update'"),
                         (modules.NoCompute(), "no method 'compute'"),
                         (modules.Text(), 'compute('),
                         (modules.Top1(), '--labels=PATH')):
      self.fail_with(3, *RUN, *self.flags(bad=module),
                     names=("score 'bad'", 'bad.pt', said))
    self.fail_with(3, *RUN, '--score=bad=images.pt',
                   names=("score 'bad'", 'images.pt'))
    self.fail_with(3, *RUN, '--score=bad=none.pt', names='none.pt')

  def test_what_fails_is_named_with_its_model(self):
    for module, said in (
        (modules.RaisesInUpdate(), 'no boxes here'),
        (modules.RaisesInCompute(), 'nothing to compute'),
        (modules.AnyText(), 'it returned a value of type str'),
        (modules.Elements(), 'it returned a tensor of 3 elements'),
        (modules.DividesByZero(), 'division by 0')):
      self.fail_with(3, *RUN, *self.flags(bad=module),
                     names=("score 'bad' of the float model", 'bad.pt', said))
    self.fail_with(3, *RUN, *self.flags(bad=modules.RaisesInUpdate()),
                   names='batch 0')

  def test_outputs_of_another_type_are_named(self):
    self.fail_with(
        3, *RUN, *self.flags(bad=modules.ScoresNested()),
        names=("score 'bad' of the float model", 'what the model returns',
               'outputs is a tensor where Dict[str, Dict[str, Tensor]]'))
    for model, score, said in (
        (modules.Pair(), modules.MeanOutput(), 'a tuple of 2 where Tensor'),
        (modules.Nested(), modules.ScoresList(),
         'a dict of 1 where List[Tensor]'),
        (modules.Two(), modules.ScoresPair(),
         'a list of 2 where Tuple[Tensor'),
        (modules.Caption(), modules.MeanOutput(), 'a str where Tensor'),
        (modules.Labels(), modules.ScoresText(), 'a tensor where str')):
      self.fail_with(3, *self.models(model), *self.flags(bad=score),
                     names=("score 'bad'", f'outputs is {said}'))

  def test_scores_that_need_floats_fail_on_integers(self):
    self.fail_with(3, *self.models(modules.Labels()),
                   *self.flags(bad=modules.MeanOutput()),
                   names=("score 'bad'", 'compute fails'))

  def test_labels_that_do_not_fit_are_named(self):
    classes = [torch.zeros(2, dtype=torch.int64)] * 3
    top1 = self.flags(top1=modules.Top1())
    self.fail_with(3, *RUN, *top1, self.labels(classes[:2]),
                   names=('labels.pt', 'labels of 2 batches', 'there are 3'))
    self.fail_with(3, *RUN, *top1, self.labels((1, 2, 3)),
                   names=('labels.pt', 'save a list'))
    self.fail_with(3, *RUN, *top1, self.labels(['a', 'b', 'c']),
                   names=("score 'top1'", 'labels is a str where Tensor'))
    self.fail_with(3, *RUN, *self.flags(words=modules.Words()),
                   self.labels(classes),
                   names=("score 'words'",
                          'labels is a tensor where List[str]'))
    self.fail_with(3, *RUN, *top1, '--labels=none.pt', names='none.pt')

  def test_wrong_usage(self):
    fixed = self.save(modules.Fixed(1.0), 'fixed')
    self.fail_with(2, *RUN, '--score=map', names=('--score=map', 'NAME=PATH'))
    self.fail_with(2, *RUN, f'--score=a b={fixed}', names=('--score', "'a b'"))
    self.fail_with(2, *RUN, f'--score=a={fixed}', f'--score=a={fixed}',
                   names=('--score', "two scores 'a'"))
    for arguments in (cli.COMPARE, (*RUN, '--what=shadows')):
      self.fail_with(2, *arguments, f'--score=a={fixed}',
                     names=('--score', '--what=activations'))
    self.fail_with(2, *RUN, f'--reference={self.folder}',
                   f'--score=a={fixed}', names=('--score', '--reference'))
    self.fail_with(2, *RUN, f'--score=a={fixed}', f'--json={fixed}',
                   names=('--json', '--score'))


if __name__ == '__main__':
  unittest.main()
