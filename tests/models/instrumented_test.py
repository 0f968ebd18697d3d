"""Runs what `ns instrument` saved in a plain Python process.

  instrumented_test.py NS LIBNS_OPS FLOAT QUANTIZED INPUTS

The instrumented modules must compute bit-identical outputs, and every logger
outside control flow must have seen every batch.
"""

import os
import subprocess
import sys
import tempfile
import unittest

import torch


def tensors(value):
    """All tensors of an output, however it nests them, dequantized."""
    if isinstance(value, torch.Tensor):
        return [value.dequantize() if value.is_quantized else value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for element in value for tensor in tensors(element)]
    return []


def run(module, batch):
    with torch.no_grad():
        if isinstance(batch, dict):
            return tensors(module(**batch))
        return tensors(module(*(batch if isinstance(batch, tuple) else (batch,))))


def loggers(module):
    found = []
    while hasattr(module, f"ns_logger_{len(found)}"):
        found.append(getattr(module, f"ns_logger_{len(found)}"))
    return found


class InstrumentedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ns, library, float_path, quantized_path, inputs = ARGUMENTS
        cls.batches = torch.load(inputs)
        if isinstance(cls.batches, torch.Tensor):
            cls.batches = [cls.batches]
        with tempfile.TemporaryDirectory() as folder:
            logged = [os.path.join(folder, name) for name in ("f.pt", "q.pt")]
            subprocess.run(
                [
                    ns,
                    "instrument",
                    f"--float={float_path}",
                    f"--quantized={quantized_path}",
                    f"--out-float={logged[0]}",
                    f"--out-quantized={logged[1]}",
                    "--log-inputs",
                ],
                check=True,
            )
            torch.ops.load_library(os.path.abspath(library))
            cls.pairs = [
                (torch.jit.load(plain), torch.jit.load(instrumented))
                for plain, instrumented in zip(
                    (float_path, quantized_path), logged
                )
            ]

    def test_outputs_are_bit_identical_and_loggers_filled(self):
        for plain, instrumented in self.pairs:
            for batch in self.batches:
                expected, actual = run(plain, batch), run(instrumented, batch)
                self.assertEqual(len(expected), len(actual))
                for x, y in zip(expected, actual):
                    self.assertTrue(torch.equal(x, y))
            seen = [len(l.get_stats()) for l in loggers(instrumented)]
            self.assertGreater(len(seen), 0)
            self.assertGreaterEqual(max(seen), len(self.batches))


if __name__ == "__main__":
    ARGUMENTS = sys.argv[1:6]
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "onednn"
    unittest.main(argv=sys.argv[:1])
