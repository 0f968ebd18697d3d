"""The rules of libraries and tests.

    ns_library(
        name = "node_view",
        deps = [":module_path"],
    )

is node_view.h, and node_view.cc if there is one. It may use LibTorch and abseil
without saying so. In tests/ir/graph,

    ns_test(name = "node_view_test")

is node_view_test.cc, which tests //ir/graph:node_view. Each BUILD file ends with
the groups of its tests and of its libraries.

LibTorch's headers are precompiled, with which files that include them, most of
them through other headers, compile in a third of the time: where .bazelrc says
--define=precompile_headers=true. Packages without LibTorch, such as the
kernels', use Bazel's own cc_library. A test has a main of ours, which seeds
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

# What all code of ours may use: LibTorch, and the abseil that goes with it.
_USED_BY_ALL = ["@system//:" + name for name in [
    "absl_algorithm",
    "absl_base",
    "absl_containers",
    "absl_status",
    "absl_strings",
    "torch",
]]

def ns_library(name, srcs = None, hdrs = None, deps = [], **arguments):
    """A header and the source beside it.

    Args:
      name: of the library, and of its files: NAME.h and NAME.cc, if they exist.
      srcs: sources, where they are others.
      hdrs: headers, where they are others.
      deps: as of cc_library, but for LibTorch and abseil, which all have.
      **arguments: as of cc_library.
    """
    own_srcs = native.glob([name + ".cc"])
    own_hdrs = native.glob([name + ".h"])
    if srcs == None and hdrs == None and not own_srcs and not own_hdrs:
        fail("%s: there is no %s.h or %s.cc" % (name, name, name))
    native.cc_library(
        name = name,
        srcs = own_srcs if srcs == None else srcs,
        hdrs = own_hdrs if hdrs == None else hdrs,
        **_with_precompiled_headers(dict(
            arguments,
            deps = deps + _USED_BY_ALL,
        ))
    )

def cc_library_group(name):
    """Stands for all libraries of the package, in //:ir, //:passes and //:ns.

    Args:
      name: of the group.
    """
    native.cc_library(
        name = name,
        visibility = ["//:__pkg__"],
        deps = [
            ":" + rule["name"]
            for rule in native.existing_rules().values()
            if rule["kind"] == "cc_library" and not rule.get("testonly")
        ],
    )

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

# The tag of what ns_test compiles.
_GROUPED = "grouped"

# What all tests use.
_USED_BY_TESTS = _USED_BY_ALL + [
    str(_MAIN),
    "@system//:gmock",
    "//tests/testing:status",
]

def ns_test(name, srcs = None, of = "", deps = []):
    """A test that can be run by its name, and that //... runs in its group.

    Nearly all tests take less time than LibTorch takes to load. A test that
    takes seconds is a cc_test, so that the others do not wait for it.

    Args:
      name: of the test; NAME.cc is its source.
      srcs: sources, where they are others.
      of: the library that it tests, in the folder that this one mirrors;
        None for no single one. NAME without _test.
      deps: as of cc_test, but for that library, LibTorch, abseil, GoogleTest
        and //tests/testing:status.
    """
    if of == "":
        if not name.endswith("_test"):
            fail("%s: say of which library it is, or name it ..._test" % name)
        of = name[:-len("_test")]
    if of:
        folder = native.package_name()[len("tests/"):]
        deps = deps + ["//%s:%s" % (folder, of)]
    cases = dict(
        name = name + "_cases",
        testonly = True,
        srcs = [name + ".cc"] if srcs == None else srcs,
        alwayslink = True,
        linkstatic = True,
        tags = [_GROUPED, "manual"],
        deps = deps + _USED_BY_TESTS,
    )
    native.cc_library(**_with_precompiled_headers(
        cases,
        _TEST_HEADERS,
        UNOPTIMIZED,
    ))
    native.cc_test(
        name = name,
        size = "small",
        tags = ["manual"],
        deps = [":%s_cases" % name, str(_MAIN)],
    )

def cc_test_group(name):
    """Runs the package's ns_tests in one process.

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
