"""The model pairs of PyTorch's tests of the eager suite."""

_CASES = [
    "conv",
    "conv_bn_relu",
    "conv_transpose",
    "functionals",
    "linear",
    "linear_dynamic",
    "lstm_dynamic",
    "submodule",
    "two_linears",
]

_STEMS = [
    engine + "_" + case
    for engine in ["onednn", "qnnpack"]
    for case in _CASES
] + ["onednn_resnet18"]

_FILES = [
    "float.pt",
    "quantized.pt",
    "float_state.pt",
    "quantized_state.pt",
    "inputs.pt",
    "answers.txt",
]

def eager_cases():
    """Makes them, as eager_cases/ENGINE_CASE_FILE."""
    native.genrule(
        name = "eager_cases",
        srcs = native.glob(["*.py"]),
        outs = [
            "eager_cases/" + stem + "_" + file
            for stem in _STEMS
            for file in _FILES
        ],
        cmd = "/usr/bin/python3 $(location eager_cases.py) " +
              "--out=$(RULEDIR)/eager_cases",
        message = "Making the models of the eager suite's tests",
    )
