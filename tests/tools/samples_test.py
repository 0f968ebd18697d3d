"""`ns compare --samples=LIST`, and the agreement of classes without labels."""

import os
import unittest

import torch
from torch import nn

import cli

RUN = (*cli.COMPARE, '--inputs=images.pt', '--engine=onednn', '--exact')
PERTURBED = ('compare', '--float=net_float.pt', '--quantized=net_perturbed.pt',
             '--inputs=images.pt', '--exact')
SAMPLES = 6


def outputs_of(name):
  """What a model returns for all images, a row for each sample."""
  torch.backends.quantized.engine = 'onednn'
  model = torch.jit.load(os.path.join(cli.CASES, name + '.pt')).eval()
  with torch.no_grad():
    return torch.cat([model(x) for x in
                      torch.load(os.path.join(cli.CASES, 'images.pt'))])


def sqnr_db(x, y):
  return 20 * torch.log10(x.norm(dim=1) / (x - y).norm(dim=1))


class Adds(nn.Module):
  """Scores of three classes are the inputs, with something added."""

  def __init__(self, offset):
    super().__init__()
    self.fc = nn.Linear(3, 3, bias=False)
    nn.init.eye_(self.fc.weight)
    self.register_buffer('offset', torch.tensor(offset))

  def forward(self, x):
    return self.fc(x) + self.offset


class Counts(nn.Module):
  """Counts labels."""

  def __init__(self):
    super().__init__()
    self.total = 0

  @torch.jit.export
  def update(self, outputs: torch.Tensor, labels: torch.Tensor) -> None:
    assert labels.numel() == outputs.size(0)
    self.total += int(labels.sum())

  @torch.jit.export
  def compute(self) -> int:
    return self.total


class SamplesCase(cli.CliTest):

  def save(self, name, module):
    torch.jit.script(module.eval()).save(self.path(name + '.pt'))
    return self.path(name + '.pt')

  def adding(self, offset, batches):
    """A comparison of a model with one that adds `offset` to its scores."""
    torch.save(batches, self.path('inputs.pt'))
    return ('compare', f'--float={self.save("float", Adds([0., 0., 0.]))}',
            f'--quantized={self.save("other", Adds(offset))}',
            f'--inputs={self.path("inputs.pt")}', '--exact')

  def margins(self):
    """Samples 1, 2 and 4 of these flip where 1 is added to class 2."""
    return self.adding([0., 0., 1.], [
        torch.tensor([[9., 0., 0.], [1., 0., .5], [0., 2., 1.5]]),
        torch.tensor([[0., 0., 3.], [0., 3., 2.5]])])


class AgreementTest(SamplesCase):

  def test_is_what_python_computes(self):
    x, y = outputs_of('net_float'), outputs_of('net_quantized')
    agreement = self.json(*RUN)['agreement']
    self.assertEqual((agreement['samples'], agreement['classes']),
                     (SAMPLES, 10))
    same = x.argmax(1) == y.argmax(1)
    self.assertAlmostEqual(agreement['top1'], float(same.float().mean()))
    self.assertEqual(agreement['flipped'], int((~same).sum()))
    in_top5 = (y.topk(5, 1).indices == x.argmax(1, keepdim=True)).any(1)
    self.assertAlmostEqual(agreement['top5'], float(in_top5.float().mean()))
    confidences = [float(side.double().softmax(1).amax(1).mean())
                   for side in (x, y)]
    self.assertAlmostEqual(agreement['float_confidence'], confidences[0],
                           places=5)
    self.assertAlmostEqual(agreement['quantized_confidence'], confidences[1],
                           places=5)
    self.assertAlmostEqual(agreement['confidence_drift'],
                           confidences[1] - confidences[0], places=5)
    self.assertNotEqual(agreement['confidence_drift'], 0)

  def test_flips_count(self):
    result = self.json(*self.margins())
    self.assertEqual(result['agreement']['flipped'], 3)
    self.assertAlmostEqual(result['agreement']['top1'], 2 / 5)
    self.assertNotIn('top5', result['agreement'])
    table, _ = self.succeed(*self.margins())
    self.assertRegex(
        table, r'\nagreement of classes    top-1 40\.00 %, confidence [+-]0\.')

  def test_outputs_that_are_no_scores_have_none(self):
    for case, inputs in (('lstm', 'sequences'), ('dict', 'rows')):
      result = self.json('compare', f'--float={case}_float.pt',
                         f'--quantized={case}_quantized.pt',
                         f'--inputs={inputs}.pt')
      # The mlp of the dict returns scores, the LSTM a number.
      self.assertEqual('agreement' in result, case == 'dict')
    result = self.json(*RUN, '--what=shadows')
    self.assertNotIn('agreement', result)


