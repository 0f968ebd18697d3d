"""Models of one layer each, and what torch.quantization makes of them."""

# Those of module_cases.py.
_CASES = [
    "attention",
    "attention_bias",
    "attention_zero",
    "batch_norm2d",
    "batch_norm2d_relu",
    "batch_norm3d",
    "batch_norm3d_relu",
    "conv1d",
    "conv1d_bn",
    "conv1d_bn_relu",
    "conv1d_relu",
    "conv2d",
    "conv2d_bn",
    "conv2d_bn_relu",
    "conv2d_dilated",
    "conv2d_reflect",
    "conv2d_relu",
    "conv_transpose1d",
    "conv_transpose1d_bn",
    "conv_transpose2d",
    "conv_transpose2d_bn",
    "dropout",
    "dynamic_gru",
    "dynamic_gru_cell",
    "dynamic_hooked_linear",
    "dynamic_linear",
    "dynamic_lstm",
    "dynamic_lstm_batch_first",
    "dynamic_lstm_cell",
    "dynamic_rnn_cell",
    "elu",
    "embedding",
    "embedding_bag",
    "group_norm",
    "hardswish",
    "hooked_conv2d_bn_relu",
    "hooked_linear",
    "instance_norm1d",
    "instance_norm2d",
    "instance_norm3d",
    "layer_norm",
    "leaky_relu",
    "linear",
    "linear_bn",
    "linear_no_bias",
    "linear_relu",
    "lstm",
    "lstm_bidirectional",
    "lstm_two_layers",
    "relu6",
]

_ONEDNN_CASES = [
    "conv3d",
    "conv3d_bn",
    "conv3d_bn_relu",
    "conv3d_relu",
    "conv_transpose3d",
]

_STEMS = [
    engine + "_" + case
    for engine in ["onednn", "qnnpack"]
    for case in _CASES
] + ["onednn_" + case for case in _ONEDNN_CASES]

_FILES = ["float.pt", "fused.pt", "quantized.pt", "inputs.pt", "outputs.pt"]

def module_cases():
    """Makes them, as module_cases/ENGINE_CASE_FILE, and their list."""
    native.genrule(
        name = "module_cases",
        srcs = ["module_cases.py"],
        outs = ["module_cases/module_cases.txt"] + [
            "module_cases/" + stem + "_" + file
            for stem in _STEMS
            for file in _FILES
        ],
        cmd = "/usr/bin/python3 $(location module_cases.py) " +
              "--out=$(RULEDIR)/module_cases",
        message = "Making a model of every module that PyTorch quantizes",
    )
