"""Reference quantized models (reference_quantized.py)."""

load(":model_files.bzl", "model_files")

# Those of reference_quantized.py.
_CASES = [
    "efficientnet_block",
    "functions",
    "lookup",
    "many_convs",
    "mlp",
    "mobilenet_block",
    "partial",
    "resize",
    "resnet_block",
    "shapes",
]

def reference_quantized():
    model_files(
        name = "reference_quantized",
        srcs = ["case_main.py", "common.py"],
        cases = _CASES,
        files = ["scripted", "traced", "native", "inputs"],
        message = "Making reference quantized models",
    )
