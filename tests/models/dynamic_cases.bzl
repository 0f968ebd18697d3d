"""Models that quantize-dynamic and PyTorch's quantize_dynamic both quantize."""

load(":model_files.bzl", "model_files")

# Those of dynamic_cases.py.
DYNAMIC_CASES = [
    "bag_4bit",
    "bag_last_offset",
    "bag_mean",
    "bag_mean_last_offset",
    "bag_mean_padding",
    "bag_padding",
    "bag_rows",
    "bag_sum",
    "bag_weighted",
    "cells",
    "control_flow",
    "embedding",
    "embedding_4bit",
    "fused_linear",
    "gru",
    "gru_bidirectional",
    "gru_packed",
    "half",
    "int4_weights",
    "linears",
    "lstm",
    "lstm_batch_first",
    "lstm_bidirectional",
    "lstm_packed",
    "lstm_with_state",
    "no_biases",
    "per_channel",
]

def dynamic_cases():
    """Makes dynamic_cases/CASE/FILE.pt, and a test in Python of all of them."""
    files = ["float", "quantized", "inputs"]
    model_files(
        name = "dynamic_cases",
        cases = DYNAMIC_CASES,
        files = files,
        srcs = ["case_main.py", "common.py"],
        message = "Making models and quantizing them dynamically",
    )
    native.sh_test(
        name = "dynamic_cases_test",
        srcs = ["run_python_test.sh"],
        args = [
            "$(location dynamic_cases_test.py)",
            "$(location :quantize_dynamic)",
        ] + [
            "$(location dynamic_cases/%s/float.pt)" % case
            for case in DYNAMIC_CASES
        ],
        data = [
            ":dynamic_cases",
            ":quantize_dynamic",
            "dynamic_cases_test.py",
        ] + [
            "dynamic_cases/%s/%s.pt" % (case, file)
            for case in DYNAMIC_CASES
            for file in files
        ],
        # Plain Python cannot load what was built with sanitizers, nor start it.
        tags = ["no-asan"],
    )
