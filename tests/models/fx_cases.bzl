"""The models of the FX suite's acceptance list (tests/README.md)."""

# Those of fx_cases.py.
_CASES = [
    "add_mul",
    "add_tensors",
    "adds_before_cat",
    "containers_out",
    "conv",
    "conv_cat",
    "conv_linear",
    "convs_3d_fun",
    "convs_3d_fun_qat",
    "convs_fun",
    "convs_fun_qat",
    "convs_sigmoid",
    "fusions",
    "fusions_3d",
    "fusions_3d_qat",
    "fusions_qat",
    "hardswish",
    "keyword_linear",
    "keyword_lists",
    "layer_norm_of_shape",
    "linear",
    "linear_dynamic",
    "linear_fun",
    "linear_half",
    "linear_relu_fun",
    "linear_relu_half",
    "linears_fun",
    "linears_fun_qat",
    "lstm_dynamic",
    "mixed_types",
    "mobilenet_v2",
    "mobilenet_v2_qat",
    "nested_convs",
    "opaque_identity",
    "opaque_pair",
    "pairs_and_lists",
    "pool_conv_reuse",
    "pool_relu",
    "relus",
    "resnet18",
    "sigmoid_method",
    "stub_two_convs",
    "stub_two_convs_qat",
    "three_ops",
    "torch_conv",
    "torch_conv_bn",
    "torch_conv_bn_relu",
    "torch_linear",
    "torch_linear_dynamic",
    "torch_sparse_nn",
    "two_convs",
    "two_convs_qat",
    "two_convs_relu",
    "user_hardswish",
    "user_three_ops",
]

def fx_cases(name):
    """Makes the models: NAME/CASE/float.pt, prepared.pt, quantized.pt, inputs.pt.

    Args:
      name: of the target that has all files.
    """
    native.genrule(
        name = name,
        srcs = [
            "common.py",
            "expecttest_stand_in.py",
            "fx_case_models.py",
            "fx_cases.py",
        ],
        outs = [
            "%s/%s/%s.pt" % (name, case, file)
            for case in _CASES
            for file in ["float", "prepared", "quantized", "inputs"]
        ],
        cmd = "/usr/bin/python3 $(location fx_cases.py) --out=$(RULEDIR)/" +
              name + " " + " ".join(_CASES),
        message = "Making the models of the acceptance list",
    )
