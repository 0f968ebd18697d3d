"""Holds `ns compare` against what plain hooks say of models with norms.

  norm_cases_test.py NS FOLDER CASE...

Of each case, FOLDER/CASE has the files of norm_cases.py. Every layer must be
compared at one place of the network: its SQNR is that of hooks, within 0.1 dB.
The models are such that a truthful figure is far above 15 dB. Each is then
lowered, and compared with what it was lowered from and with the float model.
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

    def check_answers(self, result, answers):
        """Each module of the quantized model ends one layer or stands in one."""
        order = list(answers)
        wrong = []
        seen = set()
        for layer in result["layers"]:
            fqn = layer["quantized"]["fqn"]
            if "quantize_per_tensor" in layer["quantized"]["op"]:
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

    def test_layers_are_compared_at_one_place(self):
        for case in CASES:
            path = lambda name: os.path.join(FOLDER, case, name)
            models = path("float.pt"), path("quantized.pt")
            result = compare(*models, path("inputs.pt"))
            with self.subTest(case):
                self.check(result)
            with self.subTest(case + ": answers"):
                with open(path("answers.json"), encoding="utf-8") as file:
                    self.check_answers(result, json.load(file))

    def test_lowered_layers_are_compared_at_one_place(self):
        for case in CASES:
            path = lambda name: os.path.join(FOLDER, case, name)
            with tempfile.TemporaryDirectory() as folder:
                lowered = os.path.join(folder, "lowered.pt")
                run("lower", f"--in={path('quantized.pt')}", f"--out={lowered}")
                for name in ("float.pt", "quantized.pt"):
                    with self.subTest(f"{case}: {name} and lowered"):
                        self.check(
                            compare(path(name), lowered, path("inputs.pt"))
                        )


if __name__ == "__main__":
    NS, FOLDER = sys.argv[1:3]
    CASES = sys.argv[3:]
    unittest.main(argv=sys.argv[:1])
