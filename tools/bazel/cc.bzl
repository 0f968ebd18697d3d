"""cc_library and the like for packages whose files include LibTorch, most of
them through other headers: with those precompiled, they compile in a third of
the time. Packages without LibTorch, such as the kernels', use Bazel's own.

It is on where .bazelrc says --define=precompile_headers=true; elsewhere these
are Bazel's own rules. Either way, a cc_test has a main of its own, which seeds
LibTorch's random numbers before each test."""

_ON = Label("//tools/bazel:precompile_headers")
_HEADERS = Label("//tools/bazel:libtorch_headers")
_TEST_HEADERS = Label("//tools/bazel:test_headers")
_MAIN = Label("//tests/testing:main")

# The files of tests: they run once and not for long, so that optimizing them
# takes longer than it saves. (C libraries want no -D_FORTIFY_SOURCE then.)
UNOPTIMIZED = ["-O0", "-U_FORTIFY_SOURCE"]

def _with_precompiled_headers(arguments, headers = _HEADERS, copts = []):
    if "features" in arguments:
        # They may not be those that the headers were precompiled with.
        return arguments
    headers = str(headers)
    arguments = dict(arguments)
    arguments["deps"] = arguments.get("deps", []) + select({
        str(_ON): [headers],
        "//conditions:default": [],
    })
    arguments["copts"] = arguments.get("copts", []) + select({
        str(_ON): copts + ["-include-pch", "$(execpath %s)" % headers],
        "//conditions:default": [],
    })
    return arguments

# Keeps the symbols of the LLVM in a binary apart from those of LibTorch's. Tests
# cannot hide them: they link a shared library for each target, which finds LLVM
# in the test itself.
HIDE_LLVM = ["-Wl,--exclude-libs,libLLVMSupport.a:libLLVMDemangle.a"]

def cc_binary(**arguments):
    arguments["linkopts"] = arguments.get("linkopts", []) + HIDE_LLVM
    native.cc_binary(**_with_precompiled_headers(arguments))

def cc_library(**arguments):
    native.cc_library(**_with_precompiled_headers(arguments))

# What tests depend on, with the main of ours.
def _with_main(deps):
    return [
        str(_MAIN) if dep == "@system//:gtest_main" else dep
        for dep in deps
    ]

def cc_test(deps, **arguments):
    """A test. Where headers are precompiled, its own files are not optimized."""
    arguments["deps"] = _with_main(deps)
    native.cc_test(**_with_precompiled_headers(
        arguments,
        _TEST_HEADERS,
        UNOPTIMIZED,
    ))

# The tag of what grouped_cc_test compiles.
_GROUPED = "grouped"

def grouped_cc_test(name, deps, srcs, size = "small"):
    """A test that can be run by its name, and that //... runs in its group.

    Nearly all tests take less time than LibTorch takes to load. A test that
    takes seconds is a cc_test, so that the others do not wait for it.

    Args:
      name: of the test.
      deps: as of cc_test.
      srcs: as of cc_test.
      size: as of cc_test; "small".
    """
    if size != "small":
        fail("%s is not small; make it a cc_test" % name)
    cases = dict(
        name = name + "_cases",
        testonly = True,
        srcs = srcs,
        alwayslink = True,
        linkstatic = True,
        tags = [_GROUPED, "manual"],
        deps = _with_main(deps),
    )
    native.cc_library(**_with_precompiled_headers(
        cases,
        _TEST_HEADERS,
        UNOPTIMIZED,
    ))
    native.cc_test(
        name = name,
        size = size,
        tags = ["manual"],
        deps = [":%s_cases" % name, str(_MAIN)],
    )

def cc_test_group(name):
    """Runs the package's tests of grouped_cc_test in one process.

    The last call of a BUILD file.

    Args:
      name: of the test.
    """
    native.cc_test(
        name = name,
        size = "medium",
        deps = [
            ":" + rule["name"]
            for rule in native.existing_rules().values()
            if _GROUPED in rule.get("tags", [])
        ] + [str(_MAIN)],
    )
