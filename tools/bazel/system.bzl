"""The libraries of this machine, as `@system//:NAME`."""

def _library_dirs(ctx):
    """Folders to look for shared libraries in, most specific first."""
    return ["/usr/lib/" + arch for arch in [
        "x86_64-linux-gnu",
        "aarch64-linux-gnu",
    ]] + ["/usr/lib", "/usr/local/lib"]

def _find(ctx, dirs, name):
    for folder in dirs:
        if ctx.path(folder + "/" + name).exists:
            return folder
    return None

def _linkable(ctx, dirs, linkopts):
    """Those of `linkopts` whose libraries are there: abseil splits and merges
    its smaller ones from release to release."""
    return [
        option
        for option in linkopts
        if not option.startswith("-labsl_") or _find(ctx, dirs, "lib" + option[2:] + ".so")
    ]

# name: (header that must be there, library file, Debian package, linkopts, deps)
_SIMPLE = {
    "absl_algorithm": ("absl/algorithm/container.h", None, "libabsl-dev", [], []),
    "absl_base": ("absl/base/attributes.h", "libabsl_base.so", "libabsl-dev", ["-labsl_base", "-labsl_raw_logging_internal", "-labsl_throw_delegate"], []),
    "absl_hash": ("absl/hash/hash.h", "libabsl_hash.so", "libabsl-dev", ["-labsl_hash", "-labsl_city", "-labsl_low_level_hash"], [":absl_base"]),
    "absl_containers": ("absl/container/flat_hash_map.h", "libabsl_raw_hash_set.so", "libabsl-dev", ["-labsl_raw_hash_set", "-labsl_hashtablez_sampler"], [":absl_hash"]),
    "absl_strings": ("absl/strings/str_cat.h", "libabsl_strings.so", "libabsl-dev", ["-labsl_str_format_internal", "-labsl_strings", "-labsl_string_view", "-labsl_strings_internal", "-labsl_int128"], [":absl_base"]),
    "absl_status": ("absl/status/statusor.h", "libabsl_status.so", "libabsl-dev", ["-labsl_statusor", "-labsl_status", "-labsl_cord"], [":absl_strings"]),
    "dnnl": ("dnnl.hpp", "libdnnl.so", "libdnnl-dev", ["-ldnnl"], []),
    "benchmark": ("benchmark/benchmark.h", "libbenchmark.so", "libbenchmark-dev", ["-lbenchmark", "-lpthread"], []),
    "gtest": ("gtest/gtest.h", "libgtest.a", "libgtest-dev", ["-lgtest", "-lpthread"], []),
    "gmock": ("gmock/gmock.h", "libgmock.a", "libgmock-dev", ["-lgmock"], [":gtest"]),
    "gtest_main": ("gtest/gtest.h", "libgtest_main.a", "libgtest-dev", ["-lgmock_main"], [":gmock"]),
}

def _missing_message(what, package):
    return "\n\n%s not found; install it with: apt-get install %s (or run tools/setup.sh)\n" % (what, package)

def _missing(what, package):
    fail(_missing_message(what, package))

# What only tests and benchmarks use may be missing where none is built.
_OF_TESTS = ["dnnl", "benchmark", "gtest", "gmock", "gtest_main"]

_MISSING_LIBRARY = """
def _fail(ctx):
    fail(ctx.attr.message)

missing_library = rule(
    implementation = _fail,
    attrs = {"message": attr.string()},
    provides = [CcInfo],
)
"""

def _simple_libraries(ctx, dirs):
    rules = []
    for name, (header, library, package, linkopts, deps) in _SIMPLE.items():
        what = None
        if not ctx.path("/usr/include/" + header).exists:
            what = "header " + header
        elif library and not _find(ctx, dirs, library):
            what = "library " + library
        if what and name in _OF_TESTS:
            rules.append("missing_library(name = %r, message = %r)\n" % (
                name,
                _missing_message(what, package),
            ))
            continue
        if what:
            _missing(what, package)
        rules.append(_rule(name, linkopts = _linkable(ctx, dirs, linkopts), deps = deps))
    return rules

