"""Models with layers that give several tensors."""

# Those of output_cases.py.
_CASES = [
    "cells",
    "gru_bidirectional",
    "lstm",
    "lstm_bidirectional",
    "lstm_in_loop",
    "lstm_packed",
    "lstm_with_state",
]

_FILES = ["float.pt", "quantized.pt", "inputs.pt", "answers.json"]

def output_cases():
    """Makes output_cases/CASE/FILE, and CASE_output_case_test of each."""
    native.genrule(
        name = "output_cases",
        srcs = [
            "case_main.py",
            "common.py",
            "metrics.py",
            "output_cases.py",
        ],
        outs = [
            "output_cases/%s/%s" % (case, file)
            for case in _CASES
            for file in _FILES
        ],
        cmd = "/usr/bin/python3 $(location output_cases.py) " +
              "--out=$(RULEDIR)/output_cases " + " ".join(_CASES),
        message = "Making the models with several outputs",
    )
    for case in _CASES:
        files = ["output_cases/%s/%s" % (case, file) for file in _FILES]
        native.sh_test(
            name = case + "_output_case_test",
            srcs = ["run_python_test.sh"],
            args = [
                       "$(location output_cases_test.py)",
                       "$(location //tools:ns)",
                       "$(location //:libns_ops.so)",
                   ] + ["$(location " + file + ")" for file in files],
            data = ["output_cases_test.py", "//:libns_ops.so", "//tools:ns"] + files,
            # Plain Python cannot load a library that was built with sanitizers.
            tags = ["no-asan"],
        )
