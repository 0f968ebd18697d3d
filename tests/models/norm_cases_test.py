"""Holds `ns compare` against what plain hooks say of a model with norms.

  norm_cases_test.py NS FLOAT QUANTIZED INPUTS ANSWERS

The files are those of one case of norm_cases.py. Every layer must be compared at
one place of the network: its SQNR is that of hooks, within 0.1 dB. The models are
such that a truthful figure is far above 15 dB. The quantized model is then lowered,
and compared with what it was lowered from and with the float model.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

TOLERANCE_DB = 0.1
LEAST_DB = 15


def run(*arguments):
    subprocess.run([NS, *arguments], check=True, stdout=subprocess.DEVNULL)


def compare(float_path, quantized_path, inputs):
    """The JSON of one comparison."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        run(
            "compare",
            f"--float={float_path}",
            f"--quantized={quantized_path}",
            f"--inputs={inputs}",
            f"--json={out}",
            "--quiet",
        )
        with open(out, encoding="utf-8") as file:
            return json.load(file)


def low_layers(result):
    """What is below the least SQNR, or has none."""
    return [
        (layer["name"], kind, layer[kind]["sqnr_db"])
        for layer in result["layers"]
        for kind in ("activation", "shadow")
        if kind in layer and not float(layer[kind]["sqnr_db"]) >= LEAST_DB
    ]


def lost_ops(result):
    return [
        (op["model"], op["fqn"], op["op"], op["reason"])
        for op in result["unmatched"]
        if op["op"] != "aten::dropout"
    ]


class NormCasesTest(unittest.TestCase):
    maxDiff = None

    def check(self, result):
        self.assertEqual(low_layers(result), [])
        self.assertEqual(lost_ops(result), [])

    def test_layers_are_compared_at_one_place(self):
        result = compare(FLOAT, QUANTIZED, INPUTS)
        self.check(result)
        with open(ANSWERS, encoding="utf-8") as file:
            self.check_answers(result, json.load(file))

    def check_answers(self, result, answers):
        """Each module of the quantized model ends one layer or stands in one."""
        order = list(answers)
        wrong = []
        seen = set()
        for layer in result["layers"]:
            fqn = layer["quantized"]["fqn"]
            is_quantize = "quantize_per_tensor" in layer["quantized"]["op"]
            # Dropout, and the root's own code, give what they are given or the
            # same in both.
            if is_quantize or fqn not in answers:
                continue
            first = order.index(fqn)
            last = first + len(layer["quantized"]["subgraph"]) - 1
            seen.update(order[first : last + 1])
            expected = float(answers[order[last]])
            found = float(layer["activation"]["sqnr_db"])
            if not abs(found - expected) <= TOLERANCE_DB:
                wrong.append((layer["name"], found, expected))
        self.assertEqual(wrong, [])
        self.assertEqual(seen, set(order))

    def test_lowered_layers_are_compared_at_one_place(self):
        with tempfile.TemporaryDirectory() as folder:
            lowered = os.path.join(folder, "lowered.pt")
            run("lower", f"--in={QUANTIZED}", f"--out={lowered}", "--quiet")
            self.check(compare(FLOAT, lowered, INPUTS))
            self.check(compare(QUANTIZED, lowered, INPUTS))


if __name__ == "__main__":
    NS, FLOAT, QUANTIZED, INPUTS, ANSWERS = sys.argv[1:6]
    unittest.main(argv=sys.argv[:1])
