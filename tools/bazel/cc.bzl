"""cc_library and the like for files that include LibTorch: with its headers
precompiled, most compile in a third of the time.

It is on where .bazelrc says --define=precompile_headers=true; elsewhere these
are Bazel's own rules. Either way, a cc_test has a main of its own, which seeds
LibTorch's random numbers before each test."""

_ON = Label("//tools/bazel:precompile_headers")
_HEADERS = Label("//tools/bazel:libtorch_headers")
_MAIN = Label("//tests/testing:main")

def _with_precompiled_headers(arguments):
    if "@system//:torch" not in arguments.get("deps", []):
        return arguments
    headers = str(_HEADERS)
    arguments = dict(arguments)
    arguments["deps"] = arguments["deps"] + select({
        str(_ON): [headers],
        "//conditions:default": [],
    })
    arguments["copts"] = arguments.get("copts", []) + select({
        str(_ON): ["-include-pch", "$(execpath %s)" % headers],
        "//conditions:default": [],
    })
    return arguments

def cc_binary(**arguments):
    native.cc_binary(**_with_precompiled_headers(arguments))

def cc_library(**arguments):
    native.cc_library(**_with_precompiled_headers(arguments))

def cc_test(deps, **arguments):
    arguments["deps"] = [
        str(_MAIN) if dep == "@system//:gtest_main" else dep
        for dep in deps
    ]
    native.cc_test(**_with_precompiled_headers(arguments))
