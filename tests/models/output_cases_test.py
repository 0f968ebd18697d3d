"""Holds every output of recurrent layers to what plain hooks say.

  output_cases_test.py NS LIBNS_OPS FLOAT QUANTIZED INPUTS ANSWERS

The files are those of one case of output_cases.py. `ns compare` must show each
tensor that a layer gives, by its name, with the figures of hooks; and the loggers of
`ns instrument` must have seen what those figures follow from.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import torch

TOLERANCE_DB = 0.01

NAMES = {
    "lstm": ["output", "h_n", "c_n"],
    "gru": ["output", "h_n"],
    "lstm_cell": ["output", "c_n"],
    "gru_cell": [None],
}


def sqnr_db(pairs):
    """Pooled over pairs of tensors, in float64."""
    signal = sum(float((x.double() ** 2).sum()) for x, _ in pairs)
    noise = sum(float(((x.double() - y.double()) ** 2).sum()) for x, y in pairs)
    return 10 * math.log10(signal / noise)


def outputs_of(layer):
    """All outputs of a layer in JSON, as one list."""
    first = {**layer, "index": 0, "name": layer.get("output")}
    return [first, *layer.get("outputs", [])]


class OutputCasesTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        torch.ops.load_library(os.path.abspath(LIBRARY))
        with open(ANSWERS, encoding="utf-8") as file:
            cls.answers = json.load(file)
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.run_ns(
            "compare",
            f"--inputs={INPUTS}",
            f"--json={cls.path('out.json')}",
            "--threads=1",
            "--quiet",
        )
        with open(cls.path("out.json"), encoding="utf-8") as file:
            cls.result = json.load(file)
        cls.layers = {
            layer["name"]: layer
            for layer in cls.result["layers"]
            if layer["name"] in cls.answers
        }

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    @classmethod
    def run_ns(cls, command, *flags):
        models = [f"--float={FLOAT}", f"--quantized={QUANTIZED}"]
        subprocess.run([NS, command, *models, *flags], check=True)

    def run_logged(self, name):
        """Loads an instrumented model and runs it on all batches."""
        module = torch.jit.load(self.path(name))
        with torch.no_grad():
            for batch in torch.load(INPUTS):
                module(*(batch if isinstance(batch, tuple) else (batch,)))
        return module

    @staticmethod
    def logged(module, prefix):
        """By layer, model and output index: what the logger saw."""
        values = {}
        index = 0
        while hasattr(module, f"{prefix}{index}"):
            info = getattr(module, f"{prefix}{index}_info")
            key = (
                info["layer"],
                info["model_name"],
                int(info["output_index"]),
                info["output_name"],
            )
            values[key] = getattr(module, f"{prefix}{index}").get_stats()
            index += 1
        return values

    def agree(self, found, expected, what):
        self.assertAlmostEqual(
            float(found), float(expected), delta=TOLERANCE_DB, msg=what
        )

    def test_every_output_is_shown_by_its_name(self):
        self.assertEqual(set(self.layers), set(self.answers))
        for name, layer in self.layers.items():
            outputs = outputs_of(layer)
            family = layer["float"]["op"].split("::")[1]
            self.assertEqual([o["name"] for o in outputs], NAMES[family], name)
            self.assertEqual(
                [o["index"] for o in outputs], list(range(len(outputs)))
            )

    def test_figures_are_those_of_hooks(self):
        for name, expected in self.answers.items():
            outputs = outputs_of(self.layers[name])
            self.assertEqual(len(outputs), len(expected), name)
            for output, answer in zip(outputs, expected):
                for kind, figures in answer.items():
                    self.check_figures(
                        output[kind], figures, (name, output["name"], kind)
                    )

    def check_figures(self, found, expected, what):
        self.agree(found["sqnr_db"], expected["sqnr_db"], what)
        for key in ("normalized_l2", "cosine"):
            self.assertAlmostEqual(found[key], expected[key], places=5)
        self.assertEqual(
            len(found["batch_sqnr_db"]), len(expected["batch_sqnr_db"]), what
        )
        for x, y in zip(found["batch_sqnr_db"], expected["batch_sqnr_db"]):
            self.agree(x, y, what)
        trips = found.get("trips", [found["sqnr_db"]])
        self.assertEqual(len(trips), len(expected["trips"]), what)
        for x, y in zip(trips, expected["trips"]):
            self.agree(x, y, what)

    def test_the_worst_output_is_named(self):
        worst = self.result["worst_offender"]
        lowest = min(
            float(answer["shadow"]["sqnr_db"])
            for answers in self.answers.values()
            for answer in answers
        )
        if worst["name"] in self.answers:
            self.agree(worst["local_db"], lowest, worst)
            names = {
                o["name"]: o["shadow"]["sqnr_db"]
                for o in outputs_of(self.layers[worst["name"]])
            }
            default = self.layers[worst["name"]].get("output")
            self.assertEqual(
                names[worst.get("output", default)], worst["local_db"]
            )
        else:
            self.assertLess(float(worst["local_db"]), lowest)

    def test_stubs_have_every_output_too(self):
        """The inputs of a stub are those of a shadow."""
        self.run_ns(
            "compare",
            f"--inputs={INPUTS}",
            "--what=stubs",
            "--swap=LSTM,GRU,LSTMCell,GRUCell",
            f"--json={self.path('stubs.json')}",
            "--quiet",
        )
        with open(self.path("stubs.json"), encoding="utf-8") as file:
            stubs = json.load(file)["stubs"]
        self.assertEqual({stub["name"] for stub in stubs}, set(self.answers))
        for stub in stubs:
            found = [stub, *stub.get("outputs", [])]
            expected = self.answers[stub["name"]]
            self.assertEqual(len(found), len(expected), stub["name"])
            for output, answer in zip(found, expected):
                self.check_figures(output, answer["shadow"], stub["name"])
            # Packed sequences have lengths behind the data.
            names = [output["name"] for output in found[1:]]
            family = self.layers[stub["name"]]["float"]["op"].split("::")[1]
            self.assertIn(names, (NAMES[family][1:], ["2", "3"]))

    def check_logged(self, of_float, of_quantized, prefix, kind, outputs):
        """The loggers have seen the figures of `outputs`, (layer, output)."""
        expected = {
            (name, output["index"], output["name"] or "")
            for name, output in outputs
        }
        found = {
            (layer, index, name)
            for layer, _, index, name in of_quantized
            if layer in self.layers
        }
        self.assertEqual(found, expected, prefix)
        for name, output in outputs:
            place = (output["index"], output["name"] or "")
            pairs = zip(
                of_float[(name, "float", *place)],
                of_quantized[(name, "quantized", *place)],
            )
            self.agree(
                sqnr_db(list(pairs)), output[kind]["sqnr_db"], (name, place)
            )

    def check_all_logged(self, of_float, of_quantized, kind):
        for prefix, is_first in (
            ("ns_logger_", True),
            ("ns_output_logger_", False),
        ):
            self.check_logged(
                self.logged(of_float, prefix),
                self.logged(of_quantized, prefix),
                prefix,
                kind,
                [
                    (name, output)
                    for name, layer in self.layers.items()
                    for output in outputs_of(layer)
                    if (output["index"] == 0) == is_first
                ],
            )

    def test_loggers_see_every_output(self):
        self.run_ns(
            "instrument",
            f"--out-float={self.path('f.pt')}",
            f"--out-quantized={self.path('q.pt')}",
        )
        self.check_all_logged(
            self.run_logged("f.pt"), self.run_logged("q.pt"), "activation"
        )

    def test_loggers_of_shadows_see_every_output(self):
        self.run_ns(
            "instrument",
            "--what=shadows",
            f"--out-quantized={self.path('s.pt')}",
        )
        shadowed = self.run_logged("s.pt")
        self.check_all_logged(shadowed, shadowed, "shadow")


if __name__ == "__main__":
    NS, LIBRARY, FLOAT, QUANTIZED, INPUTS, ANSWERS = sys.argv[1:7]
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "onednn"
    unittest.main(argv=sys.argv[:1])
