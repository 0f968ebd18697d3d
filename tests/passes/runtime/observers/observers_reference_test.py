"""Holds observers in compat mode against PyTorch's, to the bit.

  observers_reference_test.py LIBNS_OPS

Buffers, scales and zero points, their shapes and dtypes are equal after every
batch of a sequence; what PyTorch refuses to construct is refused; and where PyTorch fails
as it runs, so does the observer, or has parameters. The kind mse loses no more
than PyTorch's observers.
"""

import io
import itertools
import os
import random
import sys
import unittest
import warnings

import torch
from torch.ao.quantization import fake_quantize as fq
from torch.ao.quantization import observer as ob

warnings.filterwarnings('ignore')

KINDS = {
    'minmax': ob.MinMaxObserver,
    'moving-average': ob.MovingAverageMinMaxObserver,
    'minmax-per-channel': ob.PerChannelMinMaxObserver,
    'moving-average-per-channel': ob.MovingAveragePerChannelMinMaxObserver,
    'histogram': ob.HistogramObserver,
}
PER_TENSOR = [torch.per_tensor_affine, torch.per_tensor_symmetric]
PER_CHANNEL = [torch.per_channel_affine, torch.per_channel_symmetric,
               torch.per_channel_affine_float_qparams]
SCHEMES = PER_TENSOR + PER_CHANNEL
DTYPES = [torch.quint8, torch.qint8, torch.quint4x2, torch.qint32]
RANGES = [None, (0, 255), (-128, 127), (-127, 127), (0, 127), (-8, 7), (0, 15),
          (-1000, 1000), (3, 5), (0, 1)]
SEQUENCES = int(os.environ.get('NS_FUZZ_SEQUENCES', '1000'))


def text(value):
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).replace('torch.', '')


def options(kind, arguments):
    found = {name: text(value) for name, value in arguments.items()}
    return {'kind': kind, 'compat': 'true', **found}


def ours(kind, arguments):
    return torch.classes.ns.Observer(options(kind, arguments))


def error_of(function):
    """The error that `function` raises, or None, and what it returns."""
    try:
        return None, function()
    except Exception as error:  # PyTorch raises whatever happens inside.
        return error, None


def saved_and_loaded(held):
    class Holder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.held = held

        def forward(self, x):
            return self.held.forward(x)

    file = io.BytesIO()
    torch.jit.save(torch.jit.script(Holder()), file)
    file.seek(0)
    return torch.jit.load(file).held


def same_bits(a, b):
    return (a.dtype == b.dtype and a.shape == b.shape and
            (torch.equal(a, b) or
             torch.equal(torch.isnan(a), torch.isnan(b)) and
             torch.equal(torch.nan_to_num(a), torch.nan_to_num(b))))


def random_batch(rng, rank):
    """A tensor of `rank` dimensions, of which the second is always 3 long."""
    shape = [rng.choice([1, 2, 5, 16])] + [rng.choice([1, 4, 33])] * (rank - 1)
    if rank > 1:
        shape[1] = 3
    if rng.random() < 0.05:
        shape[-1 if rank != 2 else 0] = 0
    x = torch.randn(shape)
    form = rng.choice(['normal', 'normal', 'relu', 'negative', 'zeros', 'constant',
                       'tiny', 'huge', 'shifted', 'heavy', 'integers', 'outlier'])
    if form == 'relu':
        x = x.relu()
    elif form == 'negative':
        x = -x.abs()
    elif form == 'zeros':
        x = torch.zeros_like(x)
    elif form == 'constant':
        x = torch.full_like(x, rng.uniform(-5, 5))
    elif form == 'tiny':
        x = x * 1e-30
    elif form == 'huge':
        x = x * 1e18
    elif form == 'shifted':
        x = x + rng.uniform(-50, 50)
    elif form == 'heavy':
        x = x ** 3
    elif form == 'integers':
        x = x.mul(10).round()
    elif form == 'outlier' and x.numel():
        x.view(-1)[0] = 1000
    return x * rng.choice([1, 1, 0.1, 7])


