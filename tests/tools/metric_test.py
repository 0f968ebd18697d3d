"""`ns compare --metric=NAME=PATH`: figures that users compute themselves."""

import csv
import io
import json
import os
import unittest

import torch

import cli

RUN = (*cli.COMPARE, '--inputs=images.pt')


class MeanAbsoluteError(torch.nn.Module):

  def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return (x - y).abs().mean()


class Destroys(torch.nn.Module):
  """Overwrites both of its arguments."""

  def forward(self, x: torch.Tensor, y: torch.Tensor) -> int:
    x.zero_()
    y.fill_(3)
    return 7


class Calls(torch.nn.Module):
  """1, 2, 3, ...: which call this is."""

  def __init__(self):
    super().__init__()
    self.calls = 0

  def forward(self, x: torch.Tensor, y: torch.Tensor) -> float:
    self.calls += 1
    return float(self.calls)


class OfImages(torch.nn.Module):
  """Refuses what has no four dimensions."""

  def forward(self, x: torch.Tensor, y: torch.Tensor) -> float:
    if x.dim() != 4:
      raise RuntimeError('only images have this figure')
    return 1.0


class NanOfRows(torch.nn.Module):

  def forward(self, x: torch.Tensor, y: torch.Tensor) -> float:
    return 1.0 if x.dim() == 4 else float('nan')


class OneArgument(torch.nn.Module):

  def forward(self, x: torch.Tensor) -> float:
    return 1.0


class Text(torch.nn.Module):

  def forward(self, x: torch.Tensor, y: torch.Tensor) -> str:
    return 'good'


class Prints(torch.nn.Module):

  def forward(self, x: torch.Tensor, y: torch.Tensor) -> float:
    print('a line of the metric')
    return 1.0


class DividesByZero(torch.nn.Module):

  def __init__(self):
    super().__init__()
    self.k = 0

  def forward(self, x: torch.Tensor, y: torch.Tensor) -> float:
    return float(7 % self.k)


class DividesTensors(torch.nn.Module):

  def forward(self, x: torch.Tensor, y: torch.Tensor) -> float:
    lowest = torch.full([4], -9223372036854775807) - 1
    return float(torch.remainder(lowest, torch.full([4], -1)).sum())


class Elementwise(torch.nn.Module):

  def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x - y


class NoForward(torch.nn.Module):

  @torch.jit.export
  def measure(self, x: torch.Tensor, y: torch.Tensor) -> float:
    return 1.0


