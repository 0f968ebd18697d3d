"""Real models for tests, and the tests that hold us to the reference."""

_FILES = [
    "float.pt",
    "quantized.pt",
    "float_traced.pt",
    "quantized_traced.pt",
    "inputs.pt",
    "reference.json",
]

def model(name, traced = True):
    """Makes one model, and tests us on it.

    NAME_reference_test holds `ns compare` against the reference suite's answers;
    NAME_paired_test holds comparisons of models that run in step against loggers;
    NAME_lowered_test holds lowered models, op by op, against their scalar kernels
    and against LibTorch's ops;
    NAME_instrumented_test runs what `ns instrument` saves.

    Args:
      name: as make_model.py --list prints it; the files are NAME/float.pt, ...
      traced: whether the traced forms are compared, too.
    """
    native.genrule(
        name = name,
        srcs = native.glob(["*.py"]),
        outs = [name + "/" + file for file in _FILES],
        cmd = "/usr/bin/python3 $(location make_model.py) --model=" + name +
              " --out=$(RULEDIR)/" + name,
        message = "Making the model",
    )
    forms = [("", "float.pt", "quantized.pt")]
    if traced:
        forms.append(("_traced", "float_traced.pt", "quantized_traced.pt"))
    for suffix, float_file, quantized_file in forms:
        files = [
            name + "/" + file
            for file in [float_file, quantized_file, "inputs.pt", "reference.json"]
        ]
        native.sh_test(
            name = name + suffix + "_reference_test",
            srcs = ["run_python_test.sh"],
            args = ["$(location reference_test.py)", "$(location //tools:ns)"] +
                   ["$(location " + file + ")" for file in files],
            data = ["reference_test.py", "//tools:ns"] + files,
        )
        native.sh_test(
            name = name + suffix + "_paired_test",
            srcs = ["run_check.sh"],
            args = ["$(location :paired_check)"] +
                   ["$(location " + file + ")" for file in files[:3]],
            data = [":paired_check"] + files[:3],
        )
        native.sh_test(
            name = name + suffix + "_lowered_test",
            srcs = ["run_check.sh"],
            args = ["$(location :lowered_check)"] +
                   ["$(location " + file + ")" for file in files[1:3]],
            data = [":lowered_check"] + files[1:3],
        )
    files = [name + "/" + file for file in ["float.pt", "quantized.pt", "inputs.pt"]]
    native.sh_test(
        name = name + "_instrumented_test",
        srcs = ["run_python_test.sh"],
        args = [
                   "$(location instrumented_test.py)",
                   "$(location //tools:ns)",
                   "$(location //:libns_ops.so)",
               ] + ["$(location " + file + ")" for file in files],
        data = ["instrumented_test.py", "//:libns_ops.so", "//tools:ns"] + files,
        # Plain Python cannot load a library that was built with sanitizers.
        tags = ["no-asan"],
    )