class ReferenceTest(unittest.TestCase):

    def check(self, kind, arguments, batches):
        """Whether both could be constructed; everything else is asserted."""
        theirs_error, theirs = error_of(lambda: KINDS[kind](**arguments))
        our_error, observer = error_of(lambda: ours(kind, arguments))
        label = f'{kind} {arguments}'
        if theirs_error or our_error:
            self.assertTrue(theirs_error and our_error,
                            f'{label}: {theirs_error!r} against {our_error!r}')
            return False
        self.check_qparams(theirs, observer, label)
        for i, batch in enumerate(batches):
            where = f'{label}, batch {i} of shape {list(batch.shape)}'
            failed, _ = error_of(lambda: theirs(batch))
            if failed:
                error_of(lambda: observer.forward(batch))
                return True
            self.assertIs(observer.forward(batch), batch)
            self.check_state(theirs, observer, where)
            # PyTorch searches the range of a histogram for half a second.
            if kind != 'histogram' or i + 1 == len(batches):
                self.check_qparams(theirs, observer, where)
            if i == 0:
                observer = saved_and_loaded(observer)
        return True

    def check_state(self, theirs, observer, label):
        state = observer.state()
        for name, expected in theirs.named_buffers():
            if name != 'eps':
                self.assertTrue(same_bits(expected, state[name]),
                                f'{label}: {name}')

    def check_qparams(self, theirs, observer, label):
        failed, expected = error_of(theirs.calculate_qparams)
        error, found = error_of(observer.calculate_qparams)
        if failed:
            return
        self.assertIsNone(error, label)
        for name, a, b in zip(['scale', 'zero point'], expected, found):
            self.assertTrue(same_bits(a, b), f'{label}: {name} {a} and {b}')

    def test_every_config(self):
        torch.manual_seed(1)
        batches = [torch.randn(4, 3, 5), torch.randn(2, 3, 5) * 3,
                   torch.rand(4, 3, 5) - 2]
        constructed = 0
        for kind, dtype, scheme, bounds, reduce_range in itertools.product(
                KINDS, DTYPES, SCHEMES, RANGES, [False, True]):
            if bounds == (0, 1) and reduce_range:
                continue  # Empty: PyTorch divides by zero.
            if kind == 'histogram' and dtype == torch.qint32:
                count = 2  # PyTorch takes seconds for many integers.
            else:
                count = 3
            arguments = dict(dtype=dtype, qscheme=scheme,
                             reduce_range=reduce_range)
            if bounds:
                arguments.update(quant_min=bounds[0], quant_max=bounds[1])
            if 'channel' in kind:
                arguments['ch_axis'] = 1
            constructed += self.check(kind, arguments, batches[:count])
        self.assertGreater(constructed, 500)

    def test_random_sequences(self):
        for seed in range(SEQUENCES):
            rng = random.Random(seed)
            torch.manual_seed(seed)
            kind = rng.choice(list(KINDS))
            arguments = dict(
                dtype=rng.choice(DTYPES[:3] if kind == 'histogram' else DTYPES),
                qscheme=rng.choice(PER_CHANNEL if 'channel' in kind
                                   else PER_TENSOR),
                reduce_range=rng.random() < 0.3,
                eps=rng.choice([2**-23, 2**-12, 1e-3]))
            if rng.random() < 0.3:
                low, high = rng.choice(RANGES[1:8])
                arguments.update(quant_min=low, quant_max=high)
            if 'moving' in kind:
                arguments['averaging_constant'] = rng.choice([0.01, 0.3, 1.0])
            if kind == 'histogram':
                arguments['bins'] = rng.choice([2048, 128, 100])
                arguments['upsample_rate'] = rng.choice([128, 16])
            rank = rng.choice([1, 2, 3, 4])
            if 'channel' in kind:
                rank = max(rank, 2)
                arguments['ch_axis'] = rng.choice([1, 1 - rank])
            batches = [random_batch(rng, rank) for _ in range(rng.randint(1, 6))]
            with self.subTest(seed=seed):
                self.check(kind, arguments, batches)

    def test_non_finite_values(self):
        for kind, arguments, value in itertools.product(
                KINDS, [dict(), dict(reduce_range=True)],
                [float('inf'), -float('inf'), float('nan')]):
            x = torch.randn(4, 3)
            x[1, 1] = value
            self.check(kind, arguments, [torch.randn(4, 3), x, torch.randn(4, 3)])

    def test_layouts_and_dtypes(self):
        x = torch.randn(2, 3, 4, 5)
        for y in [x.to(memory_format=torch.channels_last), x.transpose(0, 2),
                  x[:, ::2], x.expand(4, 2, 3, 4, 5)[0], x.double(), x.half(),
                  x.mul(9).long()]:
            for kind in KINDS:
                self.check(kind, dict(), [y])

    def test_fixed(self):
        for dtype, scale, zero_point in [(torch.quint8, 1 / 256, 0),
                                         (torch.quint8, 2 / 256, 128),
                                         (torch.qint8, 0.1, -3)]:
            theirs = ob.FixedQParamsObserver(scale, zero_point, dtype=dtype)
            observer = ours('fixed', dict(scale=scale, zero_point=zero_point,
                                          dtype=dtype))
            self.check_qparams(theirs, saved_and_loaded(observer), 'fixed')

    def test_without_qparams(self):
        for kind, theirs in [('placeholder', ob.PlaceholderObserver()),
                             ('noop', ob.NoopObserver()),
                             ('recording', ob.RecordingObserver()),
                             ('reuse-input', ob.ReuseInputObserver())]:
            observer = torch.classes.ns.Observer({'kind': kind})
            x = torch.randn(3)
            self.assertIs(observer.forward(x), x)
            self.assertEqual(observer.options()['dtype'], text(theirs.dtype))
            with self.assertRaisesRegex(RuntimeError, 'has no scale'):
                observer.calculate_qparams()

    def test_recording(self):
        observer = ours('recording', {})
        batches = [torch.randn(3), torch.randn(2, 2)]
        for batch in batches:
            observer.forward(batch)
        kept = saved_and_loaded(observer).get_tensor_value()
        for batch, value in zip(batches, kept, strict=True):
            self.assertTrue(torch.equal(batch, value))


