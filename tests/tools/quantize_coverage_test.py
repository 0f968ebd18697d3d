"""`ns quantize`: which layers run in int8, and why the others do not."""

from typing import Dict, List
import unittest

import torch
from torch import nn

from quantizing import QuantizeTest
from quantizing import run
from quantizing import sqnr


class FilledDict(nn.Module):

  def __init__(self):
    super().__init__()
    self.c = nn.Conv2d(3, 4, 1)
    self.d = nn.Conv2d(4, 3, 1)

  def forward(self, x):
    r: Dict[str, torch.Tensor] = {}
    r['features'] = torch.relu(self.c(x))
    r['out'] = self.d(r['features'])
    for key, value in r.items():
      if key == 'out':
        x = value + x
    return x


class FilledLists(nn.Module):

  def __init__(self):
    super().__init__()
    self.c = nn.Conv2d(3, 4, 1)
    self.d = nn.Conv2d(4, 3, 1)

  def forward(self, x):
    kept: List[torch.Tensor] = []
    y = torch.relu(self.c(x))
    kept.append(y)
    y = torch.relu_(self.d(kept[-1]))
    kept.append(y)
    return kept


class Counter(nn.Module):

  def __init__(self):
    super().__init__()
    self.c = nn.Conv2d(3, 4, 1)
    self.d = nn.Conv2d(4, 3, 1)
    self.register_buffer('calls', torch.zeros(1))
    self.register_buffer('mean', torch.zeros(3))

  def forward(self, x):
    self.calls.add_(1.0)
    self.mean.mul_(0.9).add_(x.mean([0, 2, 3]) * 0.1)
    return self.d(torch.relu(self.c(x)))


class Cache(nn.Module):
  """Writes to an argument of its own."""

  def __init__(self):
    super().__init__()
    self.c = nn.Conv2d(3, 4, 1)

  def forward(self, x, cache):
    y = self.c(x)
    cache[:1] = y[:1] * 0.5
    return y.relu() + 1.0


class Written(nn.Module):
  """What an op in place does write to."""

  def __init__(self):
    super().__init__()
    self.c = nn.Conv2d(3, 4, 1)
    self.d = nn.Conv2d(4, 3, 1)

  def forward(self, x):
    kept: Dict[str, torch.Tensor] = {}
    y = self.c(x)
    kept['y'] = y
    kept['y'][:, :2] *= 2.0
    return self.d(y)


class ReturnedInput(nn.Module):
  """Writes to what an op in between may have returned as it came."""

  def __init__(self, operation: str):
    super().__init__()
    self.c = nn.Conv2d(3, 4, 1)
    self.d = nn.Conv2d(4, 3, 1)
    self.operation = operation

  def forward(self, x):
    y = self.c(x)
    if self.operation == 'atleast_3d':
      z = torch.atleast_3d(y)
      z.mul_(2.0)
    elif self.operation == 'type_as, written before':
      z = y.type_as(x)
      y.mul_(2.0)
    else:
      z = y.type_as(x)
      z[0].mul_(2.0)
    return self.d(y + z)


class Averaged(nn.Module):

  def __init__(self, dimensions):
    super().__init__()
    conv = {2: nn.Conv2d, 3: nn.Conv3d}[dimensions]
    self.c = conv(3, 8, 3, stride=2)
    self.d = nn.Linear(8, 4)
    self.averaged = tuple(range(2, 2 + dimensions))

  def forward(self, x):
    return self.d(torch.relu(self.c(x)).mean(self.averaged))


class Up(nn.Module):

  def __init__(self, dimensions):
    super().__init__()
    conv, up = {1: (nn.Conv1d, nn.ConvTranspose1d),
                2: (nn.Conv2d, nn.ConvTranspose2d),
                3: (nn.Conv3d, nn.ConvTranspose3d)}[dimensions]
    self.down = conv(3, 4, 3, stride=2, padding=1)
    self.up = up(4, 3, 3, stride=2, padding=1)

  def forward(self, x):
    return self.up(torch.relu(self.down(x)), output_size=x.size())


def image(*shape):
  return torch.rand(2, 3, *shape) * 2 - 1


