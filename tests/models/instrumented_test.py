"""Runs what `ns instrument` saved in a plain Python process.

  instrumented_test.py NS LIBNS_OPS FLOAT QUANTIZED INPUTS

The instrumented modules must compute bit-identical outputs, and every logger
outside control flow must have seen every batch. The statistics of shadows must be
those that `ns compare` prints.
"""

import json
import math
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


def layer_of(module, index):
    return getattr(module, f"ns_logger_{index}_info")["layer"]


def sqnr_db(pairs):
    """Pooled over all pairs of tensors, in float64."""
    signal = sum(float((x.double() ** 2).sum()) for x, _ in pairs)
    noise = sum(float(((x.double() - y.double()) ** 2).sum()) for x, y in pairs)
    if noise == 0:
        return math.nan if signal == 0 else math.inf
    return -math.inf if signal == 0 else 10 * math.log10(signal / noise)


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
            shadowed = os.path.join(folder, "s.pt")
            report = os.path.join(folder, "s.json")
            models = [f"--float={float_path}", f"--quantized={quantized_path}"]
            for command in (
                ["instrument", "--what=shadows", f"--out-quantized={shadowed}"],
                [
                    "compare",
                    "--what=shadows",
                    f"--inputs={inputs}",
                    f"--json={report}",
                    "--threads=1",
                    "--quiet",
                ],
            ):
                subprocess.run([ns, *command, *models], check=True)
            torch.ops.load_library(os.path.abspath(library))
            cls.plain = torch.jit.load(quantized_path)
            cls.shadowed = torch.jit.load(shadowed)
            with open(report, encoding="utf-8") as file:
                cls.report = json.load(file)
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

    def test_shadow_model_is_bit_identical_and_has_the_same_statistics(self):
        for batch in self.batches:
            expected = run(self.plain, batch)
            actual = run(self.shadowed, batch)
            self.assertEqual(len(expected), len(actual))
            for x, y in zip(expected, actual):
                self.assertTrue(torch.equal(x, y))
        # Loggers come in twos: the shadow's, and that of what is shadowed.
        all_loggers = loggers(self.shadowed)
        figures = {}
        for i in range(0, len(all_loggers), 2):
            values = [tensors(all_loggers[i + j].get_stats()) for j in (0, 1)]
            figures[layer_of(self.shadowed, i)] = sqnr_db(
                list(zip(*values))
            )
        shadows = [l for l in self.report["layers"] if "shadow" in l]
        self.assertGreater(len(shadows), 0)
        for layer in shadows:
            theirs = float(layer["shadow"]["sqnr_db"])
            ours = figures[layer["name"]]
            self.assertTrue(
                theirs == ours
                or (math.isnan(theirs) and math.isnan(ours))
                or abs(theirs - ours) < 1e-3,
                (layer["name"], theirs, ours),
            )


if __name__ == "__main__":
    ARGUMENTS = sys.argv[1:6]
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "onednn"
    unittest.main(argv=sys.argv[:1])
