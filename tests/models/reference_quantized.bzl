"""Reference quantized models (reference_quantized.py)."""

# Those of reference_quantized.py.
_CASES = [
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

def reference_quantized(name):
    """Makes the models: NAME/CASE/scripted.pt, traced.pt, native.pt, inputs.pt.

    Args:
      name: of the target that has all files.
    """
    native.genrule(
        name = name,
        srcs = [
            "common.py",
            "reference_quantized.py",
        ],
        outs = [
            "%s/%s/%s.pt" % (name, case, file)
            for case in _CASES
            for file in ["scripted", "traced", "native", "inputs"]
        ],
        cmd = "/usr/bin/python3 $(location reference_quantized.py) " +
              "--out=$(RULEDIR)/" + name + " " + " ".join(_CASES),
        message = "Making reference quantized models",
    )
