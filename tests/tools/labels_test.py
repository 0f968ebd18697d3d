"""`ns compare --labels=PATH`: top-1 of both models beside the errors."""

import os
import unittest

import torch
import torch.ao.quantization as tq

import cli

RUN = (*cli.COMPARE, '--inputs=images.pt')


class LabelsTest(cli.CliTest):

  def flag(self, labels):
    torch.save(labels, self.path('labels.pt'))
    return f'--labels={self.path("labels.pt")}'

  def test_counts_what_the_models_themselves_classify(self):
    torch.backends.quantized.engine = 'onednn'
    batches = torch.load(os.path.join(cli.CASES, 'images.pt'))
    scores = []
    for name in ('net_float', 'net_quantized'):
      model = torch.jit.load(os.path.join(cli.CASES, name + '.pt')).eval()
      with torch.no_grad():
        scores.append([model(x) for x in batches])
    of_float, of_quantized = ([s.argmax(1) for s in side] for side in scores)
    # The float model has the first sample of each batch right, and where the
    # models differ the quantized one the others.
    labels = [torch.cat([a[:1], b[1:]])
              for a, b in zip(of_float, of_quantized)]
    accuracy = self.json(*RUN, '--engine=onednn', self.flag(labels))['accuracy']
    right = [sum(int((a == b).sum()) for a, b in zip(side, labels))
             for side in (of_float, of_quantized)]
    flips = [(batch, sample) for batch, (a, b) in
             enumerate(zip(of_float, of_quantized))
             for sample in (a != b).nonzero()[:, 0].tolist()]
    self.assertEqual(accuracy['samples'], 6)
    self.assertAlmostEqual(accuracy['float_top1'], right[0] / 6)
    self.assertAlmostEqual(accuracy['quantized_top1'], right[1] / 6)
    self.assertAlmostEqual(accuracy['agreement'], 1 - len(flips) / 6)
    self.assertAlmostEqual(accuracy['difference'], (right[1] - right[0]) / 6)
    lowest, highest = accuracy['interval']
    self.assertTrue(lowest <= accuracy['difference'] <= highest)
    self.assertEqual([(flip['batch'], flip['sample'])
                      for flip in accuracy['flips']], flips)

  def test_samples_that_flip_are_listed(self):
    labels = [torch.zeros(2, dtype=torch.int32)] * 3
    perturbed = ('compare', '--float=net_float.pt',
                 '--quantized=net_perturbed.pt', '--inputs=images.pt')
    table, _ = self.succeed(*perturbed, self.flag(labels))
    self.assertRegex(table, r'\ntop-1 of 6 samples: float \d+\.\d\d %, ')
    self.assertRegex(table, r'same class for \d+\.\d\d %; (\d flips?:|no flips)')

  def test_labels_that_do_not_fit_are_bad_input(self):
    fits = torch.zeros(2, dtype=torch.int64)
    for labels, said in (
        ([fits] * 2, 'has labels of 2 batches, and there are 3'),
        ([fits, fits, fits + 10], 'batch 2: has labels that are not from 0'),
        ([fits, fits[:1], fits], 'batch 1: has 1 labels for 2 samples'),
        ([fits, fits.float(), fits], 'batch 1 is no tensor of integers')):
      self.fail_with(3, *RUN, self.flag(labels), names=('labels.pt', said))

  def test_an_engine_that_cannot_load_the_model_hides_no_wrong_labels(self):
    # oneDNN, which is tried first, takes no affine weight, whose zero point is
    # another than 0: that of positive values is -128.
    torch.backends.quantized.engine = 'qnnpack'
    model = torch.nn.Sequential(tq.QuantStub(), torch.nn.Linear(4, 3),
                                tq.DeQuantStub()).eval()
    torch.nn.init.uniform_(model[1].weight, 0.5, 1)
    model.qconfig = tq.QConfig(
        activation=tq.default_observer,
        weight=tq.MinMaxObserver.with_args(dtype=torch.qint8,
                                           qscheme=torch.per_tensor_affine))
    batch = torch.arange(8.).reshape(2, 4)
    prepared = tq.prepare(model)
    prepared(batch)
    for name, module in (('float', model), ('quantized', tq.convert(prepared))):
      torch.jit.script(module).save(self.path(name + '.pt'))
    torch.save([batch], self.path('inputs.pt'))
    run = ('compare', *(f'--{name}={self.path(name)}.pt'
                        for name in ('float', 'quantized', 'inputs')))
    self.fail_with(3, *run, '--engine=onednn', names='zero point must be 0')
    labels = self.flag([torch.zeros(1, dtype=torch.int64)])
    self.fail_with(3, *run, labels,
                   names=('labels.pt', 'batch 0: has 1 labels for 2 samples'))

  def test_labels_need_both_models_to_run(self):
    self.fail_with(2, *RUN, '--what=shadows', '--labels=labels.pt',
                   names=('--labels', '--what=activations'))


if __name__ == '__main__':
  unittest.main()
