"""Models that torch.quantization has trained with fake quantization."""

# Those of qat_cases.py.
_CASES = [
    "block",
    "conv1d_bn",
    "conv1d_bn_relu",
    "conv2d",
    "conv2d_bn_no_bias",
    "conv2d_bn_relu_v0",
    "conv2d_bn_relu_v1",
    "conv2d_reflect",
    "conv2d_relu",
    "conv3d",
    "conv3d_bn",
    "conv3d_bn_relu",
    "conv3d_relu",
    "linear_bn1d",
    "linear_no_bias",
    "linear_relu",
    "linear_v0",
    "linear_v1",
]

_FILES = [
    "float.pt",
    "gradients.pt",
    "inputs.pt",
    "outputs.pt",
    "quantized.pt",
    "trained.pt",
]

def qat_cases():
    """Makes them, as qat_cases/CASE_FILE, and their list."""
    native.genrule(
        name = "qat_cases",
        srcs = ["qat_cases.py"],
        outs = ["qat_cases/qat_cases.txt"] + [
            "qat_cases/" + case + "_" + file
            for case in _CASES
            for file in _FILES
        ],
        cmd = "/usr/bin/python3 $(location qat_cases.py) " +
              "--out=$(RULEDIR)/qat_cases",
        message = "Training a model of every module that PyTorch trains",
    )