def _rule(name, linkopts = [], deps = [], hdrs = "[]", includes = []):
    # `includes` become -isystem: our warnings are for our code.
    if linkopts:
        # Link what a target names, used by its own code or not: a static
        # library of ours may use it, and LibTorch registers operators when it
        # is loaded.
        linkopts = ["-Wl,--push-state,--no-as-needed"] + linkopts + ["-Wl,--pop-state"]
    return """
cc_library(
    name = "{name}",
    hdrs = {hdrs},
    includes = {includes},
    linkopts = {linkopts},
    deps = {deps},
)
""".format(
        name = name,
        hdrs = hdrs,
        includes = repr(includes),
        linkopts = repr(linkopts),
        deps = repr(deps),
    )

def _llvm_versions(ctx):
    """The versions that have headers, newest first: Debian installs several side
    by side."""
    versions = []
    for folder in ctx.path("/usr/include").readdir():
        version = folder.basename[len("llvm-"):]
        if folder.basename.startswith("llvm-") and version.isdigit():
            versions.append(int(version))
    return sorted(versions, reverse = True)

def _llvm(ctx, dirs):
    for version in _llvm_versions(ctx):
        include = "/usr/include/llvm-%d/llvm" % version
        c_include = "/usr/include/llvm-c-%d/llvm-c" % version
        folder = _find(
            ctx,
            ["/usr/lib/llvm-%d/lib" % version] + dirs,
            "libLLVMSupport.a",
        )
        if folder and ctx.path(include + "/ADT/SmallVector.h").exists and ctx.path(c_include).exists:
            break
        folder = None
    if not folder:
        _missing("LLVM ADT and libLLVMSupport.a", "llvm-dev")
    ctx.symlink(include, "llvm/llvm")
    ctx.symlink(c_include, "llvm/llvm-c")

    # Containers, and what their headers include: each compilation is given all
    # of these files. The library is linked statically, and binaries hide its
    # symbols (HIDE_LLVM in cc.bzl): LibTorch may bring an LLVM of its own, and
    # two that share symbols abort.
    return [_rule(
        "llvm",
        hdrs = "glob([\"llvm/llvm/%s/**\" % folder for folder in [\"ADT\", \"Config\", \"Support\"]] + [\"llvm/llvm-c/*.h\"])",
        includes = ["llvm"],
        linkopts = ["-L" + folder, "-l:libLLVMSupport.a", "-l:libLLVMDemangle.a", "-ltinfo"],
    )]

def _isal(ctx, dirs):
    include = "/usr/include/isa-l"
    if not ctx.path(include + "/crc.h").exists:
        _missing("header isa-l/crc.h", "libisal-dev")
    if not _find(ctx, dirs, "libisal.so"):
        _missing("library libisal.so", "libisal-dev")

    # Bazel's list of the compiler's own headers, which layering_check goes by,
    # is as old as the first build: it may not have those of a package that was
    # installed since.
    ctx.symlink(include, "isal/isa-l")
    return [_rule(
        "isal",
        hdrs = "glob([\"isal/isa-l/*.h\"])",
        includes = ["isal"],
        linkopts = ["-lisal"],
    )]

