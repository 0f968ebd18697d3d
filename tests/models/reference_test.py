"""Holds `ns compare` against the reference suite's answers for one model.

  reference_test.py NS FLOAT QUANTIZED INPUTS REFERENCE

Every weight pair, activation and shadow that the reference reports must be in our
JSON, weights within 0.01 dB and the others within 0.1 dB.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

WEIGHT_TOLERANCE_DB = 0.01
ACTIVATION_TOLERANCE_DB = 0.1

# Two float computations in another order differ by less than this: nothing.
ROUNDING_DB = 100

# Modules that the reference compares and that leave no node in a scripted graph:
# a quantized Dropout returns its input.
NO_NODE = "quantized.modules.dropout.Dropout"


def run_compare(ns, float_path, quantized_path, inputs):
    """The JSON of one comparison."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        subprocess.run(
            [
                ns,
                "compare",
                f"--float={float_path}",
                f"--quantized={quantized_path}",
                f"--inputs={inputs}",
                f"--json={out}",
                "--quiet",
            ],
            check=True,
        )
        with open(out, encoding="utf-8") as file:
            return json.load(file)


def agree(ours, theirs, tolerance):
    ours, theirs = float(ours), float(theirs)
    if math.isnan(theirs):
        return math.isnan(ours)
    if min(ours, theirs) > ROUNDING_DB:
        return True
    return ours == theirs or abs(ours - theirs) <= tolerance


class ReferenceTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.result = run_compare(*ARGUMENTS[:4])
        with open(ARGUMENTS[4], encoding="utf-8") as file:
            cls.reference = json.load(file)

    def layers_of(self, name):
        """Layers of one module: all its calls and ops."""
        return [
            layer
            for layer in self.result["layers"]
            if layer["name"].split("@")[0] == name
            or layer["quantized"]["fqn"] == name
        ]

    def test_every_weight_agrees(self):
        wrong = []
        for expected in self.reference["weights"]:
            candidates = [
                weight
                for layer in self.layers_of(expected["name"])
                or self.result["layers"]
                for weight in layer.get("weight", [])
                if weight["name"] == expected["param"]
                and weight["shape"] == expected["shape"]
            ]
            if not any(
                agree(w["sqnr_db"], expected["sqnr_db"], WEIGHT_TOLERANCE_DB)
                for w in candidates
            ):
                found = [w["sqnr_db"] for w in candidates]
                wrong.append((expected["name"], expected["sqnr_db"], found))
        self.assertEqual(wrong, [])
        self.assertTrue(self.reference["weights"])

    def test_every_activation_agrees(self):
        self.check("activation", self.reference["activations"])

    def test_every_shadow_agrees(self):
        self.check("shadow", self.reference["shadows"])

    def check(self, kind, reference):
        unused = [layer for layer in self.result["layers"] if kind in layer]
        wrong = []
        for expected in reference:
            if expected["quantized_type"].endswith(NO_NODE):
                continue
            # One of ours answers for one of theirs only: by name first, and
            # for functions, which have none, the next in order of execution.
            by_name = [l for l in unused if l["name"] == expected["fqn"]]
            match = next(
                (
                    layer
                    for layer in by_name + unused
                    if layer[kind]["shape"] == expected["shape"]
                    and agree(
                        layer[kind]["sqnr_db"],
                        expected["sqnr_db"],
                        ACTIVATION_TOLERANCE_DB,
                    )
                ),
                None,
            )
            if match is None:
                found = [(l["name"], l[kind]["sqnr_db"]) for l in by_name]
                wrong.append((expected["fqn"], expected["sqnr_db"], found))
            else:
                unused.remove(match)
        self.assertEqual(wrong, [])

    def test_every_matched_layer_is_shadowed(self):
        missing = [
            layer["name"]
            for layer in self.result["layers"]
            if "activation" in layer and "shadow" not in layer
        ]
        self.assertEqual(missing, [])
        self.assertEqual(self.result["not_shadowed"], [])

    def test_batches_agree(self):
        self.assertEqual(self.result["batches"], self.reference["batches"])

    def test_names_are_unique(self):
        names = [layer["name"] for layer in self.result["layers"]]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    ARGUMENTS = sys.argv[1:6]
    unittest.main(argv=sys.argv[:1])