class ChosenTest(SamplesCase):

  def test_listed_samples_alone_are_compared(self):
    x, y = outputs_of('net_float'), outputs_of('net_quantized')
    result = self.json(*RUN, '--samples=5,0,3')
    self.assertEqual(result['samples'], {
        'chosen': 'listed', 'samples': [0, 3, 5], 'total': SAMPLES})
    self.assertEqual(result['agreement']['samples'], 3)
    chosen = [0, 3, 5]
    expected = 20 * torch.log10(x[chosen].norm() / (x - y)[chosen].norm())
    self.assertAlmostEqual(result['outputs_of_model'][0]['sqnr_db'],
                           float(expected), places=2)

  def test_all_samples_are_as_good_as_none(self):
    everything = self.json(*RUN)
    listed = self.json(*RUN, '--samples=0,1,2,3,4,5')
    del listed['samples']
    self.assertEqual(listed, everything)

  def test_worst_samples_have_the_lowest_sqnr(self):
    order = sqnr_db(outputs_of('net_float'),
                    outputs_of('net_quantized')).argsort().tolist()
    for count in (1, 2, 4):
      samples = self.json(*RUN, f'--samples=worst:{count}')['samples']
      self.assertEqual(samples, {'chosen': f'worst:{count}',
                                 'samples': sorted(order[:count]),
                                 'total': SAMPLES})
    samples = self.json(*RUN, '--samples=worst:99')['samples']
    self.assertEqual(samples['samples'], list(range(SAMPLES)))

  def test_flipped_samples_are_those_of_another_class(self):
    result = self.json(*self.margins(), '--samples=flipped')
    self.assertEqual(result['samples'], {'chosen': 'flipped',
                                         'samples': [1, 2, 4], 'total': 5})
    self.assertEqual(result['agreement']['flipped'], 3)
    self.assertEqual(result['agreement']['samples'], 3)
    self.assertEqual(result['batches'], 2)

  def test_labels_and_scores_are_of_the_chosen_samples(self):
    labels = [torch.tensor([0, 1, 2]), torch.tensor([0, 1])]
    torch.save(labels, self.path('labels.pt'))
    score = self.save('counts', Counts())
    run = (*self.margins(), f'--labels={self.path("labels.pt")}',
           f'--score=sum={score}')
    result = self.json(*run, '--samples=flipped')
    self.assertEqual(result['scores'][0]['float'], 1 + 2 + 1)
    self.assertEqual(result['accuracy']['samples'], 3)
    self.assertEqual([(flip['batch'], flip['sample'])
                      for flip in result['accuracy']['flips']],
                     [(0, 1), (0, 2), (1, 1)])

  def test_summary_and_page_name_the_samples(self):
    page = self.path('page.html')
    table, _ = self.succeed(*self.margins(), '--samples=flipped',
                            f'--html={page}')
    self.assertIn('\nsamples compared        1, 2, 4 of 5 (flipped)\n', table)
    with open(page, encoding='utf-8') as file:
      self.assertIn('<dt>Samples</dt><dd>1, 2, 4 of 5 (flipped)</dd>',
                    file.read())

  def test_modules_and_shadows_are_of_the_samples(self):
    result = self.json(*RUN, '--what=outputs', '--samples=4')
    self.assertEqual(result['outputs'][-1]['shape'][0], 1)
    result = self.json(*RUN, '--what=shadows', '--samples=4')
    self.assertEqual(result['layers'][-1]['shadow']['shape'][0], 1)

  def test_emulation_finds_samples_of_its_own(self):
    run = ('compare', '--float=saturating_float.pt',
           '--quantized=saturating_quantized.pt', '--inputs=all_codes.pt',
           '--emulate=fbgemm-avx2')
    samples = self.json(*run, '--samples=worst:3')['samples']['samples']
    self.assertEqual(len(samples), 3)
    plain = self.json(*run[:-1], '--samples=worst:3')['samples']['samples']
    self.assertNotEqual(samples, plain)


class BadInputTest(SamplesCase):

  def test_samples_out_of_range(self):
    self.fail_with(3, *RUN, '--samples=0,6',
                   names=('--samples', 'no sample 6', 'the inputs have 6'))
    self.fail_with(3, *RUN, '--max-batches=1', '--samples=2',
                   names=('no sample 2', 'the inputs have 2'))

  def test_inputs_without_samples(self):
    run = (*cli.COMPARE, '--inputs=no_rows.pt')
    for choice in ('flipped', 'worst:3'):
      self.fail_with(3, *run, f'--samples={choice}',
                     names=('--samples', 'the inputs contain no samples'))
    self.fail_with(3, *run, '--samples=0', names='no sample 0')

  def test_no_sample_flips(self):
    self.fail_with(3, 'compare', '--float=net_float.pt',
                   '--quantized=net_float.pt', '--inputs=images.pt',
                   '--samples=flipped',
                   names=('--samples=flipped', 'no sample flips',
                          'all 6 samples'))

  def test_outputs_without_classes_or_samples(self):
    lstm = ('compare', '--float=lstm_float.pt',
            '--quantized=lstm_quantized.pt', '--inputs=sequences.pt')
    for choice in ('flipped', 'worst:2'):
      self.fail_with(3, *lstm, f'--samples={choice}',
                     names=('batch 0', 'the float model returns []',
                            'give their numbers instead'))

  def test_wrong_usage(self):
    for value, said in (('flip', "'flip' is not flipped, worst:N"),
                        ('worst:0', 'at least 1'), ('-1', "'-1'"),
                        ('1,,2', "''"), ('1.5', "'1.5'")):
      self.fail_with(2, *RUN, f'--samples={value}', names=('--samples', said))
    self.fail_with(2, *RUN, '--what=shadows', '--samples=flipped',
                   names=('--samples=flipped', '--what=activations'))
    self.fail_with(2, *cli.COMPARE, '--samples=3',
                   names=('--samples', '--inputs=PATH'))
    self.fail_with(2, *RUN[:4], f'--reference={self.folder}', '--samples=3',
                   names=('--samples', '--reference'))


if __name__ == '__main__':
  unittest.main()
