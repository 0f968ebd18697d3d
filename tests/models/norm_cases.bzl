"""Models whose batch norms are not, or not all, folded."""

# Those of norm_cases.py.
_CASES = [
    "conv1d_relu_norm",
    "conv2d_norm_relu_norm",
    "conv2d_relu_dropout_norm",
    "conv2d_relu_in_place_norm",
    "conv2d_relu_norm",
    "conv2d_relu_norm_in_list",
    "conv2d_relu_norm_last",
    "conv2d_relu_norm_relu",
    "conv2d_relu_two_norms",
    "conv3d_relu_in_place_norm",
    "conv3d_relu_norm",
    "conv3d_relu_norm_last",
    "dynamic_dropout_norm",
    "dynamic_norm",
    "dynamic_norm_dropout",
    "dynamic_norm_in_if",
    "dynamic_norm_in_list",
    "dynamic_norm_in_loop",
    "dynamic_norm_relu",
    "dynamic_norm_relu_dropout",
    "dynamic_norm_relu_in_place",
    "dynamic_relu_norm",
    "eager_float_norm",
    "eager_float_norm_3d",
    "eager_float_norm_in_if",
    "eager_float_norm_in_list",
    "eager_float_norm_in_loop",
    "eager_float_norm_linear",
    "eager_float_norm_relu",
    "eager_quantized_norm",
    "eager_quantized_relu_norm",
    "eager_relu_float_norm",
    "fx_dynamic_norm",
    "fx_dynamic_relu_norm",
    "linear_relu_norm",
]

_FILES = ["float.pt", "quantized.pt", "inputs.pt", "answers.json"]

def norm_cases():
    """Makes them, as norm_cases/CASE/FILE, and CASE_norm_case_test of each."""
    native.genrule(
        name = "norm_cases",
        srcs = [
            "case_main.py",
            "common.py",
            "metrics.py",
            "norm_cases.py",
        ],
        outs = [
            "norm_cases/%s/%s" % (case, file)
            for case in _CASES
            for file in _FILES
        ],
        cmd = "/usr/bin/python3 $(location norm_cases.py) " +
              "--out=$(RULEDIR)/norm_cases " + " ".join(_CASES),
        message = "Making the models with norms",
    )
    for case in _CASES:
        files = ["norm_cases/%s/%s" % (case, file) for file in _FILES]
        native.sh_test(
            name = case + "_norm_case_test",
            srcs = ["run_python_test.sh"],
            args = ["$(location norm_cases_test.py)", "$(location //tools:ns)"] +
                   ["$(location " + file + ")" for file in files],
            data = ["norm_cases_test.py", "//tools:ns"] + files,
        )