class CoverageTest(QuantizeTest):

  def save(self, model, inputs, trace=False):
    self.model = model.eval()
    saved = (torch.jit.trace(self.model, inputs[0]) if trace
             else torch.jit.script(self.model))
    saved.save(self.path('f.pt'))
    torch.save(inputs, self.path('i.pt'))
    return inputs

  def coverage(self, *flags):
    """Names of layers in int8, and reasons of those in float."""
    report = self.report(*flags, command=(
        'quantize', f'--float={self.path("f.pt")}',
        f'--inputs={self.path("i.pt")}', '--threads=1'))
    return ([layer['name'] for layer in report['layers']],
            {layer['name']: layer['reason']
             for layer in report['stayed_float']})

  def assert_int8(self, model, names, inputs=None, **options):
    inputs = self.save(model, inputs or [image(9, 7) for _ in range(3)],
                       **options)
    for flags in (['--compat=torch-1.13'], []):
      layers, reasons = self.coverage(*flags)
      self.assertLessEqual(set(names), set(layers), reasons)
    return inputs

  def assert_kept(self, model, names, inputs=None, **options):
    inputs = self.assert_int8(model, names, inputs, **options)
    self.assertGreater(
        sqnr(self.outputs(inputs), run(self.model, inputs)), 25)
    self.assert_pairs()

  def assert_pairs(self):
    """All layers of the two models correspond, with outputs of one shape."""
    output, error = self.succeed(
        'compare', f'--float={self.path("f.pt")}',
        f'--quantized={self.path("q.pt")}', f'--inputs={self.path("i.pt")}',
        '--threads=1', '--max-unmatched=0')
    self.assertNotIn('shapes', output + error)

  def test_a_dict_that_is_filled_is_not_a_write_to_a_tensor(self):
    self.assert_kept(FilledDict(), ['c', 'd'])

  def test_a_list_that_is_filled_is_not_a_write_to_a_tensor(self):
    self.assert_int8(FilledLists(), ['c', 'd'])

  def test_buffers_that_are_written_are_not_the_input(self):
    self.assert_kept(Counter(), ['c', 'd'])

  def test_an_argument_that_is_written_is_not_another_one(self):
    self.assert_int8(Cache(), ['c'], [
        (image(9, 7), torch.zeros(2, 4, 9, 7)) for _ in range(3)])

  def test_what_is_written_stays_float_for_that_reason(self):
    inputs = self.save(Written(), [image(9, 7) for _ in range(3)])
    _, reasons = self.coverage()
    self.assertIn('in place', reasons['c'])
    self.assertGreater(sqnr(self.outputs(inputs), run(self.model, inputs)), 20)

  def test_writes_seen_through_ops_that_return_their_input(self):
    for operation in ('atleast_3d', 'type_as, written before', 'type_as, part'):
      with self.subTest(operation=operation):
        inputs = self.save(ReturnedInput(operation),
                           [image(9, 7) for _ in range(3)])
        layers, reasons = self.coverage()
        self.assertIn('d', layers)
        self.assertIn('in place', reasons['c'])
        self.assertGreater(
            sqnr(self.outputs(inputs), run(self.model, inputs)), 30)

  def test_means_of_one_pixel(self):
    # LibTorch's int8 mean fails on them.
    for sizes in ((3, 3), (3, 3, 3)):
      with self.subTest(sizes=sizes):
        self.assert_kept(Averaged(len(sizes)), ['c', 'd'],
                         [image(*sizes) for _ in range(3)])
    self.assert_kept(Averaged(2), ['c', 'mean', 'd'],
                     [image(5, 3) for _ in range(3)])

  def test_padding_same_and_valid(self):
    for conv, shape, options in (
        (nn.Conv1d, [12], {'kernel_size': 4, 'padding': 'same'}),
        (nn.Conv2d, [9, 7], {'kernel_size': 3, 'padding': 'same'}),
        (nn.Conv2d, [9, 7], {'kernel_size': (4, 3), 'padding': 'same'}),
        (nn.Conv2d, [9, 7], {'kernel_size': 2, 'padding': 'same',
                             'dilation': 3}),
        (nn.Conv2d, [9, 7], {'kernel_size': 3, 'padding': 'valid',
                             'stride': 2}),
        (nn.Conv3d, [5, 6, 7], {'kernel_size': 2, 'padding': 'same'})):
      with self.subTest(conv=conv.__name__, **options):
        inputs = [image(*shape) for _ in range(3)]
        model = nn.Sequential(conv(3, 8, **options), nn.ReLU())
        self.assert_kept(model, ['0'], inputs)

  def test_padding_same_of_traced_models(self):
    self.assert_kept(
        nn.Sequential(nn.Conv2d(3, 8, (3, 2), padding='same'), nn.ReLU()),
        ['0'], trace=True)

  def test_transposed_convolutions_with_an_output_size(self):
    for dimensions in (1, 2, 3):
      for sizes in ([9, 8, 5], [8, 7, 6])[:dimensions]:
        with self.subTest(sizes=sizes[:dimensions]):
          inputs = [image(*sizes[:dimensions]) for _ in range(3)]
          self.save(Up(dimensions), inputs)
          layers, reasons = self.coverage()
          self.assertLessEqual({'down', 'up'}, set(layers), reasons)
          outputs = self.outputs(inputs)
          expected = run(self.model, inputs)
          self.assertEqual([y.shape for y in outputs],
                           [y.shape for y in expected])
          self.assertGreater(sqnr(outputs, expected), 25)
          self.assert_pairs()

  def test_models_of_other_floats_say_so(self):
    self.save(nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU()).double(),
              [image(9, 7).double() for _ in range(2)])
    for mode in ('static', 'dynamic'):
      layers, reasons = self.coverage(f'--mode={mode}')
      self.assertEqual(layers, [])
    _, reasons = self.coverage()
    self.assertIn('float64', reasons['0'])

  def test_prelu_has_a_kernel_that_is_wrong(self):
    self.save(nn.Sequential(nn.Conv2d(3, 8, 3), nn.PReLU(8)),
              [image(9, 7) for _ in range(2)])
    _, reasons = self.coverage()
    self.assertEqual(reasons['1'], 'LibTorch\'s int8 kernel for it scales '
                     'positive values, too')
    x = torch.quantize_per_tensor(torch.full((1, 8), 2.0), 0.02, 0,
                                  torch.quint8)
    slopes = torch.quantize_per_tensor(torch.full((8,), 0.25), 0.001, 0,
                                       torch.quint8)
    y = torch.ops.quantized.prelu(x, slopes, 0.02, 0).dequantize()
    self.assertLess(float(y.max()), 1.0)  # It should be 2.

  def test_compat_lists_what_computes_in_float(self):
    self.save(nn.Sequential(nn.Conv2d(3, 8, 3), nn.GroupNorm(2, 8)),
              [image(9, 7) for _ in range(2)])
    layers, reasons = self.coverage('--compat=torch-1.13')
    self.assertEqual(layers, ['0'])
    self.assertIn('1', reasons)