def _torch(ctx, dirs):
    """LibTorch: $LIBTORCH (an unpacked LibTorch, or the `torch` folder of a
    Python install), or Debian's libtorch-dev."""
    home = ctx.os.environ.get("LIBTORCH", "")
    hdrs, includes = "[]", []
    if home:
        include, folder = home + "/include", home + "/lib"
        if not ctx.path(include + "/torch/csrc/jit/ir/ir.h").exists:
            fail("\n\nLIBTORCH=%s has no include/torch/csrc/jit/ir/ir.h; name an unpacked LibTorch or the torch folder of a Python install, or unset it to use Debian's libtorch-dev\n" % home)
        ctx.symlink(include, "torch")
        hdrs = "glob([\"torch/**/*.h\", \"torch/**/*.hpp\"])"
        includes = ["torch", "torch/torch/csrc/api/include"]
    else:
        include = "/usr/include"
        if not ctx.path(include + "/torch/csrc/jit/ir/ir.h").exists:
            _missing("LibTorch", "libtorch-dev")
        folder = _find(ctx, dirs, "libtorch_cpu.so")
        if not folder:
            _missing("library libtorch_cpu.so", "libtorch-dev")

        # The compiler finds all but these by itself.
        ctx.symlink(include + "/torch/csrc/api/include", "torch_api")
        hdrs = "glob([\"torch_api/**/*.h\"])"
        includes = ["torch_api"]
    return [_rule(
        "torch",
        hdrs = hdrs,
        includes = includes,
        linkopts = [
            "-L" + folder,
            "-Wl,-rpath," + folder,
            "-ltorch_cpu",
            "-ltorch",
            "-lc10",
        ],
    )]

# Headers that a file takes seconds to parse, and that many include.
_PRECOMPILED = [
    "torch/csrc/jit/api/module.h",
    "torch/csrc/jit/ir/ir.h",
    "ATen/ATen.h",
    "torch/custom_class.h",
    "absl/algorithm/container.h",
    "absl/container/flat_hash_map.h",
    "absl/status/statusor.h",
    "absl/strings/str_cat.h",
    "absl/strings/str_format.h",
    "absl/strings/str_join.h",
]

# What tests include, besides.
_PRECOMPILED_FOR_TESTS = ["gmock/gmock.h", "gtest/gtest.h"]

# Names the compiler, and each file that the headers $@ include, with its size
# and time.
_FILES_OF_HEADERS = """
"$CC" --version
printf '#include <%s>\\n' "$@" | "$CC" -M -std=c++17 -x c++ - |
  tr -s ' \\\\' '\\n' | grep '^/' |
  xargs stat --dereference --format='%n %s %Y'
"""

def _paths_of(ctx, headers):
    paths = ["/usr/include/" + header for header in headers]
    return [path for path in paths if ctx.path(path).exists]

def _precompiled(ctx):
    """What tools/bazel/precompiled_header.bzl has to know: absolute paths, and
    a file that changes when a header or the compiler does."""
    headers = _paths_of(ctx, _PRECOMPILED)
    if ctx.os.environ.get("LIBTORCH", ""):
        # Bazel lets a file include only declared headers and those of folders
        # that it knows the compiler to look in.
        headers = [header for header in headers if "/absl/" in header]
    of_tests = headers + _paths_of(ctx, _PRECOMPILED_FOR_TESTS)
    ctx.file(
        "precompiled.bzl",
        "HEADERS = %r\nTEST_HEADERS = %r\n" % (headers, of_tests),
    )
    files = ctx.execute(
        ["bash", "-c", _FILES_OF_HEADERS, "-"] + of_tests,
        environment = {"CC": ctx.os.environ.get("CC", "clang")},
    )
    ctx.file("precompiled_from.txt", files.stdout)
    return ["exports_files([\"precompiled_from.txt\"])\n"]

def _system_repository(ctx):
    dirs = _library_dirs(ctx)
    ctx.file("missing_library.bzl", _MISSING_LIBRARY)
    rules = [
        "load(\":missing_library.bzl\", \"missing_library\")\n",
        "package(default_visibility = [\"//visibility:public\"])\n",
    ]
    rules += _simple_libraries(ctx, dirs)
    rules += _llvm(ctx, dirs)
    rules += _isal(ctx, dirs)
    rules += _torch(ctx, dirs)
    rules += _precompiled(ctx)
    ctx.file("BUILD", "".join(rules))

system_repository = repository_rule(
    implementation = _system_repository,
    doc = "cc_library targets for the libraries installed on this machine. " +
          "A missing one is an error that names the package to install.",
    environ = ["CC", "LIBTORCH"],
    local = True,
)
