"""Holds quantize-dynamic to the bits of PyTorch's quantize_dynamic.

  dynamic_cases_test.py QUANTIZE_DYNAMIC FLOAT...

FLOAT is CASE/float.pt of dynamic_cases.py, beside which are the other files of the
case. What the pass makes of it is loaded in this process, which knows nothing of
our library, and run on each quantized engine.
"""

import os
import subprocess
import sys
import tempfile
import unittest

import torch

# Sums in another order than that of the quantized kernel: see REBUILT in
# dynamic_cases.py.
INEXACT = {
    "bag_mean",
    "bag_mean_last_offset",
    "bag_mean_padding",
    "bag_padding",
}
TOLERANCE = 1e-6

# What the layers of a case have instead of the pass's defaults.
PRESETS = {
    "bag_4bit": "float-qparams-weight-only-4bit",
    "embedding_4bit": "float-qparams-weight-only-4bit",
    "half": "float16-dynamic",
    "int4_weights": "int4-weights",
    "per_channel": "per-channel-dynamic",
}
# Constants of the same size.
LARGE = {"half"}


def flatten(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for element in value for tensor in flatten(element)]


def run(model, batch):
    arguments = batch if isinstance(batch, tuple) else (batch,)
    with torch.no_grad():
        return flatten(model(*arguments))


class DynamicCasesTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.stayed_float = {}
        for path in FLOATS:
            case = cls.case_of(path)
            cls.stayed_float[case] = subprocess.run(
                [QUANTIZE, path, cls.ours(case)]
                + ([PRESETS[case]] if case in PRESETS else []),
                check=True,
                stdout=subprocess.PIPE,
                encoding="utf-8",
            ).stdout

    @staticmethod
    def case_of(path):
        return os.path.basename(os.path.dirname(path))

    @classmethod
    def ours(cls, case):
        return os.path.join(cls.folder.name, case + ".pt")

    def test_no_layer_stays_in_float(self):
        self.assertEqual(
            self.stayed_float, {self.case_of(path): "" for path in FLOATS}
        )

    def test_outputs_are_those_of_pytorch(self):
        # One thread: float sums have one order.
        torch.set_num_threads(1)
        for engine in ("onednn", "qnnpack"):
            torch.backends.quantized.engine = engine
            for path in FLOATS:
                with self.subTest(case=self.case_of(path), engine=engine):
                    self.check(path)

    def check(self, path):
        case = self.case_of(path)
        model = torch.jit.load(path)
        ours = torch.jit.load(self.ours(case))
        theirs = torch.jit.load(path.replace("float.pt", "quantized.pt"))
        for batch in torch.load(path.replace("float.pt", "inputs.pt")):
            expected = run(theirs, batch)
            found = run(ours, batch)
            self.assertEqual(len(found), len(expected))
            for x, y in zip(found, expected):
                if case in INEXACT:
                    torch.testing.assert_close(x, y, rtol=0, atol=TOLERANCE)
                else:
                    self.assertTrue(torch.equal(x, y))
            # The case would say nothing of a model that stays as it is.
            for x, y in zip(found, run(model, batch)):
                self.assertFalse(torch.equal(x, y))

    def test_files_are_smaller(self):
        for path in FLOATS:
            case = self.case_of(path)
            # Tables have 20 rows of 8 numbers.
            if case in LARGE or "bag" in case or "embedding" in case:
                continue
            with self.subTest(case=case):
                self.assertLess(
                    os.path.getsize(self.ours(case)), os.path.getsize(path)
                )


if __name__ == "__main__":
    QUANTIZE, *FLOATS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