class BestRangeTest(unittest.TestCase):

    def sqnr_db(self, x, observer, quant_max):
        for batch in x.chunk(4):
            observer.forward(batch)
        scale, zero_point = observer.calculate_qparams()
        y = torch.fake_quantize_per_tensor_affine(
            x, scale.item(), zero_point.item(), 0, quant_max)
        return 20 * torch.log10(torch.norm(x) / torch.norm(x - y)).item()

    def test_mse_loses_least(self):
        torch.manual_seed(3)
        normal = torch.randn(100000)
        for name, x in {
                'normal': normal,
                'relu': normal.relu(),
                'relu6': (normal * 4).clamp(0, 6),
                'gelu': torch.nn.functional.gelu(normal * 2),
                'uniform': torch.rand(100000) * 3.8 - 1.9,
                'shifted': normal * 0.2 + 5,
                'heavy tails': torch.distributions.StudentT(3.).sample((100000,)),
                'outlier': torch.cat([normal, torch.tensor([60.])]),
        }.items():
            for quant_max in [255, 127, 15]:
                bounds = dict(quant_min=0, quant_max=quant_max)
                mse = torch.classes.ns.Observer(
                    {'kind': 'mse', 'clipping_weight': '1',
                     'quant_min': '0', 'quant_max': text(quant_max)})
                ours_db = self.sqnr_db(x, mse, quant_max)
                for other in [ob.HistogramObserver(**bounds),
                              ob.MinMaxObserver(**bounds)]:
                    theirs_db = self.sqnr_db(x, other, quant_max)
                    self.assertGreater(ours_db, theirs_db - 0.02,
                                       f'{name}, 0..{quant_max}, {other}')


class FakeQuantizeTest(unittest.TestCase):

    def check(self, theirs, mine, batches, label):
        for i, batch in enumerate(batches):
            xs = [batch.clone().requires_grad_() for _ in range(2)]
            ys = [theirs(xs[0]), mine.forward(xs[1])]
            weights = torch.randn_like(batch)
            for y in ys:
                (y * weights).sum().backward()
            where = f'{label}, batch {i}'
            self.assertTrue(same_bits(*ys), where)
            self.assertTrue(same_bits(xs[0].grad, xs[1].grad), where)
            self.assertTrue(same_bits(theirs.scale, mine.scale()), where)
            self.assertTrue(same_bits(theirs.zero_point, mine.zero_point()), where)
            if i == 0:
                mine = saved_and_loaded(mine)
            if i == 2:
                theirs.disable_observer(), mine.disable_observer()
            if i == 4:
                theirs.enable_observer(), mine.enable_observer()
                theirs.disable_fake_quant(), mine.disable_fake_quant()
            if i == 5:
                theirs.enable_fake_quant(), mine.enable_fake_quant()

    def fake_quantize(self, kind, arguments, fused):
        return torch.classes.ns.FakeQuantize(ours(kind, arguments), fused)

    def cases(self):
        for kind, dtype, scheme, reduce_range in itertools.product(
                KINDS, [torch.quint8, torch.qint8], SCHEMES, [False, True]):
            arguments = dict(dtype=dtype, qscheme=scheme,
                             reduce_range=reduce_range)
            if 'channel' in kind:
                arguments['ch_axis'] = 1
            if not error_of(lambda: KINDS[kind](**arguments))[0]:
                yield kind, arguments

    def batches(self):
        torch.manual_seed(2)
        return [torch.randn(4, 3, 5) * scale
                for scale in [1, 3, 0.5, 9, 9, 2, 4, 1]]

    def test_unfused(self):
        for kind, arguments in self.cases():
            self.check(fq.FakeQuantize(KINDS[kind], **arguments),
                       self.fake_quantize(kind, arguments, False),
                       self.batches(), f'{kind} {arguments}')

    def test_fused(self):
        for kind, arguments in self.cases():
            if 'moving' not in kind or 'float' in str(arguments['qscheme']):
                continue
            bounds = (-128, 127) if arguments['dtype'] == torch.qint8 else (0, 255)
            arguments.update(quant_min=bounds[0], quant_max=bounds[1])
            if 'channel' in kind:
                arguments['ch_axis'] = 0  # PyTorch takes no other.
            self.check(
                fq.FusedMovingAvgObsFakeQuantize(KINDS[kind], **arguments),
                self.fake_quantize(kind, arguments, True),
                self.batches(), f'fused {kind} {arguments}')

    def test_fixed(self):
        for arguments in [dict(scale=1 / 256, zero_point=0),
                          dict(scale=2 / 256, zero_point=128)]:
            self.check(
                fq.FixedQParamsFakeQuantize(
                    ob.FixedQParamsObserver.with_args(**arguments)),
                self.fake_quantize('fixed', arguments, False),
                self.batches(), f'fixed {arguments}')


if __name__ == '__main__':
    torch.classes.load_library(sys.argv.pop(1))
    torch.set_num_threads(1)
    unittest.main()