class MetricTest(cli.CliTest):

  def script(self, module):
    path = self.path(type(module).__name__ + '.pt')
    torch.jit.save(torch.jit.script(module), path)
    return path

  def flag(self, **metrics):
    return '--metric=' + ','.join(
        f'{name}={self.script(module)}' for name, module in metrics.items())

  def test_figures_are_means_over_batches_of_the_compared_values(self):
    folder = self.path('saved')
    self.succeed(*RUN, '--exact', '--quiet', f'--save-activations={folder}')
    layers = self.layers(*RUN, '--exact', self.flag(mae=MeanAbsoluteError()))
    for layer in layers.values():
      for kind, name in (('activation', 'float'), ('shadow', 'shadow')):
        by_batch = []
        for batch in range(3):
          saved = torch.load(
              os.path.join(folder, layer['name'], f'batch_{batch:04}.pt'))
          x, y = saved[name], saved['quantized']
          y = y.dequantize() if y.is_quantized else y
          by_batch.append((x - y).abs().mean().item())
        expected = sum(by_batch) / 3
        self.assertAlmostEqual(layer[kind]['mae'], expected,
                               delta=1e-6 * max(expected, 1))
    self.assertGreater(layers['conv']['activation']['mae'], 0)

  def test_kernels_have_them_too(self):
    layers = self.layers(*RUN, '--what=kernel',
                         self.flag(mae=MeanAbsoluteError()))
    for layer in layers.values():
      if 'kernel' in layer:
        self.assertLessEqual(layer['kernel']['mae'],
                             layer['kernel']['max_abs_error'])

  def test_the_models_values_cannot_be_written_to(self):
    plain = self.layers(*RUN)
    destroyed = self.layers(*RUN, self.flag(a=Destroys(),
                                            mae=MeanAbsoluteError()))
    for name, layer in destroyed.items():
      for kind in ('activation', 'shadow'):
        self.assertEqual(layer[kind].pop('a'), 7)
        layer[kind].pop('mae')
      self.assertEqual(layer, plain[name])

  def test_what_a_metric_prints_is_not_in_the_report(self):
    output, error = self.succeed(*RUN, self.flag(a=Prints()), '--json=-')
    self.assertNotIn('a line of the metric', output)
    self.assertIn('a line of the metric\n', error)
    json.loads(output)

  def test_a_division_by_zero_is_an_error_of_one_line(self):
    self.fail_with(3, *RUN, self.flag(a=DividesByZero()),
                   names='ZeroDivisionError')

  def test_a_division_that_stops_the_processor_is_an_error_of_one_line(self):
    self.fail_with(3, *RUN, self.flag(a=DividesTensors()),
                   names='the lowest integer by -1')

  def test_every_pair_is_seen_once(self):
    # The mean of the numbers of calls, all layers and kinds together.
    layers = self.layers(*RUN, '--what=activations', self.flag(calls=Calls()))
    total = 3 * sum(layer['activation']['calls'] for layer in layers.values())
    calls = 3 * len(layers)
    self.assertEqual(round(total), calls * (calls + 1) // 2)

  def test_calls_of_a_loop_are_averaged_within_their_batch(self):
    layers = self.layers(
        'compare', '--float=loop_float.pt', '--quantized=loop_quantized.pt',
        '--inputs=rows.pt', '--what=activations',
        self.flag(mae=MeanAbsoluteError()))
    looped = [layer for layer in layers.values()
              if 'trips' in layer['activation']]
    self.assertTrue(looped)
    for layer in looped:
      self.assertLessEqual(layer['activation']['mae'],
                           layer['activation']['max_abs_error'])

  def test_csv_and_table_have_a_column_for_each(self):
    flag = self.flag(mae=MeanAbsoluteError(), seven=Destroys())
    csv_text, _ = self.succeed(*RUN, flag, '--csv=-')
    rows = list(csv.DictReader(io.StringIO(csv_text)))
    for row in rows:
      has_metrics = row['kind'] in ('activation', 'shadow')
      self.assertEqual(row['seven'] != '', has_metrics, row)
      if has_metrics:
        self.assertEqual(float(row['seven']), 7)
        self.assertGreaterEqual(float(row['mae']), 0)
    table, error = self.succeed(*RUN, flag)
    self.assertEqual(error, '')
    heading = table.splitlines()[0]
    self.assertIn('mae', heading)
    self.assertIn('seven', heading)

  def test_metrics_are_in_eval_mode(self):

    class InTraining(torch.nn.Module):

      def forward(self, x: torch.Tensor, y: torch.Tensor) -> bool:
        return self.training

    layers = self.layers(*RUN, self.flag(training=InTraining()))
    self.assertEqual(layers['conv']['activation']['training'], 0)

  def test_a_metric_that_fails_is_named_with_its_place(self):
    line = self.fail_with(
        3, *RUN, self.flag(images=OfImages()),
        names=("metric 'images'", 'OfImages.pt',
               'only images have this figure'))
    self.assertRegex(line, r'batch 0.* at the (activation|shadow) of ')
    self.fail_with(3, *RUN, self.flag(diff=Elementwise()),
                   names=("metric 'diff'", 'Elementwise.pt', 'elements'))

  def test_nan_gets_one_warning(self):
    output, error = self.succeed(*RUN, self.flag(rows=NanOfRows()), '--json=-')
    self.assertEqual(len(error.splitlines()), 1, error)
    self.assertIn("metric 'rows' is nan", error)
    self.assertIn('"nan"', output)

  def test_what_is_no_metric_is_refused(self):
    for module, said in ((OneArgument(), 'forward(float: Tensor'),
                         (Text(), 'str'),
                         (NoForward(), "no method 'forward'")):
      self.fail_with(3, *RUN, self.flag(bad=module),
                     names=(type(module).__name__ + '.pt', said))
    self.fail_with(3, *RUN, '--metric=bad=images.pt', names=('images.pt',))
    self.fail_with(3, *RUN, '--metric=bad=none.pt', names=('none.pt',))

  def test_wrong_usage(self):
    mae = self.script(MeanAbsoluteError())
    self.fail_with(2, *RUN, '--metric=mae', names=('--metric=mae', 'NAME=PATH'))
    self.fail_with(2, *RUN, f'--metric={mae}', names=('--metric', 'NAME=PATH'))
    self.fail_with(2, *RUN, f'--metric=a b={mae}', names=('--metric', "'a b'"))
    self.fail_with(2, *RUN, f'--metric=sqnr_db={mae}',
                   names=('--metric', "'sqnr_db'", 'another name'))
    self.fail_with(2, *RUN, f'--metric=m={mae},m={mae}',
                   names=('--metric', "'m'"))
    self.fail_with(2, *cli.COMPARE, f'--metric=m={mae}',
                   names=('--metric', '--what'))
    self.fail_with(2, *RUN, '--what=weights', f'--metric=m={mae}',
                   names=('--metric', '--what'))


if __name__ == '__main__':
  unittest.main()