class PromiseTest(QuantizeTest):
  """What `ns sensitivity` advises is what `ns quantize` makes of it."""

  def assert_promise_kept(self, model, inputs, budget='20dB'):
    torch.jit.script(model.eval()).save(self.path('f.pt'))
    torch.save(inputs, self.path('i.pt'))
    files = (f'--float={self.path("f.pt")}', f'--inputs={self.path("i.pt")}')
    mapping = self.path('m.json')
    sensitivity = self.json(
        'sensitivity', *files, f'--budget={budget}',
        '--candidates=int8-per-channel,int8-per-tensor,dynamic',
        f'--emit-qconfig={mapping}')
    promised = {layer['name'] for layer in sensitivity['layers']
                if layer['use'] != 'float'}
    report = self.report(f'--qconfig={mapping}', command=('quantize', *files))
    self.assertEqual(promised - {l['name'] for l in report['layers']}, set())
    return promised

  def test_padding_same(self):
    self.assertEqual(self.assert_promise_kept(
        nn.Sequential(nn.Conv2d(3, 8, 4, padding='same'), nn.ReLU()),
        [image(9, 7) for _ in range(3)]), {'0'})

  def test_layers_without_a_right_kernel(self):
    self.assert_promise_kept(
        nn.Sequential(nn.Conv2d(3, 8, 3), nn.PReLU(8), nn.Conv2d(8, 4, 3)),
        [image(9, 7) for _ in range(3)])

  def test_dynamic_convolutions(self):
    self.assert_promise_kept(nn.Sequential(nn.Conv2d(3, 8, 3)),
                             [image(9, 7) for _ in range(3)], budget='0layers')

  def test_pools_behind_layers_in_float(self):
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.MaxPool2d(2), nn.GELU())
    self.assert_promise_kept(model, [image(9, 7) for _ in range(3)],
                             budget='70dB')

  def test_packed_sequences(self):
    class Packed(nn.Module):

      def __init__(self):
        super().__init__()
        self.l = nn.LSTM(4, 8, batch_first=True)

      def forward(self, x, n):
        y, _ = self.l(nn.utils.rnn.pack_padded_sequence(
            x, n, batch_first=True, enforce_sorted=False))
        z, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=True)
        return z

    inputs = [(torch.randn(3, 6, 4), torch.tensor([4, 6, 2]))
              for _ in range(2)]
    self.assert_promise_kept(Packed(), inputs)


if __name__ == '__main__':
  unittest.main()
